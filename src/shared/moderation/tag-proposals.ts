import { z } from 'zod';
import { id, time } from '#shared/core/fields.ts';

/** Questions of a proposal that the review queue shows at most. */
export const maxShownProposals = 5;

/** A proposed tag in the review queue. Several members can propose the same name. */
export const tagProposal = z.object({
  id,
  name: z.string(),
  /** The questions that it was proposed for, the oldest first, at most `maxShownProposals`. */
  questions: z.array(
    z.object({
      id,
      title: z.string(),
      memberId: id,
      memberName: z.string(),
      /** Why the member needs the tag; empty if the member did not say. */
      reason: z.string(),
      createdAt: time,
    }),
  ),
  questionsCount: z.int().nonnegative(),
  /** Existing tags with a similar name, the most similar first. */
  similar: z.array(z.object({ name: z.string(), questionsCount: z.int().nonnegative() })),
});
export type TagProposal = z.infer<typeof tagProposal>;
