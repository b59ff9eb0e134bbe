import { z } from 'zod';

/** The tabs of the home feed (docs/product.md 10.1): newest, most upvotes, newest without an answer. */
export const feed = z.enum(['recent', 'popular', 'unanswered']);
export type Feed = z.infer<typeof feed>;
