import { z } from 'zod';
import { id } from '#shared/core/fields.ts';

/**
 * A new post that others see once a moderator has approved it. `id` is reserved for it: the post, the question's page and
 * the review queue use it.
 */
export const heldPostId = z.object({ id, held: z.literal(true) });
export type HeldPostId = z.infer<typeof heldPostId>;
