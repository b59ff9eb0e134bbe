import { z } from 'zod';
import { pendingStep, role } from '#shared/identity/accounts.ts';
import { reauthentication } from '#shared/identity/two-factor.ts';
import { applicationStatus } from '#shared/identity/applications.ts';
import { signUpAnswer } from '#shared/identity/sign-up-questions.ts';
import { avatar, basedOn, id, namedAuthor, paged, postKind, time } from '#shared/core/fields.ts';
import { withCode } from '#shared/core/coded-error.ts';
import { countCodePoints, hasForbiddenCharacters } from '#shared/core/text.ts';
import { matchedRule, spamEstimate } from './spam.ts';
import { tagProposal } from './tag-proposals.ts';

/** All actions of moderators, as listed in the log. */
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
  'lift_suspension',
  'remove_avatar',
  'remove_activity',
  'restore_activity',
  'purge',
  'role',
  'setting',
  'approve',
  'reject',
  'bulk_remove_activity',
  'bulk_restore_activity',
  'tag_texts',
  'tag_synonym',
  'tag_merge',
  'tag_rename',
  'decline_objection',
  'approve_edit',
  'reject_edit',
  'announce',
  'end_announcement',
  'pin',
  'unpin',
  'merge_account',
  'reset_two_factor',
  'approve_account',
  'refuse_account',
  'add_sign_in_provider',
  'change_sign_in_provider',
  'delete_sign_in_provider',
  'order_sign_in_providers',
  'approve_tag',
  'reject_tag',
  'add_webhook',
  'change_webhook',
  'replace_webhook_secret',
  'delete_webhook',
  'add_service_account',
  'change_service_account',
  'delete_service_account',
  'add_service_account_token',
  'revoke_service_account_token',
]);
export type ModerationAction = z.infer<typeof moderationAction>;

export const reasonText = (text: z.ZodString) =>
  text
    .trim()
    .refine((value) => countCodePoints(value) <= 500, withCode('text-too-long', { max: 500 }))
    .refine((value) => !hasForbiddenCharacters(value), withCode('characters-not-allowed'));

export const reportReason = z.enum(['spam', 'rude', 'off_topic', 'duplicate', 'other']);
export type ReportReason = z.infer<typeof reportReason>;

/** A member's report; null withdraws it. */
export const reportDraft = z.object({
  reason: reportReason.nullable(),
  note: reasonText(z.string()).default(''),
});
export type ReportDraft = z.infer<typeof reportDraft>;

/** The viewer's report of a post: its reason while it is open, and whether it is closed. */
export const reportState = z.object({ reason: reportReason.nullable(), closed: z.boolean() });
export type ReportState = z.infer<typeof reportState>;

/** The actions of a moderator on a post. */
export const postAction = z.enum([
  'dismiss',
  'hide',
  'delete',
  'restore',
  'lock',
  'unlock',
  'duplicate',
  'not_duplicate',
  'approve',
  'reject',
  'spam',
  'decline_objection',
]);
export type PostAction = z.infer<typeof postAction>;

/** The public reason of a post that is deleted as spam, if the moderator gives no other. */
export const spamReason = 'Spam';

/** The reasons that moderators can choose from. */
export const moderationReasons = z.object({ items: z.array(z.string()) });

/** A moderator's decision about a proposed tag. */
export const tagProposalDecision = z.object({
  decision: z.enum(['approve', 'synonym', 'reject']),
  /** For 'synonym': the existing tag, which the questions get. */
  synonymOf: z
    .string()
    .max(1000)
    .refine((value) => !hasForbiddenCharacters(value), withCode('characters-not-allowed'))
    .default(''),
  /** Needed for 'reject'. */
  reason: reasonText(z.string()).default(''),
});
export type TagProposalDecision = z.infer<typeof tagProposalDecision>;

export const postActionDraft = z.object({
  action: postAction,
  kind: postKind,
  id,
  reason: reasonText(z.string()).default(''),
  /** The original question, for 'duplicate'. */
  duplicateOf: id.nullable().default(null),
  /** The entry of the review queue that the moderator sees. If it is closed, another moderator was faster. */
  queueItemId: id.nullable().default(null),
  /** The version of the text that the moderator sees. The action is refused if the post has been edited since. */
  ...basedOn.shape,
});
export type PostActionDraft = z.infer<typeof postActionDraft>;

/** The actions of a moderator on a member. */
export const memberAction = z.enum([
  'warn',
  'suspend',
  'lift_suspension',
  'remove_avatar',
  'remove_activity',
  'restore_activity',
]);
export type MemberAction = z.infer<typeof memberAction>;

export const memberActionDraft = z.object({
  action: memberAction,
  memberId: id,
  reason: reasonText(z.string()).default(''),
  /** For 'suspend'. */
  until: time.nullable().default(null),
});
export type MemberActionDraft = z.infer<typeof memberActionDraft>;

/** A role that an admin gives a member. The password if the member is or becomes an admin. */
export const roleDraft = reauthentication.extend({ role });

/**
 * Why a post waits in the review queue. A report outweighs the other causes. 'tag_proposal' is about a tag, not about its
 * question.
 */
export const reviewCause = z.enum([
  'report',
  'spam_rule',
  'first_post',
  'links',
  'objection',
  'tag_proposal',
]);
export type ReviewCause = z.infer<typeof reviewCause>;

/**
 * A post in the review queue, for moderators. It does not name the reporters. Of a proposed tag, the post is the first
 * question that it was proposed for.
 */
export const reviewItem = z.object({
  id,
  cause: reviewCause,
  kind: postKind,
  postId: id,
  questionId: id,
  /** Title of the question. */
  title: z.string(),
  content: z.string(),
  ...namedAuthor.shape,
  /** The author, null for an imported author without an account. `posts`: questions and answers. */
  author: z
    .object({
      reputation: z.int(),
      registeredAt: time,
      posts: z.int().nonnegative(),
      warnings: z.int().nonnegative(),
      hiddenPosts: z.int().nonnegative(),
    })
    .nullable(),
  createdAt: time,
  editedAt: time.nullable(),
  /** Whether others see it only once it is approved. */
  held: z.boolean(),
  reportsCount: z.int().nonnegative(),
  /** Since when it waits. */
  firstAt: time,
  /** The number of reports by reason, and their notes. */
  reasons: z.array(z.object({ reason: reportReason, count: z.int().positive() })),
  notes: z.array(z.string()),
  /** The spam rules that the post matched when it was written. */
  matchedRules: z.array(matchedRule),
  /** Null before moderators have decided about enough posts, and for removed posts. */
  spamEstimate: spamEstimate.nullable(),
  locked: z.boolean(),
  /** What the author of a removed post objects, and why it was removed. */
  objection: z.object({ text: z.string(), reason: z.string() }).nullable(),
  tagProposal: tagProposal.nullable(),
  /** The moderator who works on it; null if no one does. */
  claim: z.object({ memberId: id, name: z.string(), until: time }).nullable(),
});
export type ReviewItem = z.infer<typeof reviewItem>;
/** Minutes for which a moderator claims a post of the review queue. */
export const reviewClaimMinutes = 10;
export const reviewClaimDraft = z.object({
  /** Whether to end the claim of another moderator. */
  takeOver: z.boolean().default(false),
});
export const reviewQueue = paged(reviewItem);
export type ReviewQueue = z.infer<typeof reviewQueue>;

const loggedState = z.record(
  z.string(),
  z.union([z.string(), z.number(), z.boolean(), z.array(z.string()), z.null()]),
);

/** How much waits in the review queue. The badge shows `maxReviewCount` as 'this many or more'. */
export const maxReviewCount = 100;
const reviewCount = z.int().nonnegative().max(maxReviewCount);
export const reviewCounts = z.object({
  open: reviewCount,
  causes: z.array(z.object({ cause: reviewCause, count: reviewCount })),
});
export type ReviewCounts = z.infer<typeof reviewCounts>;

/**
 * An entry of the moderation log. Every member sees what, why and when. Who acted, whom it concerned and the states
 * before and after are null except for moderators.
 */
export const moderationLogEntry = z.object({
  id,
  at: time,
  action: moderationAction,
  reason: z.string(),
  postKind: postKind.nullable(),
  /** The question of the action, null if it is not visible now. */
  questionId: id.nullable(),
  title: z.string().nullable(),
  moderatorName: z.string().nullable(),
  memberId: id.nullable(),
  memberName: z.string().nullable(),
  /** The name of the setting or tag that the action is about. */
  subject: z.string().nullable(),
  before: loggedState.nullable(),
  after: loggedState.nullable(),
  /** The post, if a moderator can restore it. */
  restorable: z.object({ kind: postKind, id }).nullable(),
});
export type ModerationLogEntry = z.infer<typeof moderationLogEntry>;
export const moderationLog = paged(moderationLogEntry);
export type ModerationLog = z.infer<typeof moderationLog>;

/** What moderators did before about a post of the review queue. `moderatorName` is null for what Parley did itself. */
export const reviewHistory = z.object({
  items: z.array(
    moderationLogEntry.pick({
      id: true,
      at: true,
      action: true,
      reason: true,
      postKind: true,
      moderatorName: true,
    }),
  ),
});
export type ReviewHistory = z.infer<typeof reviewHistory>;

/** A hidden or held post of a question, for its author and for moderators. */
export const hiddenPost = z.object({
  id,
  kind: postKind,
  postId: id,
  /** Others see a held post once a moderator has approved it. */
  status: z.enum(['hidden', 'deleted', 'held', 'rejected']),
  reason: z.string(),
  title: z.string(),
  content: z.string(),
  ...namedAuthor.shape,
  hiddenAt: time,
  /** Whether the viewer can object to it. */
  canObject: z.boolean(),
});
export type HiddenPost = z.infer<typeof hiddenPost>;
export const hiddenPosts = paged(hiddenPost);
export type HiddenPosts = z.infer<typeof hiddenPosts>;

/** A post of the viewer that a moderator removed. */
export const removedPost = z.object({
  id,
  kind: postKind,
  status: z.enum(['hidden', 'deleted']),
  reason: z.string(),
  /** Title of the question; empty if the question of another member is hidden as well. */
  title: z.string(),
  removedAt: time,
  /** Whether the viewer can object to it. */
  canObject: z.boolean(),
  /** The viewer's objection, if there was one. */
  objection: z.enum(['none', 'open', 'declined']),
});
export type RemovedPost = z.infer<typeof removedPost>;
export const removedPosts = paged(removedPost);
export type RemovedPosts = z.infer<typeof removedPosts>;

/** What an author says against the removal of a post, in characters. */
export const maxObjectionLength = 1_000;
export const objectionDraft = z.object({
  text: z
    .string()
    .trim()
    .min(1, withCode('objection-required'))
    .refine(
      (text) => countCodePoints(text) <= maxObjectionLength,
      withCode('text-too-long', { max: maxObjectionLength }),
    )
    .refine((text) => !hasForbiddenCharacters(text), withCode('characters-not-allowed')),
});

/** A message from moderators to a member. */
export const moderatorMessage = z.object({
  id,
  kind: z.enum([
    'warning',
    'suspension',
    'hidden',
    'deleted',
    'restored',
    'objection_declined',
    'approved',
    'rejected',
    'tag_approved',
    'tag_synonym',
    'tag_rejected',
  ]),
  reason: z.string(),
  until: time.nullable(),
  /** Title of the question. */
  title: z.string().nullable(),
  /** Of a decided proposal: the proposed tag, and the tag that it is another name of. Null for other messages. */
  tag: z.object({ name: z.string(), synonymOf: z.string().nullable() }).nullable(),
  createdAt: time,
  /** The removal of a post that the member can object to, once. */
  objectableId: id.nullable(),
});
export type ModeratorMessage = z.infer<typeof moderatorMessage>;
export const moderatorMessages = z.object({ items: z.array(moderatorMessage) });
export const moderatorMessagesSeen = z.object({ upTo: id });

/** The removal of all activity of one account, or its restoration. */
export const memberActivityRemoval = z.object({
  id,
  state: z.enum(['removing', 'removed', 'restoring', 'restored']),
  posts: z.int().nonnegative(),
  votes: z.int().nonnegative(),
  postsDone: z.int().nonnegative(),
  votesDone: z.int().nonnegative(),
});
export type MemberActivityRemoval = z.infer<typeof memberActivityRemoval>;

/** A member as moderators see them. */
export const moderatedMember = z.object({
  id,
  displayName: z.string(),
  avatar,
  role,
  suspended: z.object({ until: time, reason: z.string() }).nullable(),
  warnings: z.int().nonnegative(),
  hiddenPosts: z.int().nonnegative(),
  activityRemoval: memberActivityRemoval.nullable(),
  /** Who invited the member; null if they registered without an invitation. */
  invitedBy: z.object({ id, displayName: z.string() }).nullable(),
  /** The note on the invitation that they registered with. */
  invitationNote: z.string().nullable(),
  /** For admins; null for other moderators. */
  email: z.string().nullable(),
  emailConfirmed: z.boolean(),
  /** Since when emails are off because they came back. The words of the mail server are for admins, else null. */
  emailsOff: z.object({ since: time, reason: z.string().nullable() }).nullable(),
  /** Imported authors cannot sign in. */
  canSignIn: z.boolean(),
  registeredAt: time,
  pendingStep: pendingStep.nullable(),
  /** Whether the account waits for approval or was refused; null for a member. */
  application: applicationStatus.nullable(),
  /** Why it was refused; empty otherwise. */
  refusalReason: z.string(),
  /** The answers to the questions of the registration. */
  signUpAnswers: z.array(signUpAnswer),
  reputation: z.int(),
  questions: z.int().nonnegative(),
  answers: z.int().nonnegative(),
  signInMethods: z.object({
    password: z.boolean(),
    provider: z.boolean(),
    passkeys: z.int().nonnegative(),
    twoFactor: z.boolean(),
  }),
  /** The account that this one was merged into, and how many of its posts and votes are moved. Null if it was not. */
  merge: z
    .object({
      into: z.object({ id, displayName: z.string() }),
      finished: z.boolean(),
      done: z.int().nonnegative(),
      total: z.int().nonnegative(),
    })
    .nullable(),
});
export type ModeratedMember = z.infer<typeof moderatedMember>;
