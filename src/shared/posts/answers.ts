import { z } from 'zod';
import { author, basedOn, id, multiline, paged, source, time, votes } from '#shared/core/fields.ts';
import { limits } from '#shared/core/limits.ts';
import { repliesPage } from './replies.ts';

export const answerDraft = z.object({
  content: multiline({
    max: limits.answer,
    required: 'Please write an answer',
    tooLong: 'An answer can have up to 30,000 characters',
  }),
});
export type AnswerDraft = z.infer<typeof answerDraft>;

export const answerEdit = answerDraft.extend(basedOn.shape);
export type AnswerEdit = z.infer<typeof answerEdit>;

export const answer = z.object({
  id,
  questionId: id,
  content: z.string(),
  ...author.shape,
  createdAt: time,
  editedAt: time.nullable(),
  ...votes.shape,
  /** Whether the viewer keeps it among their bookmarks. */
  bookmarked: z.boolean(),
  source,
  replies: repliesPage,
});
export type Answer = z.infer<typeof answer>;

/** Newest first; the highest score (upvotes less downvotes) first, then newest; oldest first. */
export const answerSort = z.enum(['newest', 'helpful', 'oldest']);
export type AnswerSort = z.infer<typeof answerSort>;

/** In the order asked for; the first page begins with the accepted one. */
export const answersPage = paged(answer);
export type AnswersPage = z.infer<typeof answersPage>;

/** The answer that solved it, as its asker says; null takes it back. */
export const acceptanceDraft = z.object({ answerId: id.nullable() });

export const acceptanceState = z.object({ acceptedAnswerId: id.nullable() });
