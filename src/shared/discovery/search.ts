import { answerCard } from '#shared/posts/cards.ts';
import { z } from 'zod';
import { avatar, id, nextCursor, time } from '#shared/core/fields.ts';
import { questionCard } from '#shared/posts/questions.ts';

export const searchKind = z.enum(['questions', 'answers', 'users']);
export type SearchKind = z.infer<typeof searchKind>;

export const searchSort = z.enum(['relevance', 'recent', 'popular']);
export type SearchSort = z.infer<typeof searchSort>;

/** A member in a list. */
export const memberCard = z.object({
  id,
  displayName: z.string(),
  avatar,
  isBot: z.boolean(),
  createdAt: time,
  reputation: z.int().nonnegative(),
  questionsCount: z.int().nonnegative(),
  answersCount: z.int().nonnegative(),
});
export type MemberCard = z.infer<typeof memberCard>;

/** Suggestions when a search finds nothing: similar tags and questions. */
export const suggestions = z.object({
  tags: z.array(z.string()),
  questions: z.array(z.object({ id, title: z.string() })),
});
export type Suggestions = z.infer<typeof suggestions>;

/** A text in parts, some of which are highlighted. */
export const highlightedText = z.array(z.object({ text: z.string(), highlighted: z.boolean() }));
export type HighlightedText = z.infer<typeof highlightedText>;

/** The highlights of the result with this id. */
export const searchHighlight = z.object({
  id,
  /** The title of the question, or of the answer's question. */
  title: highlightedText,
  /** A part of the text around a match, without Markdown marks; null if the text does not match. */
  text: highlightedText.nullable(),
});
export type SearchHighlight = z.infer<typeof searchHighlight>;

/** The count stops here; above it the page reads 'more than 1,000 results'. */
export const maxCountedResults = 1000;

export const searchResults = z.object({
  /** What was searched: the requested kind, or the one given by `is:question` or `is:answer`. */
  in: searchKind,
  questions: z.array(questionCard),
  answers: z.array(answerCard),
  users: z.array(memberCard),
  /** For questions and answers. */
  highlights: z.array(searchHighlight),
  /** Parts of the query that name a tag or a member that does not exist; they were searched as words. */
  unknownTerms: z.array(z.string()),
  /** The number of results, counted up to `maxCountedResults`; one more means more than that. */
  total: z.int().nonnegative(),
  /** Nothing matched as typed; these results match with typing errors forgiven. */
  corrected: z.boolean(),
  suggestions,
  nextCursor,
});
export type SearchResults = z.infer<typeof searchResults>;

/** The best few results of each kind, while typing. */
export const instantResults = z.object({
  questions: z.array(z.object({ id, title: z.string(), answerCount: z.int().nonnegative() })),
  tags: z.array(z.object({ tag: z.string(), questionsCount: z.int().nonnegative() })),
  members: z.array(z.object({ id, displayName: z.string() })),
});
export type InstantResults = z.infer<typeof instantResults>;
