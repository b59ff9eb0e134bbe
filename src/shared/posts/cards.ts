import { z } from 'zod';
import { author, id, source, time } from '#shared/core/fields.ts';

/** An answer in a list, with its question. */
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
  /** Whether it is the accepted answer. */
  accepted: z.boolean(),
  source,
});

export type AnswerCard = z.infer<typeof answerCard>;
