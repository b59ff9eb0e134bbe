import { z } from 'zod';
import { role } from '#shared/identity/accounts.ts';
import { author, id, paged, time } from '#shared/core/fields.ts';
import { countCodePoints, hasForbiddenCharacters } from '#shared/core/text.ts';

/** The three kinds of posts, as care names them. */
export const postKind = z.enum(['question', 'answer', 'reply']);
export type PostRef = { kind: z.infer<typeof postKind>; id: number };

/** Everything an operator can do; also what the log tells of. */
export const moderationAction = z.enum([
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
export type ModerationAction = z.infer<typeof moderationAction>;

const reasonText = (text: z.ZodString) =>
  text
    .trim()
    .refine((value) => countCodePoints(value) <= 500, 'Up to 500 characters')
    .refine((value) => !hasForbiddenCharacters(value), 'The text contains characters that cannot be shown');

export const reportReason = z.enum(['spam', 'rude', 'off_topic', 'duplicate', 'other']);
export type ReportReason = z.infer<typeof reportReason>;

/** A flag as a member sets it; null takes it back. */
export const reportDraft = z.object({
  reason: reportReason.nullable(),
  note: reasonText(z.string()).default(''),
});
export type ReportDraft = z.infer<typeof reportDraft>;

/** The own flag on a post: the reason while nobody has looked at it, and whether somebody has. */
export const reportState = z.object({ reason: reportReason.nullable(), closed: z.boolean() });
export type ReportState = z.infer<typeof reportState>;

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
  kind: postKind,
  id,
  reason: reasonText(z.string()).default(''),
  /** The question that was asked before, for 'duplicate'. */
  duplicateOf: id.nullable().default(null),
  /** The place in the queue that the operator looks at: where it is gone, another one was faster. */
  queueItemId: id.nullable().default(null),
});
export type PostActionDraft = z.infer<typeof postActionDraft>;

/** What an operator does about a member. */
export const memberAction = z.enum(['warn', 'suspend', 'lift', 'undo', 'undo_undo']);
export type MemberAction = z.infer<typeof memberAction>;

export const memberActionDraft = z.object({
  action: memberAction,
  memberId: id,
  reason: reasonText(z.string()).default(''),
  /** For 'suspend'. */
  until: time.nullable().default(null),
});
export type MemberActionDraft = z.infer<typeof memberActionDraft>;

/** A post with open flags, as operators see it. Who flagged is told to nobody. */
export const reportedPost = z.object({
  id,
  kind: postKind,
  postId: id,
  questionId: id,
  /** Of the question. */
  title: z.string(),
  content: z.string(),
  ...author.shape,
  createdAt: time,
  reportsCount: z.int().positive(),
  firstAt: time,
  /** How many flags name each reason, and what was written to them. */
  reasons: z.array(z.object({ reason: reportReason, count: z.int().positive() })),
  notes: z.array(z.string()),
  locked: z.boolean(),
});
export type ReportedPost = z.infer<typeof reportedPost>;
export const reviewQueue = paged(reportedPost);
export type ReviewQueue = z.infer<typeof reviewQueue>;

/**
 * Something operators did. Every member sees what, why and when; who did it, whom it was about and how it was before is
 * null for all but operators.
 */
export const moderationLogEntry = z.object({
  id,
  at: time,
  action: moderationAction,
  reason: z.string(),
  postKind: postKind.nullable(),
  /** The question it was about or in, where that is to be seen now. */
  questionId: id.nullable(),
  title: z.string().nullable(),
  moderatorName: z.string().nullable(),
  memberId: id.nullable(),
  memberName: z.string().nullable(),
  before: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])).nullable(),
  /** The post, where an operator can bring it back. */
  restorable: z.object({ kind: postKind, id }).nullable(),
});
export type ModerationLogEntry = z.infer<typeof moderationLogEntry>;
export const moderationLog = paged(moderationLogEntry);
export type ModerationLog = z.infer<typeof moderationLog>;

/** A post of a question that others do not see: the author's own, or for operators everybody's. */
export const hiddenPost = z.object({
  id,
  kind: postKind,
  postId: id,
  status: z.enum(['hidden', 'deleted']),
  reason: z.string(),
  title: z.string(),
  content: z.string(),
  ...author.shape,
  hiddenAt: time,
});
export type HiddenPost = z.infer<typeof hiddenPost>;
export const hiddenPosts = z.object({ items: z.array(hiddenPost) });

/** What the operators told a member. */
export const moderatorMessage = z.object({
  id,
  kind: z.enum(['warning', 'suspension', 'hidden', 'deleted']),
  reason: z.string(),
  until: time.nullable(),
  title: z.string().nullable(),
  createdAt: time,
});
export type ModeratorMessage = z.infer<typeof moderatorMessage>;
export const moderatorMessages = z.object({ items: z.array(moderatorMessage) });
export const moderatorMessagesSeen = z.object({ upTo: id });

/** Undoing everything one account did, or taking that back. */
export const memberActivityRemoval = z.object({
  id,
  state: z.enum(['undoing', 'undone', 'restoring', 'restored']),
  posts: z.int().nonnegative(),
  votes: z.int().nonnegative(),
  postsDone: z.int().nonnegative(),
  votesDone: z.int().nonnegative(),
});
export type MemberActivityRemoval = z.infer<typeof memberActivityRemoval>;

/** A member as operators see them. */
export const moderatedMember = z.object({
  id,
  displayName: z.string(),
  role,
  suspended: z.object({ until: time, reason: z.string() }).nullable(),
  warnings: z.int().nonnegative(),
  hiddenPosts: z.int().nonnegative(),
  activityRemoval: memberActivityRemoval.nullable(),
});
export type ModeratedMember = z.infer<typeof moderatedMember>;
