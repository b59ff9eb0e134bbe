import type { Reader } from '#server/platform/database.ts';
import { decodeCursor, paginate } from '#server/posts/cursor.ts';
import type { ReviewQueue, ReportedPost } from '#shared/care.ts';
import { listReportedPosts, type ReportedPostRow } from './flag-queries.ts';

/** Posts a page shows. */
const pageSize = 20;

/** Posts with open flags, most flags first. */
export async function readReviewQueue(db: Reader, cursor: string | undefined): Promise<ReviewQueue> {
  const position = decodeCursor(cursor);
  const afterCursor = position === null ? null : { flags: position.after, id: position.id };
  const rows = await listReportedPosts(db, { afterCursor, limit: pageSize + 1 });
  const { items, nextCursor } = paginate(rows, pageSize, (row) => ({ after: row.open_reports, id: row.id }));
  return { items: items.map(toReportedPost), nextCursor };
}

function toReportedPost(row: ReportedPostRow): ReportedPost {
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
    reportsCount: row.open_reports,
    firstAt: row.first_reported_at.toISOString(),
    reasons: row.reasons,
    notes: row.notes,
    locked: row.locked,
  };
}
