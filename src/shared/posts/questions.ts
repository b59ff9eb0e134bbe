import { z } from 'zod';
import { askMessages } from './questions-messages.ts';
import { answerSort, answersPage } from './answers.ts';
import {
  author,
  basedOn,
  id,
  multiline,
  paged,
  singleLine,
  source,
  time,
  votes,
} from '#shared/core/fields.ts';
import { limits } from '#shared/core/limits.ts';
import { repliesPage } from './replies.ts';
import { normalizeTags, findTagsProblem } from './tags.ts';

export const tagList = z
  .array(z.string().max(1000))
  .max(1000)
  .transform(normalizeTags)
  .superRefine((list, context) => {
    const problem = findTagsProblem(list);
    if (problem !== null) context.addIssue({ code: 'custom', message: problem });
  });

export const questionDraft = z.object({
  title: singleLine({ max: limits.title, required: askMessages.required, tooLong: askMessages.titleLong }),
  content: multiline({
    max: limits.details,
    required: askMessages.required,
    tooLong: askMessages.detailsLong,
  }),
  tags: tagList.default([]),
});
export type QuestionDraft = z.infer<typeof questionDraft>;

export const questionEdit = questionDraft.extend(basedOn.shape);
export type QuestionEdit = z.infer<typeof questionEdit>;

const counts = z.object({
  views: z.int().nonnegative(),
  answerCount: z.int().nonnegative(),
});

/** A question in a list. */
export const questionCard = z.object({
  id,
  title: z.string(),
  /** The first 200 characters of the text without its marks; `excerptCut` tells that there is more. */
  excerpt: z.string(),
  excerptCut: z.boolean(),
  tags: z.array(z.string()),
  ...author.shape,
  createdAt: time,
  upvotes: z.int().nonnegative(),
  downvotes: z.int().nonnegative(),
  ...counts.shape,
  /** Whether one of its answers is accepted. */
  solved: z.boolean(),
  /** Whether it is said to have been asked before. */
  duplicate: z.boolean(),
  source,
});
export type QuestionCard = z.infer<typeof questionCard>;

export const questionCards = paged(questionCard);
export type QuestionCards = z.infer<typeof questionCards>;

export const question = z.object({
  id,
  title: z.string(),
  content: z.string(),
  excerpt: z.string(),
  tags: z.array(z.string()),
  ...author.shape,
  createdAt: time,
  /** The time of the last edit; null when it was never edited. */
  editedAt: time.nullable(),
  ...votes.shape,
  ...counts.shape,
  /** The answer that the asker says solved it. */
  acceptedAnswerId: id.nullable(),
  /** Why nothing can be written, edited or voted on here; null where it can. */
  lockReason: z.string().nullable(),
  /** The question that asked the same before. */
  duplicateOf: id.nullable(),
  /** Whether the viewer follows the question. */
  following: z.boolean(),
  /** Whether the viewer keeps it among their bookmarks. */
  bookmarked: z.boolean(),
  /** Whether the viewer hears of nothing that happens on it. */
  muted: z.boolean(),
  source,
});
export type Question = z.infer<typeof question>;

/**
 * All that /question/:id shows at first: the question, the replies to it ('comments'), the first answers in the
 * order asked for, each with its replies. More answers and replies come by their cursors.
 */
export const questionPage = z.object({
  question,
  replies: repliesPage,
  answers: answersPage,
  /** The order of the answers. */
  sort: answerSort,
  /** When the viewer opened the question before; null where they never did. */
  visitedAt: time.nullable(),
});
export type QuestionPage = z.infer<typeof questionPage>;

export const createdId = z.object({ id });

/** At most so many questions' titles are asked for at once. */
export const maxQuestionTitles = limits.questionTitles;

/** What links to questions by their number need to know of them. */
export const questionTitles = z.object({ items: z.array(z.object({ id, title: z.string() })) });
export type QuestionTitles = z.infer<typeof questionTitles>;

export const followState = z.object({ following: z.boolean() });
