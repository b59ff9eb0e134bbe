import { z } from 'zod';
import { withCode } from '#shared/core/coded-error.ts';
import { limits } from '#shared/core/limits.ts';
import { questionCard, tagList } from '#shared/posts/questions.ts';
import { countCodePoints, hasForbiddenCharacters } from '#shared/core/text.ts';

/** The text of a question that is being typed. Unlike in a posted question, every part is optional. */
const typed = (max: number) =>
  z
    .string()
    .refine((text) => countCodePoints(text) <= max, withCode('text-too-long', { max }))
    .refine((text) => !hasForbiddenCharacters(text), withCode('characters-not-searchable'))
    .default('');

export const partialQuestion = z.object({
  title: typed(limits.title),
  content: typed(limits.details),
  tags: tagList.default([]),
});
export type PartialQuestion = z.infer<typeof partialQuestion>;

/** A tag that fits the text, and its number of questions. */
const tagSuggestion = z.object({ name: z.string(), questionsCount: z.int().nonnegative() });
export type TagSuggestion = z.infer<typeof tagSuggestion>;

export const similarResults = z.object({
  /** Most similar first. */
  questions: z.array(questionCard),
  /** Best first, without tags already typed. */
  tags: z.array(tagSuggestion),
});
export type SimilarResults = z.infer<typeof similarResults>;

export const relatedQuestionCards = z.object({
  items: z.array(questionCard),
  /** The tags of the question that have a description of their own, in its order. */
  tags: z.array(z.object({ name: z.string(), description: z.string() })),
});
export type RelatedQuestionCards = z.infer<typeof relatedQuestionCards>;

/** The number of members other than the viewer who would see a question with these tags in their following feed. */
export const audience = z.object({
  members: z.int().nonnegative(),
  /** In the order of the request. */
  tags: z.array(
    z.object({
      name: z.string(),
      followers: z.int().nonnegative(),
      /** The tag that the question gets, if `name` is a synonym of it. */
      synonymOf: z.string().nullable(),
      /** Whether there is no such tag yet. */
      isNew: z.boolean(),
    }),
  ),
});
export type Audience = z.infer<typeof audience>;
