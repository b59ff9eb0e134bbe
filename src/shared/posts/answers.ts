import { z } from 'zod';
import {
  author,
  basedOn,
  id,
  multiline,
  nextCursor,
  paged,
  source,
  time,
  votes,
} from '#shared/core/fields.ts';
import { limits } from '#shared/core/limits.ts';
import { siteHistory } from './site-history.ts';
import { repliesPage } from './replies.ts';

export const answerDraft = z.object({
  content: multiline({
    max: limits.answer,
    required: 'answer-required',
    tooLong: 'answer-too-long',
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
  /** Whether the viewer bookmarked it. */
  bookmarked: z.boolean(),
  source,
  siteHistory,
  replies: repliesPage,
});
export type Answer = z.infer<typeof answer>;

/** Newest first; highest score (upvotes minus downvotes) first, then newest; oldest first. */
export const answerSort = z.enum(['newest', 'helpful', 'oldest']);
export type AnswerSort = z.infer<typeof answerSort>;

/** In the requested order; the first page starts with the accepted answer. */
export const answersPage = paged(answer);
export type AnswersPage = z.infer<typeof answersPage>;

/** What a page that begins after a cursor has too. */
export const previousPage = {
  /** The cursor after which the page before it begins; null if that is the first page. */
  previousCursor: nextCursor.optional(),
};

/** The page of answers that has a post. */
export const answersPagePosition = z.object({
  /** The answer that the post is or belongs to; null for a comment on the question. */
  answerId: id.nullable(),
  /** The cursor after which the page begins; null for the first page. */
  after: nextCursor,
});
export type AnswersPagePosition = z.infer<typeof answersPagePosition>;

/** The answer to accept; null accepts none. */
export const acceptanceDraft = z.object({ answerId: id.nullable() });

export const acceptanceState = z.object({ acceptedAnswerId: id.nullable() });
