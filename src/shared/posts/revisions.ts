import { z } from 'zod';
import { id, time } from '#shared/core/fields.ts';

/** A version of a post in its history. The newest version is the post itself. */
export const revisionEntry = z.object({
  /** 1 is the first. */
  number: z.int().positive(),
  createdAt: time,
  /** The previous version that is still stored; null for the oldest. */
  previous: z.int().positive().nullable(),
  /** Who wrote it, if it was not the author, or if an imported version has a summary; null otherwise. */
  editor: z
    .object({
      /** Null for an editor of an imported version without an account. */
      id: id.nullable(),
      name: z.string(),
      /** What the edit improves; empty if an imported version has none. */
      summary: z.string(),
      /** Who approved it, null if it needed no approval, and whether with changes. */
      approvedBy: z.string().nullable(),
      changedOnApproval: z.boolean(),
    })
    .nullable(),
});
export const revisionsPage = z.object({ items: z.array(revisionEntry), nextCursor: z.string().nullable() });
export type RevisionEntry = z.infer<typeof revisionEntry>;
export type RevisionsPage = z.infer<typeof revisionsPage>;

/** One version of a post with its text; `title` and `tags` for questions only. */
export const revision = z.object({
  number: z.int().positive(),
  title: z.string().nullable(),
  content: z.string(),
  tags: z.array(z.string()).nullable(),
  createdAt: time,
});
export type Revision = z.infer<typeof revision>;
