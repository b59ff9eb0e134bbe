import { z } from 'zod';
import { withCode } from '#shared/core/coded-error.ts';
import { avatar, id, paged, postKind, time } from '#shared/core/fields.ts';
import { countCodePoints, hasForbiddenCharacters } from '#shared/core/text.ts';
import { signInMethod } from '#shared/identity/accounts.ts';
import { reportReason } from './moderation.ts';

/** Which posts of a member a moderator lists: the visible ones, those a moderator removed, or those that wait. */
export const memberPostsFilter = z.enum(['visible', 'hidden', 'held']);
export type MemberPostsFilter = z.infer<typeof memberPostsFilter>;

/** A post on the page of its author, for moderators. */
export const memberPost = z.object({
  kind: postKind,
  id,
  questionId: id,
  /** Title of the question. */
  title: z.string(),
  excerpt: z.string(),
  excerptCut: z.boolean(),
  createdAt: time,
  status: z.enum(['visible', 'hidden', 'deleted', 'held', 'rejected']),
  /** Why a moderator removed or rejected it. */
  reason: z.string().nullable(),
  /** What the author objected, and whether a moderator has decided about it. */
  objection: z.object({ text: z.string(), decided: z.boolean() }).nullable(),
});
export type MemberPost = z.infer<typeof memberPost>;
export const memberPosts = paged(memberPost);
export type MemberPosts = z.infer<typeof memberPosts>;

/** Reports on posts of a member, or reports that the member made. */
export const memberReportsFilter = z.enum(['about', 'by']);
export type MemberReportsFilter = z.infer<typeof memberReportsFilter>;

export const memberReport = z.object({
  id,
  kind: postKind,
  postId: id,
  /** The question of the post and its title; null if the post was deleted. */
  questionId: id.nullable(),
  title: z.string().nullable(),
  reason: reportReason,
  note: z.string(),
  createdAt: time,
  /** Null while it is open. */
  outcome: z.enum(['dismissed', 'resolved', 'deleted']).nullable(),
  /** The author of the post, for reports that the member made. Reporters are never named. */
  author: z.object({ id, displayName: z.string() }).nullable(),
});
export type MemberReport = z.infer<typeof memberReport>;
export const memberReports = paged(memberReport);
export type MemberReports = z.infer<typeof memberReports>;

/** A sign-in of a member. Moderators see the network of the address, admins the address. */
export const memberSignIn = z.object({
  id,
  at: time,
  method: signInMethod,
  userAgent: z.string().nullable(),
  /** An IPv4 /24 or IPv6 /48 network, such as '192.0.2.0/24'; null if it is unknown. */
  network: z.string().nullable(),
  /** For admins; null for other moderators. Of IPv6, the /64 network. */
  address: z.string().nullable(),
});
export type MemberSignIn = z.infer<typeof memberSignIn>;
export const memberSignIns = paged(memberSignIn);
export type MemberSignIns = z.infer<typeof memberSignIns>;

/** Another account that signed in from the network of a sign-in. */
export const networkAccount = z.object({ id, displayName: z.string(), avatar, lastSignInAt: time });
export const networkAccounts = paged(networkAccount);
export type NetworkAccounts = z.infer<typeof networkAccounts>;

export const maxNoteLength = 2_000;

/** A note of moderators on a member. */
export const noteDraft = z.object({
  text: z
    .string()
    .trim()
    .min(1, withCode('note-required'))
    .refine(
      (text) => countCodePoints(text) <= maxNoteLength,
      withCode('text-too-long', { max: maxNoteLength }),
    )
    .refine((text) => !hasForbiddenCharacters(text), withCode('characters-not-allowed')),
});
export const noteDeletion = z.object({ deleted: z.boolean() });

export const memberNote = z.object({
  id,
  /** Markdown. */
  text: z.string(),
  authorId: id,
  authorName: z.string(),
  createdAt: time,
  editedAt: time.nullable(),
});
export type MemberNote = z.infer<typeof memberNote>;
export const memberNotes = paged(memberNote);
export type MemberNotes = z.infer<typeof memberNotes>;
