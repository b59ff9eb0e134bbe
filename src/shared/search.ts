import { z } from 'zod';
import { author, id, nextCursor, source, time } from './fields.ts';
import { questionCard } from './questions.ts';

export const searchKind = z.enum(['questions', 'answers', 'users']);
export type SearchKind = z.infer<typeof searchKind>;

export const searchSort = z.enum(['relevance', 'recent', 'popular']);
export type SearchSort = z.infer<typeof searchSort>;

/** An answer in a list, with the question it belongs to. */
export const answerCard = z.object({
  id,
  questionId: id,
  questionTitle: z.string(),
  excerpt: z.string(),
  excerptCut: z.boolean(),
  ...author.shape,
  createdAt: time,
  upvotes: z.int().nonnegative(),
  downvotes: z.int().nonnegative(),
  source,
});
export type AnswerCard = z.infer<typeof answerCard>;

/** A member in a list. */
export const memberCard = z.object({
  id,
  displayName: z.string(),
  createdAt: time,
  reputation: z.int().nonnegative(),
  questionsCount: z.int().nonnegative(),
  answersCount: z.int().nonnegative(),
});
export type MemberCard = z.infer<typeof memberCard>;

/** What to try when nothing was found: tags and questions close to the query. */
export const suggestions = z.object({
  tags: z.array(z.string()),
  questions: z.array(z.object({ id, title: z.string() })),
});
export type Suggestions = z.infer<typeof suggestions>;

/** Counting stops here: more than that reads 'more than 1,000 results'. */
export const countedResults = 1000;

export const searchResults = z.object({
  questions: z.array(questionCard),
  answers: z.array(answerCard),
  users: z.array(memberCard),
  /** Results in all, counted up to `countedResults`; one more than that stands for 'more'. */
  total: z.int().nonnegative(),
  /** Nothing matched as typed; these are close to it. */
  corrected: z.boolean(),
  suggestions,
  nextCursor,
});
export type SearchResults = z.infer<typeof searchResults>;
