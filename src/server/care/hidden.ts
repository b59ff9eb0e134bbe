import type { Reader } from '#server/platform/database.ts';
import type { Viewer } from '#server/platform/http.ts';
import type { HiddenPost } from '#shared/care.ts';
import { requireQuestion } from '#server/questions/questions.ts';
import { listHiddenPosts } from './put-away-queries.ts';

/** Posts shown at most. */
const maxPosts = 50;

/**
 * The posts of a question, itself among them, that others do not see: the viewer's own; for operators everybody's.
 * @throws ProblemError 'not-found' where there is neither the question nor any of these
 */
export async function readHiddenPosts(
  db: Reader,
  { questionId, viewer }: { questionId: number; viewer: Viewer },
): Promise<HiddenPost[]> {
  const authorId = viewer.memberStatus.role === 'operator' ? null : viewer.id;
  const rows = await listHiddenPosts(db, { questionId, authorId, limit: maxPosts });
  // Who sees nothing of it learns nothing of it either.
  if (rows.length === 0) await requireQuestion(db, questionId);
  return rows.map((row) => ({
    id: row.id,
    kind: row.post_kind,
    postId: row.post_id,
    status: row.status,
    reason: row.reason,
    title: row.title,
    content: row.content,
    authorId: row.author_id,
    authorName: row.author_name ?? '',
    hiddenAt: row.created_at.toISOString(),
  }));
}
