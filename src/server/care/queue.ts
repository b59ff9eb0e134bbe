import type { Reader } from '#server/platform/database.ts';
import { decodeCursor, page } from '#server/posts/cursor.ts';
import type { CareQueue, FlaggedPost } from '#shared/care.ts';
import { flaggedPosts, type FlaggedRow } from './flag-queries.ts';

/** Posts a page shows. */
const pageSize = 20;

/** Posts with open flags, most flags first. */
export async function readQueue(db: Reader, cursor: string | undefined): Promise<CareQueue> {
  const position = decodeCursor(cursor);
  const behind = position === null ? null : { flags: position.after, id: position.id };
  const rows = await flaggedPosts(db, { behind, limit: pageSize + 1 });
  const { items, nextCursor } = page(rows, pageSize, (row) => ({ after: row.open_reports, id: row.id }));
  return { items: items.map(toFlagged), nextCursor };
}

function toFlagged(row: FlaggedRow): FlaggedPost {
  return {
    id: row.id,
    kind: row.post_kind,
    postId: row.post_id,
    questionId: row.question_id,
    title: row.title,
    content: row.content,
    authorId: row.author_id,
    authorName: row.author_name,
    createdAt: row.created_at.toISOString(),
    flags: row.open_reports,
    firstAt: row.first_reported_at.toISOString(),
    reasons: row.reasons,
    notes: row.notes,
    locked: row.locked,
  };
}
