import { z } from 'zod';
import { id } from '#shared/core/fields.ts';
import { reauthentication } from '#shared/identity/two-factor.ts';

const count = z.int().nonnegative();

/** The account that another one is to be merged into. */
export const mergeQuery = z.object({ into: z.coerce.number().int().positive() });

const account = z.object({ id, displayName: z.string() });

/** What merging an account moves and drops. */
export const mergePreview = z.object({
  from: account,
  into: account,
  /** With those that are hidden. */
  questions: count,
  answers: count,
  replies: count,
  votes: count,
  /** Votes on posts that the other account voted on as well; they are removed. */
  doubleVotes: count,
  /** Votes of one account on posts of the other. They earn no reputation any more. */
  ownVotes: count,
  follows: count,
  bookmarks: count,
  drafts: count,
  uploads: count,
  warnings: count,
  sessions: count,
  signInMethods: count,
});
export type MergePreview = z.infer<typeof mergePreview>;

export const mergeDraft = z.object({
  into: id,
  /** The name of the merged account, as a confirmation. */
  name: z.string().max(200),
  /** The password of the admin, as for changes of sign-in methods. */
  ...reauthentication.shape,
});
