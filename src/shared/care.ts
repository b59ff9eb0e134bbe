import { z } from 'zod';
import { role } from './accounts.ts';
import { author, id, paged, time } from './fields.ts';
import { codePoints, hasForbiddenCharacters } from './text.ts';

/** The three kinds of posts, as care names them. */
export const carePostKind = z.enum(['question', 'answer', 'reply']);
export type CarePost = { kind: z.infer<typeof carePostKind>; id: number };

/** Everything an operator can do; also what the log tells of. */
export const careAction = z.enum([
  'dismiss',
  'hide',
  'delete',
  'restore',
  'lock',
  'unlock',
  'duplicate',
  'not_duplicate',
  'warn',
  'suspend',
  'lift',
  'undo',
  'undo_undo',
  'purge',
  'role',
  'approve',
  'remove_activity',
  'restore_activity',
]);
export type CareAction = z.infer<typeof careAction>;

const upTo500 = (text: z.ZodString) =>
  text
    .trim()
    .refine((value) => codePoints(value) <= 500, 'Up to 500 characters')
    .refine((value) => !hasForbiddenCharacters(value), 'The text contains characters that cannot be shown');

export const flagReason = z.enum(['spam', 'rude', 'off_topic', 'duplicate', 'other']);
export type FlagReason = z.infer<typeof flagReason>;

/** A flag as a member sets it; null takes it back. */
export const flagDraft = z.object({
  reason: flagReason.nullable(),
  note: upTo500(z.string()).default(''),
});
export type FlagDraft = z.infer<typeof flagDraft>;

/** The own flag on a post: the reason while nobody has looked at it, and whether somebody has. */
export const flagState = z.object({ reason: flagReason.nullable(), closed: z.boolean() });
export type FlagState = z.infer<typeof flagState>;

/** What an operator does to a post. */
export const postAction = z.enum([
  'dismiss',
  'hide',
  'delete',
  'restore',
  'lock',
  'unlock',
  'duplicate',
  'not_duplicate',
]);
export type PostAction = z.infer<typeof postAction>;

export const postActionDraft = z.object({
  action: postAction,
  kind: carePostKind,
  id,
  reason: upTo500(z.string()).default(''),
  /** The question that was asked before, for 'duplicate'. */
  duplicateOf: id.nullable().default(null),
  /** The place in the queue that the operator looks at: where it is gone, another one was faster. */
  flaggedId: id.nullable().default(null),
});
export type PostActionDraft = z.infer<typeof postActionDraft>;

/** What an operator does about a member. */
export const memberAction = z.enum(['warn', 'suspend', 'lift', 'undo', 'undo_undo']);
export type MemberAction = z.infer<typeof memberAction>;

export const memberActionDraft = z.object({
  action: memberAction,
  memberId: id,
  reason: upTo500(z.string()).default(''),
  /** For 'suspend'. */
  until: time.nullable().default(null),
});
export type MemberActionDraft = z.infer<typeof memberActionDraft>;

/** A post with open flags, as operators see it. Who flagged is told to nobody. */
export const flaggedPost = z.object({
  id,
  kind: carePostKind,
  postId: id,
  questionId: id,
  /** Of the question. */
  title: z.string(),
  content: z.string(),
  ...author.shape,
  createdAt: time,
  flags: z.int().positive(),
  firstAt: time,
  /** How many flags name each reason, and what was written to them. */
  reasons: z.array(z.object({ reason: flagReason, count: z.int().positive() })),
  notes: z.array(z.string()),
  locked: z.boolean(),
});
export type FlaggedPost = z.infer<typeof flaggedPost>;
export const careQueue = paged(flaggedPost);
export type CareQueue = z.infer<typeof careQueue>;

/**
 * Something operators did. Every member sees what, why and when; who did it, whom it was about and how it was before is
 * null for all but operators.
 */
export const careEntry = z.object({
  id,
  at: time,
  action: careAction,
  reason: z.string(),
  postKind: carePostKind.nullable(),
  /** The question it was about or in, where that is to be seen now. */
  questionId: id.nullable(),
  title: z.string().nullable(),
  operatorName: z.string().nullable(),
  memberId: id.nullable(),
  memberName: z.string().nullable(),
  before: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])).nullable(),
  /** The post, where an operator can bring it back. */
  restorable: z.object({ kind: carePostKind, id }).nullable(),
});
export type CareEntry = z.infer<typeof careEntry>;
export const careLog = paged(careEntry);
export type CareLog = z.infer<typeof careLog>;

/** A post of a question that others do not see: the author's own, or for operators everybody's. */
export const hiddenPost = z.object({
  id,
  kind: carePostKind,
  postId: id,
  how: z.enum(['hidden', 'deleted']),
  reason: z.string(),
  title: z.string(),
  content: z.string(),
  ...author.shape,
  hiddenAt: time,
});
export type HiddenPost = z.infer<typeof hiddenPost>;
export const hiddenPosts = z.object({ items: z.array(hiddenPost) });

/** What the operators told a member. */
export const notice = z.object({
  id,
  kind: z.enum(['warning', 'suspension', 'hidden', 'deleted']),
  reason: z.string(),
  until: time.nullable(),
  title: z.string().nullable(),
  createdAt: time,
});
export type Notice = z.infer<typeof notice>;
export const notices = z.object({ items: z.array(notice) });
export const noticesSeen = z.object({ upTo: id });

/** Undoing everything one account did, or taking that back. */
export const undoing = z.object({
  id,
  state: z.enum(['undoing', 'undone', 'restoring', 'restored']),
  posts: z.int().nonnegative(),
  votes: z.int().nonnegative(),
  postsDone: z.int().nonnegative(),
  votesDone: z.int().nonnegative(),
});
export type Undoing = z.infer<typeof undoing>;

/** A member as operators see them. */
export const careMember = z.object({
  id,
  displayName: z.string(),
  role,
  suspended: z.object({ until: time, reason: z.string() }).nullable(),
  warnings: z.int().nonnegative(),
  hiddenPosts: z.int().nonnegative(),
  undoing: undoing.nullable(),
});
export type CareMember = z.infer<typeof careMember>;
