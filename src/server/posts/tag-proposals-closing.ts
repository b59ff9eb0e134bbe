import type { Database, Tx } from '#server/core/database.ts';
import { transaction } from '#server/core/database.ts';
import { leaveReviewQueue } from './review-items.ts';
import { closeProposalsOfKnownTags } from './tag-proposals-queries.ts';

/** Approves the open proposals of tags that someone creates who may. Their questions get the tag in the background. */
export async function closeProposalsOfNewTags(tx: Tx, keys: readonly string[]): Promise<void> {
  if (keys.length > 0 && (await closeProposalsOfKnownTags(tx, { keys })) > 0) await leaveReviewQueue(tx);
}

/** Ends proposals whose name became a tag or a synonym in another way, for example by renaming a tag. */
export async function closeOutdatedProposals(db: Database): Promise<void> {
  await transaction(db, async (tx) => {
    if ((await closeProposalsOfKnownTags(tx, { keys: null })) > 0) await leaveReviewQueue(tx);
  });
}
