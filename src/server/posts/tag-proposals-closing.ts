import type { Database, Tx } from '#server/core/database.ts';
import { transaction } from '#server/core/database.ts';
import { publish, publishAll } from '#server/core/events.ts';
import { endReviewNotifications } from '#server/notifications/index.ts';
import { isReviewQueueEmpty } from './review-items-queries.ts';
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

/** Ends the notifications of moderators if nothing else waits. Open pages read the queue again. */
export async function leaveReviewQueue(tx: Tx): Promise<void> {
  if (await isReviewQueueEmpty(tx)) await publishAll(tx, await endReviewNotifications(tx));
  await publish(tx, 'moderation', { kind: 'moderation-changed' });
}
