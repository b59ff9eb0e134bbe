import { z } from 'zod';

/** What becomes of what a member wrote when they leave: it stays under another name, or it is deleted. */
export const departedPosts = z.enum(['stay', 'go']);
export type DepartedPosts = z.infer<typeof departedPosts>;

export const departure = z.object({ password: z.string().max(1000), posts: departedPosts });
export type Departure = z.infer<typeof departure>;
