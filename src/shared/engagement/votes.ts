import { z } from 'zod';
import { voteDirection, votes } from '#shared/core/fields.ts';

/** The vote to set; null removes it. Setting the same vote again changes nothing. */
export const voteDraft = z.object({ vote: voteDirection.nullable() });
export const voteState = votes;
export type VoteState = z.infer<typeof voteState>;

/** Reputation that an author gains or loses by another member's vote (docs/product.md 7.4). */
export const reputationPoints = {
  question: { up: 5, down: -2 },
  answer: { up: 10, down: -2 },
  reply: { up: 2, down: -2 },
} as const;
