import { type Database, transaction } from '#server/core/database.ts';
import { ProblemError } from '#server/core/errors.ts';
import { publishAll } from '#server/core/events.ts';
import type { Viewer } from '#server/core/http.ts';
import { notifyModerators } from '#server/notifications/index.ts';
import { isReviewQueueEmpty } from '#server/posts/index.ts';
import { insertObjection, lockOwnHiddenPost } from './objections-queries.ts';

/**
 * Objects to the removal of the viewer's own post, once. The objection waits in the review queue (docs/product.md
 * 14.11).
 * @param id of the removal, `hidden_post`
 * @throws ProblemError 'not-found' for posts of others, 'already-handled' for a second objection
 */
export async function objectToRemoval(
  db: Database,
  { id, viewer, text }: { id: number; viewer: Viewer; text: string },
): Promise<void> {
  await transaction(db, async (tx) => {
    const hidden = await lockOwnHiddenPost(tx, { id, memberId: viewer.id });
    if (hidden === undefined) throw new ProblemError('post-not-found');
    if (!hidden.can_object) throw new ProblemError('objection-not-possible');
    const isFirst = await isReviewQueueEmpty(tx);
    await insertObjection(tx, { id, post: { kind: hidden.post_kind, id: hidden.post_id }, text });
    await publishAll(tx, [
      ...(await notifyModerators(tx, { isFirst, except: viewer.id })),
      { topic: 'moderation', event: { kind: 'moderation-changed' } },
      { topic: `member:${viewer.id}`, event: { kind: 'member-status-changed' } },
    ]);
  });
}
