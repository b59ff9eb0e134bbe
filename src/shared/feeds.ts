import { z } from 'zod';

/** The tabs of the home feed (SPEC section 2): newest, most upvotes, newest without an answer. */
export const feed = z.enum(['recent', 'popular', 'unanswered']);
export type Feed = z.infer<typeof feed>;
