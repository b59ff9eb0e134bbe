import { z } from 'zod';
import { limits } from '#shared/core/limits.ts';
import { questionCard, tagList } from '#shared/posts/questions.ts';
import { countCodePoints, hasForbiddenCharacters } from '#shared/core/text.ts';

/** What somebody is typing; unlike a question that is posted, nothing of it has to be there. */
const typed = (max: number) =>
  z
    .string()
    .refine((text) => countCodePoints(text) <= max, 'The text is too long')
    .refine((text) => !hasForbiddenCharacters(text), 'The text contains characters that cannot be searched')
    .default('');

export const partialQuestion = z.object({
  title: typed(limits.title),
  content: typed(limits.details),
  tags: tagList.default([]),
});
export type PartialQuestion = z.infer<typeof partialQuestion>;

/** A tag that fits what is typed, and how many questions carry it. */
const tagSuggestion = z.object({ name: z.string(), questionsCount: z.int().nonnegative() });
export type TagSuggestion = z.infer<typeof tagSuggestion>;

export const similarResults = z.object({
  /** Most similar first. */
  questions: z.array(questionCard),
  /** None that is typed already; the best first. */
  tags: z.array(tagSuggestion),
});
export type SimilarResults = z.infer<typeof similarResults>;

export const relatedQuestionCards = z.object({ items: z.array(questionCard) });
export type RelatedQuestionCards = z.infer<typeof relatedQuestionCards>;

/** Who would see a question with these tags in their following feed; the viewer is not counted. */
export const audience = z.object({
  members: z.int().nonnegative(),
  /** In the order asked for. */
  tags: z.array(z.object({ name: z.string(), followers: z.int().nonnegative() })),
});
export type Audience = z.infer<typeof audience>;
