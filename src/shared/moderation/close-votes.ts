import { z } from 'zod';
import { id } from '#shared/core/fields.ts';

/** A vote to close a question as a duplicate of another, or to reopen it; null withdraws the vote. */
export const closeVoteDraft = z.object({
  vote: z.enum(['close', 'reopen']).nullable(),
  /** The original question, for 'close'. */
  duplicateOf: id.nullable().default(null),
});
export type CloseVoteDraft = z.infer<typeof closeVoteDraft>;

/** The votes on a question that count. */
export const closeVotes = z.object({
  /** Whether the viewer may vote. */
  canVote: z.boolean(),
  /** Whether one vote of the viewer is enough. */
  isDecisive: z.boolean(),
  /** How many votes close or reopen a question. */
  needed: z.int().positive(),
  /** After how many days a vote expires. */
  days: z.int().positive(),
  /** The original question, if the question is closed as its duplicate. */
  duplicateOf: id.nullable(),
  /** The proposed original questions, most votes first. */
  originals: z.array(z.object({ id, title: z.string(), votes: z.int().positive() })),
  reopenVotes: z.int().nonnegative(),
  /** The viewer's own vote. */
  myVote: z.enum(['close', 'reopen']).nullable(),
  /** The original question of the viewer's own vote. */
  myDuplicateOf: id.nullable(),
});
export type CloseVotes = z.infer<typeof closeVotes>;
