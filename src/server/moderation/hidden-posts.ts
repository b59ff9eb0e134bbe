import {
  type AffectedPost,
  buildAcceptanceEvents,
  buildDuplicateEvents,
  deleteHiddenPost,
  lockHiddenPost,
  lockQuestionIfExists,
  removePost,
  requireQuestion,
  showPost,
} from '#server/posts/index.ts';
import { decodeCursor, paginate } from '#server/core/cursor.ts';
import type { Reader, Tx } from '#server/core/database.ts';
import { ProblemError } from '#server/core/errors.ts';
import { publishAll } from '#server/core/events.ts';
import { listRemovalsInEffect } from './activity-removal-queries.ts';
import { listHeldPosts } from './held-posts-queries.ts';
import { canModerate } from '#shared/identity/roles.ts';
import type { HiddenPost, HiddenPosts } from '#shared/moderation/moderation.ts';
import type { PostRef } from '#shared/core/fields.ts';
import {
  answerExists,
  findOriginal,
  findVisiblePost,
  type HiddenPostRow,
  type HiddenPostState,
  insertHiddenPost,
  listHiddenPosts,
  restoreAcceptedAnswer,
  restoreDuplicates,
  type VisiblePost,
} from './hidden-posts-queries.ts';
import { moveDuplicates } from './post-actions-queries.ts';
import type { Viewer } from '#server/core/http.ts';

export type HidePostRequest = {
  post: PostRef;
  status: HiddenPostState;
  reason: string;
  /** The removal of all activity that it belongs to; null for a separate action. */
  activityRemovalId: number | null;
};

/**
 * Hides a post with everything below it. The rows stay in their tables (docs/decisions/046). Returns the post as it
 * was, undefined if it does not exist.
 */
export async function hidePost(
  tx: Tx,
  wanted: HidePostRequest,
): Promise<(VisiblePost & { hidden_post_id: number }) | undefined> {
  const { post } = wanted;
  const found = await findVisiblePost(tx, post);
  if (found === undefined) return undefined;
  // The lock makes votes, follows, views and answers wait. They then find no post.
  const question = await lockQuestionIfExists(tx, found.question_id);
  const visible = await findVisiblePost(tx, post);
  if (question === undefined || visible === undefined) return undefined;
  const hiddenBy = await insertHiddenPost(tx, { ...wanted, visible });
  await removePost(tx, { post, question, hiddenBy });
  return { ...visible, hidden_post_id: hiddenBy };
}

/**
 * Restores a hidden post with everything that was hidden with it, and all counts.
 * @throws ProblemError 'already-handled' if it is already restored, 'not-found' if the question or answer it belongs to
 * does not exist.
 */
export async function restorePost(tx: Tx, row: HiddenPostRow): Promise<void> {
  const { id: hiddenBy, post_kind: kind, post_id: id, question_id: questionId } = row;
  if (!(await canRestorePost(tx, row))) throw new ProblemError('restore-parent-first');
  if ((await lockHiddenPost(tx, hiddenBy)) === undefined) throw new ProblemError('restored-already');
  const shown = await showPost(tx, { post: { kind, id }, questionId, hiddenBy });
  const isAccepted = row.was_accepted && (await restoreAcceptedAnswer(tx, { questionId, answerId: id }));
  const duplicateEvents = kind === 'question' ? await restoreDuplicateMarks(tx, row) : [];
  await deleteHiddenPost(tx, hiddenBy);
  await publishAll(tx, [...(isAccepted ? buildAcceptanceEvents(questionId, id) : []), ...duplicateEvents]);
  const below = shown.filter((post) => post.kind !== kind || post.id !== id);
  await hidePostsOfRemovedAccounts(tx, below);
}

/**
 * Marks questions again that were marked as duplicates of a question when it was hidden. The original of a duplicate is
 * never a duplicate itself: if the question is one now, they get its original, and so do the duplicates that they got
 * meanwhile.
 */
async function restoreDuplicateMarks(tx: Tx, { post_id: id, duplicates }: HiddenPostRow) {
  const original = await findOriginal(tx, id);
  const marked = await restoreDuplicates(tx, { ids: duplicates, original });
  const moved = await moveDuplicates(tx, { ids: marked, duplicateOf: original });
  return [...marked, ...moved].flatMap((each) => buildDuplicateEvents(each, original));
}

/**
 * Hides posts again whose author's activity is removed. A removal leaves out posts that are hidden with their question or
 * answer.
 */
async function hidePostsOfRemovedAccounts(tx: Tx, posts: readonly AffectedPost[]): Promise<void> {
  const authorIds = new Set(posts.flatMap((post) => post.author_id ?? []));
  const removals = await listRemovalsInEffect(tx, [...authorIds]);
  for (const post of posts) {
    const removal = removals.find((each) => each.member_id === post.author_id);
    if (removal === undefined || post.created_at > removal.created_at) continue;
    const { id: activityRemovalId, reason } = removal;
    await hidePost(tx, { post, status: 'hidden', reason, activityRemovalId });
  }
}

/**
 * Whether the post can be restored: its question and answer are visible. Locks the question, which every change of a
 * thread locks first.
 */
export async function canRestorePost(tx: Tx, row: HiddenPostRow): Promise<boolean> {
  const { question_id: questionId, post_kind: kind, answer_id: answerId } = row;
  if (kind === 'question') return true;
  if ((await lockQuestionIfExists(tx, questionId)) === undefined) return false;
  return kind === 'answer' || answerId === null || answerExists(tx, answerId);
}

/** Posts per page. */
const pageSize = 50;

/**
 * Returns a page of the hidden and held posts of a question, the question included, the latest first: the viewer's own,
 * or all for moderators.
 * @throws ProblemError 'not-found' if the question does not exist and the viewer may see no hidden post of it.
 */
export async function readHiddenPosts(
  db: Reader,
  { questionId, viewer, cursor }: { questionId: number; viewer: Viewer; cursor: string | undefined },
): Promise<HiddenPosts> {
  const authorId = canModerate(viewer.memberStatus.role) ? null : viewer.id;
  const wanted = { questionId, authorId, position: decodeCursor(cursor), limit: pageSize + 1 };
  const hidden = await listHiddenPosts(db, wanted);
  const held = await listHeldPosts(db, wanted);
  // The same response as for a question that never existed. A later page can be empty after restorations.
  if (cursor === undefined && hidden.length === 0 && held.length === 0) await requireQuestion(db, questionId);
  // Held posts have ids of their own, which are negative in the order of both.
  const rows = [
    ...hidden.map((row) => ({ at: row.created_at.getTime(), id: row.id, post: toHiddenPost(row, viewer) })),
    ...held.map((row) => ({ at: row.created_at.getTime(), id: -row.id, post: toHeldPost(row) })),
  ].toSorted((a, b) => b.at - a.at || b.id - a.id);
  const { items, nextCursor } = paginate(rows, pageSize, ({ at, id }) => ({ after: at, id }));
  return { items: items.map(({ post }) => post), nextCursor };
}

const toHiddenPost = (
  row: Awaited<ReturnType<typeof listHiddenPosts>>[number],
  viewer: Viewer,
): HiddenPost => ({
  id: row.id,
  kind: row.post_kind,
  postId: row.post_id,
  status: row.status,
  reason: row.reason,
  title: row.title ?? '',
  content: row.content,
  authorId: row.author_id,
  authorName: row.author_name ?? '',
  hiddenAt: row.created_at.toISOString(),
  canObject: row.can_object && row.author_id === viewer.id,
});

const toHeldPost = (row: Awaited<ReturnType<typeof listHeldPosts>>[number]): HiddenPost => ({
  id: row.id,
  kind: row.post_kind,
  postId: row.post_id,
  status: row.rejection_reason === null ? 'held' : 'rejected',
  reason: row.rejection_reason ?? '',
  title: row.title ?? '',
  content: row.content,
  authorId: row.member_id,
  authorName: row.author_name ?? '',
  hiddenAt: row.created_at.toISOString(),
  canObject: false,
});
