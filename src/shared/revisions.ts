import { z } from 'zod';
import { time } from './fields.ts';

/** One version of a post; `title` and `tags` for questions only. The newest version is the post itself. */
export const revision = z.object({
  /** 1 is the first. */
  number: z.int().positive(),
  title: z.string().nullable(),
  content: z.string(),
  tags: z.array(z.string()).nullable(),
  createdAt: time,
});
export const revisions = z.object({ items: z.array(revision) });
export type Revision = z.infer<typeof revision>;
