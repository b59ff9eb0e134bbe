import { answerCard } from '#shared/posts/cards.ts';
import { z } from 'zod';
import { id, nextCursor, time } from '#shared/core/fields.ts';
import { questionCard } from '#shared/posts/questions.ts';

export const searchKind = z.enum(['questions', 'answers', 'users']);
export type SearchKind = z.infer<typeof searchKind>;

export const searchSort = z.enum(['relevance', 'recent', 'popular']);
export type SearchSort = z.infer<typeof searchSort>;

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

/** A text in pieces, of which some are what was searched for. */
export const highlightedText = z.array(z.object({ text: z.string(), highlighted: z.boolean() }));
export type HighlightedText = z.infer<typeof highlightedText>;

/** Where one of the results, of that id, has what was searched for. */
export const searchHighlight = z.object({
  id,
  /** The question's title; an answer's is that of its question. */
  title: highlightedText,
  /** A piece of the text around what was searched for, without its Markdown marks; null where the text has nothing of it. */
  text: highlightedText.nullable(),
});
export type SearchHighlight = z.infer<typeof searchHighlight>;

/** Counting stops here: more than that reads 'more than 1,000 results'. */
export const maxCountedResults = 1000;

export const searchResults = z.object({
  /** What was searched in: as asked for, or as the query itself says with `is:question` or `is:answer`. */
  in: searchKind,
  questions: z.array(questionCard),
  answers: z.array(answerCard),
  users: z.array(memberCard),
  /** For questions and answers. */
  highlights: z.array(searchHighlight),
  /** The parts of the query that name a tag or a member there is not; they were searched for as words. */
  unknownTerms: z.array(z.string()),
  /** Results in all, counted up to `countedResults`; one more than that stands for 'more'. */
  total: z.int().nonnegative(),
  /** Nothing matched as typed; these are close to it. */
  corrected: z.boolean(),
  suggestions,
  nextCursor,
});
export type SearchResults = z.infer<typeof searchResults>;

/** What is found while one types: the best few of each kind. */
export const instantResults = z.object({
  questions: z.array(z.object({ id, title: z.string(), answerCount: z.int().nonnegative() })),
  tags: z.array(z.object({ tag: z.string(), questionsCount: z.int().nonnegative() })),
  members: z.array(z.object({ id, displayName: z.string() })),
});
export type InstantResults = z.infer<typeof instantResults>;
