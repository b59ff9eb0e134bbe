import { type Database, type Reader, transaction } from '#server/core/database.ts';
import { ProblemError } from '#server/core/errors.ts';
import { publishAll } from '#server/core/events.ts';
import type { Viewer } from '#server/core/http.ts';
import { enterReviewQueue } from '#server/posts/index.ts';
import { pageById } from '#server/core/cursor.ts';
import type { RemovedPosts } from '#shared/moderation/moderation.ts';
import { listRemovedPosts } from './hidden-posts-queries.ts';
import { insertObjection, lockOwnHiddenPost } from './objections-queries.ts';

/** Removed posts per page. */
const pageSize = 20;

/** Returns the viewer's own posts that moderators removed, the latest first. */
export async function readRemovedPosts(
  db: Reader,
  { viewer, cursor }: { viewer: Viewer; cursor?: string | undefined },
): Promise<RemovedPosts> {
  const { items, nextCursor } = await pageById(cursor, pageSize, (before, limit) =>
    listRemovedPosts(db, { memberId: viewer.id, before, limit }),
  );
  return {
    items: items.map((row) => ({
      id: row.id,
      kind: row.post_kind,
      status: row.status,
      reason: row.reason,
      title: row.title ?? '',
      removedAt: row.created_at.toISOString(),
      canObject: row.can_object,
      objection: row.objection === null ? 'none' : row.objection_decided_at === null ? 'open' : 'declined',
    })),
    nextCursor,
  };
}

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
    const post = { kind: hidden.post_kind, id: hidden.post_id };
    await publishAll(tx, [
      ...(await enterReviewQueue(tx, () => insertObjection(tx, { id, post, text }), viewer.id)),
      { topic: `member:${viewer.id}`, event: { kind: 'member-changed' } },
    ]);
  });
}
