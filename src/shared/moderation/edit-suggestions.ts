import { z } from 'zod';
import { avatar, id, paged, postKind, singleLine, time } from '#shared/core/fields.ts';
import { limits } from '#shared/core/limits.ts';
import { answerEdit } from '#shared/posts/answers.ts';
import { questionEdit } from '#shared/posts/questions.ts';
import { replyEdit } from '#shared/posts/replies.ts';
import { reasonText } from './moderation.ts';

const summary = z.object({
  summary: singleLine({
    max: limits.editSummary,
    required: 'edit-summary-required',
    tooLong: 'edit-summary-too-long',
  }),
});
export const questionSuggestion = questionEdit.extend(summary.shape);
export const answerSuggestion = answerEdit.extend(summary.shape);
export const replySuggestion = replyEdit.extend(summary.shape);

/** The texts of a post; `title` and `tags` for questions only. */
export const postTexts = z.object({
  title: z.string().nullable(),
  content: z.string(),
  tags: z.array(z.string()).nullable(),
});
export type PostTexts = z.infer<typeof postTexts>;

export const editSuggestionStatus = z.enum(['open', 'approved', 'rejected', 'withdrawn']);
export type EditSuggestionStatus = z.infer<typeof editSuggestionStatus>;

/** A new suggestion; 'approved' if the member may edit posts of others directly. */
export const createdEditSuggestion = z.object({ id, status: editSuggestionStatus });

/** A suggested edit in a list, without its texts. */
export const editSuggestion = z.object({
  id,
  kind: postKind,
  postId: id,
  questionId: id,
  /** Title of the question. */
  title: z.string(),
  summary: z.string(),
  /** Who suggests it. */
  memberId: id,
  memberName: z.string(),
  memberAvatar: avatar,
  status: editSuggestionStatus,
  /** Whether only moderators see and decide it. */
  moderatorsOnly: z.boolean(),
  /** Why it was rejected. */
  reason: z.string(),
  /** Who decided; null while it is open. */
  decidedByName: z.string().nullable(),
  createdAt: time,
  decidedAt: time.nullable(),
});
export type EditSuggestion = z.infer<typeof editSuggestion>;
export const editSuggestions = paged(editSuggestion);
export type EditSuggestions = z.infer<typeof editSuggestions>;

/** 'review': what the viewer can decide, the oldest first. 'own': the viewer's own, the latest first. */
export const editSuggestionList = z.enum(['review', 'own']);
export type EditSuggestionList = z.infer<typeof editSuggestionList>;

/** A suggested edit with its texts. */
export const editSuggestionTexts = editSuggestion.extend({
  suggested: postTexts,
  /** The version that it is based on; null once it is decided. */
  base: postTexts.nullable(),
  /** The post now, and the time of its last edit. */
  current: postTexts,
  editedAt: time.nullable(),
  /** What approving it makes of the current version; null if both changed the same part of the text. */
  merged: postTexts.nullable(),
});
export type EditSuggestionTexts = z.infer<typeof editSuggestionTexts>;

/** How many suggested edits wait for the viewer, up to `maxEditSuggestionCount`. */
export const maxEditSuggestionCount = 100;
export const editSuggestionCount = z.object({ open: z.int().nonnegative().max(maxEditSuggestionCount) });

export const editDecision = z.object({
  decision: z.enum(['approve', 'reject']),
  /** The version of the post that the reviewer saw: its `editedAt`. */
  basedOn: time.nullable().default(null),
  /** Why it is rejected. */
  reason: reasonText(z.string()).default(''),
  /** Approves the suggestion with these texts instead. They are checked as an edit of that kind of post. */
  texts: z
    .object({
      title: z.string().max(10_000).nullable(),
      content: z.string().max(100_000),
      tags: z.array(z.string().max(1_000)).max(1_000).nullable(),
    })
    .nullable()
    .default(null),
});
export type EditDecision = z.infer<typeof editDecision>;

/** What the viewer may do in this community beyond writing posts. */
export const abilities = z.object({
  /** Whether posts of others have the control 'Suggest edit'. */
  suggestEdits: z.boolean(),
  /** Whether such an edit needs no approval. */
  editDirectly: z.boolean(),
  /** Whether the viewer decides about edits to posts of others. */
  reviewEdits: z.boolean(),
});
export type Abilities = z.infer<typeof abilities>;
