import { z } from 'zod';
import { id } from '#shared/core/fields.ts';

/** What a member follows. */
export const follows = z.object({
  /** The names of the tags. */
  tags: z.array(z.string()),
  questions: z.array(id),
  /** False if there are more than listed. */
  complete: z.boolean(),
});
export type Follows = z.infer<typeof follows>;
