import { z } from 'zod';
import { answerSort, answersPage, previousPage } from './answers.ts';
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
import { withCode } from '#shared/core/coded-error.ts';
import { closing } from './closing-reasons.ts';
import { limits } from '#shared/core/limits.ts';
import { siteHistory } from './site-history.ts';
import { repliesPage } from './replies.ts';
import { normalizeTags, findTagsProblem } from './tags.ts';

export const tagList = z
  .array(z.string().max(1000))
  .max(1000)
  .transform(normalizeTags)
  .superRefine((list, context) => {
    const problem = findTagsProblem(list);
    if (problem !== null)
      context.addIssue({ code: 'custom', message: problem.code, params: { ...problem.params } });
  })
  // Forms separate tags by commas.
  .refine((list) => list.every((tag) => !tag.includes(',')), withCode('tag-name-not-valid'));

export const questionDraft = z.object({
  title: singleLine({ max: limits.title, required: 'question-fields-required', tooLong: 'title-too-long' }),
  content: multiline({
    max: limits.details,
    required: 'question-fields-required',
    tooLong: 'details-too-long',
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
  /** The first 200 characters of the text without Markdown marks; `excerptCut`: there is more. */
  excerpt: z.string(),
  excerptCut: z.boolean(),
  tags: z.array(z.string()),
  ...author.shape,
  createdAt: time,
  upvotes: z.int().nonnegative(),
  downvotes: z.int().nonnegative(),
  ...counts.shape,
  /** Whether it has an accepted answer. */
  solved: z.boolean(),
  /** Whether it is marked as a duplicate. */
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
  /** The time of the last edit; null if it was never edited. */
  editedAt: time.nullable(),
  ...votes.shape,
  ...counts.shape,
  /** The accepted answer; null for none. */
  acceptedAnswerId: id.nullable(),
  /** The reason of the lock; null if the question is not locked. */
  lockReason: z.string().nullable(),
  /** The original question, if this one is a duplicate. */
  duplicateOf: id.nullable(),
  /** Why the site that it was imported from closed it; null for open questions and duplicates of a question here. */
  closing,
  /** The members who closed it by votes, here or on the site that it was imported from. */
  closedBy: z.array(z.object({ id, name: z.string() })),
  /** Whether the viewer follows the question. */
  following: z.boolean(),
  /** Whether the viewer bookmarked it. */
  bookmarked: z.boolean(),
  /** Whether the viewer muted it. */
  muted: z.boolean(),
  source,
  siteHistory,
});
export type Question = z.infer<typeof question>;

/**
 * The first data of /question/:id: the question, its replies ('comments'), and the first answers in the requested order
 * with their replies. More answers and replies follow by cursor.
 */
export const questionPage = z.object({
  question,
  replies: repliesPage,
  answers: answersPage.extend(previousPage),
  /** The order of the answers. */
  sort: answerSort,
  /** When the viewer last opened the question; null if never. */
  visitedAt: time.nullable(),
});
export type QuestionPageData = z.infer<typeof questionPage>;

export const createdId = z.object({ id });

/** Questions per request for titles. */
export const maxQuestionTitles = limits.questionTitles;

/** Titles of questions, for links to questions. */
export const questionTitles = z.object({ items: z.array(z.object({ id, title: z.string() })) });
export type QuestionTitles = z.infer<typeof questionTitles>;

/** The path of a post that was imported; null if there is none. */
export const importedPost = z.object({ path: z.string().nullable() });
export type ImportedPost = z.infer<typeof importedPost>;

export const followState = z.object({ following: z.boolean() });
