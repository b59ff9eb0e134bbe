import { endReviewNotifications } from '#server/notifications/index.ts';
import type { Reader, Tx } from '#server/core/database.ts';
import { publishAll } from '#server/core/events.ts';
import { maxReviewCount } from '#shared/moderation/moderation.ts';
import { countReviewItems } from './review-queue-queries.ts';

/** Returns how many posts wait for a moderator, up to `maxReviewCount`. */
export async function readReviewCounts(db: Reader): Promise<{ open: number }> {
  return { open: await countReviewItems(db, maxReviewCount) };
}

/** Whether nothing waits that moderators are notified of. */
export async function isReviewQueueEmpty(tx: Tx): Promise<boolean> {
  return (await countReviewItems(tx, 1)) === 0;
}

/** Ends the notifications of moderators once nothing waits that they were notified of. */
export async function endAlertsIfEmpty(tx: Tx): Promise<void> {
  if (await isReviewQueueEmpty(tx)) await publishAll(tx, await endReviewNotifications(tx));
}
