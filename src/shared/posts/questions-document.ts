import { z } from 'zod';
import { answer, answerSort, previousPage } from './answers.ts';
import { question, questionCard } from './questions.ts';
import { reply } from './replies.ts';
import { id, paged, time, voteDirection } from '#shared/core/fields.ts';

/*
 * Documents are the same for every viewer (docs/decisions/047). What the viewer sees on them, and counts that change
 * with every reading, are read with `GET /api/viewer/…` (schemas named `…Viewer`).
 */

const replyDocument = reply.omit({ myVote: true });
const repliesDocument = paged(replyDocument);
const answerDocument = answer.omit({ myVote: true, bookmarked: true }).extend({ replies: repliesDocument });

/** The document of a question's page, without what `questionViewer` has. */
export const questionDocument = z.object({
  question: question.omit({ myVote: true, following: true, bookmarked: true, muted: true, views: true }),
  replies: repliesDocument,
  answers: paged(answerDocument).extend(previousPage),
  /** The order of the answers. */
  sort: answerSort,
});
export type QuestionDocument = z.infer<typeof questionDocument>;

/** By the id of the post, which JSON keys turn into text. Posts without a vote are omitted. */
const votesById = z.record(z.string(), voteDirection);

/** The viewer's own values on a question's page, and its views. */
export const questionViewer = z.object({
  myVote: voteDirection.nullable(),
  following: z.boolean(),
  bookmarked: z.boolean(),
  muted: z.boolean(),
  views: z.int().nonnegative(),
  /** When the viewer last opened the question; null if never. */
  visitedAt: time.nullable(),
  answerVotes: votesById,
  replyVotes: votesById,
  bookmarkedAnswers: z.array(id),
});
export type QuestionViewer = z.infer<typeof questionViewer>;

/** A question in the document of a list. */
export const questionCardDocument = questionCard.omit({ views: true });

export const questionCardsDocument = paged(questionCardDocument);
export type QuestionCardsDocument = z.infer<typeof questionCardsDocument>;

/** The views of the questions in a list, by id. */
export const questionCardsViewer = z.object({ views: z.record(z.string(), z.int().nonnegative()) });
export type QuestionCardsViewer = z.infer<typeof questionCardsViewer>;
