import { z } from 'zod';

/** What becomes of what a member wrote when they leave: it stays under another name, or it is deleted. */
export const postsAfterDeletion = z.enum(['stay', 'go']);
export type PostsAfterDeletion = z.infer<typeof postsAfterDeletion>;

export const accountDeletion = z.object({ password: z.string().max(1000), posts: postsAfterDeletion });
export type AccountDeletion = z.infer<typeof accountDeletion>;
