import { z } from 'zod';
import { id } from '#shared/core/fields.ts';

/** What a member follows. */
export const follows = z.object({
  /** The names of the topics. */
  tags: z.array(z.string()),
  questions: z.array(id),
  /** False where there is more than told. */
  complete: z.boolean(),
});
export type Follows = z.infer<typeof follows>;
