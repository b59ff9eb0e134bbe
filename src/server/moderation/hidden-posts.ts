import {
  addRestoredAnswers,
  addRestoredQuestion,
  addToStatistics,
  buildAcceptanceEvents,
  buildDuplicateEvents,
  buildProfileEvents,
  buildQuestionActivityEvent,
  buildQuestionCountsEvent,
  addPoints,
  listQuestionTagNames,
  lockAnswerThread,
  lockQuestionIfExists,
  lockQuestionThread,
  lockReplyThread,
  removeAnswer,
  removeQuestion,
  removeReply,
  requireQuestion,
  setQuestionTags,
  touchTags,
  writeSortKeys,
} from '#server/posts/index.ts';
import type { Reader, Tx } from '#server/core/database.ts';
import { ProblemError } from '#server/core/errors.ts';
import { publishAll, type TopicEvent } from '#server/core/events.ts';
import type { HiddenPost } from '#shared/moderation/moderation.ts';
import type { PostRef } from '#shared/core/fields.ts';
import { listSnapshotIds, listSnapshotTags, restoreRows, snapshotRows } from './hidden-posts-snapshot.ts';
import {
  answerExists,
  deleteHiddenPost,
  findQuestionCounts,
  findVisiblePost,
  type HiddenPostRow,
  type HiddenPostState,
  insertHiddenPost,
  isReimported,
  listAuthors,
  listHiddenPosts,
  listUnreadRecipients,
  lockHiddenPost,
  recountPosts,
  restoreAcceptedAnswer,
  restoreDuplicates,
  sumPointsByAuthor,
  type VisiblePost,
} from './hidden-posts-queries.ts';
import type { Viewer } from '#server/core/http.ts';

export type HidePostRequest = {
  post: PostRef;
  status: HiddenPostState;
  reason: string;
  /** The removal of all activity that it belongs to; null for a separate action. */
  activityRemovalId: number | null;
};

/**
 * Hides a post with everything below it: deletes the rows from their tables and stores them in `hidden_row`
 * (docs/decisions/032). Lists, counts and search need no condition for hidden posts. Returns the post as it was,
 * undefined if it does not exist.
 */
export async function hidePost(tx: Tx, wanted: HidePostRequest): Promise<VisiblePost | undefined> {
  const { post, status, reason, activityRemovalId } = wanted;
  const found = await findVisiblePost(tx, post);
  if (found === undefined) return undefined;
  // The lock makes votes, follows, views and answers wait until the rows are stored.
  const question = await lockQuestionThread(tx, found.question_id);
  const visible = await findVisiblePost(tx, post);
  if (visible === undefined) return undefined;
  const hiddenPostId = await insertHiddenPost(tx, { post, visible, status, reason, activityRemovalId });
  await snapshotRows(tx, { hiddenPostId, post });
  if (post.kind === 'question') await removeQuestion(tx, question);
  if (post.kind === 'answer') await removeAnswer(tx, await lockAnswerThread(tx, post.id));
  if (post.kind === 'reply') await removeReply(tx, await lockReplyThread(tx, post.id));
  return visible;
}

/**
 * Restores a hidden post with its votes, answers, replies and notifications, except those of members who no longer
 * exist. Updates all counts.
 * @throws ProblemError 'already-handled' if it is already restored, 'not-found' if the question or answer it belongs to
 * does not exist.
 */
export async function restorePost(tx: Tx, row: HiddenPostRow): Promise<void> {
  const { post_kind: kind, post_id: id, question_id: questionId } = row;
  if (await isReimported(tx, row.id)) throw new ProblemError('post-imported-again');
  if (!(await canRestorePost(tx, row))) throw new ProblemError('restore-parent-first');
  if (!(await lockHiddenPost(tx, row.id))) throw new ProblemError('restored-already');
  await restoreRows(tx, row.id, kind);
  const ids = {
    questionIds: kind === 'question' ? [id] : [],
    answerIds: kind === 'reply' ? [] : await listSnapshotIds(tx, row.id, 'answer'),
    replyIds: await listSnapshotIds(tx, row.id, 'reply'),
  };
  await recountPosts(tx, ids);
  await writeSortKeys(tx, ids);
  await addPoints(tx, await sumPointsByAuthor(tx, ids));
  const answers = await listAuthors(tx, 'answer', ids.answerIds);
  const replies = await listAuthors(tx, 'reply', ids.replyIds);
  const events =
    kind === 'question'
      ? await restoreQuestion(tx, row, answers)
      : kind === 'answer'
        ? await restoreAnswer(tx, row, answers)
        : createReplyRestoredEvents(row);
  await addToStatistics(tx, ids);
  const recipientIds = await listUnreadRecipients(tx, await listSnapshotIds(tx, row.id, 'notification'));
  await deleteHiddenPost(tx, row.id);
  const authors = [row.author_id, ...[...answers, ...replies].map((each) => each.author_id)];
  await publishAll(tx, [
    { topic: `question:${questionId}`, event: { kind: 'edited' } },
    ...events,
    ...buildProfileEvents(authors),
    ...recipientIds.map((each): TopicEvent => ({
      topic: `member:${each}`,
      event: { kind: 'notifications-changed' },
    })),
  ]);
}

/**
 * Whether the post can be restored: it was not imported a second time, and its question and answer exist. Locks the
 * question, which every change of a thread locks first.
 */
export async function canRestorePost(tx: Tx, row: HiddenPostRow): Promise<boolean> {
  const { question_id: questionId, post_kind: kind, answer_id: answerId } = row;
  if (await isReimported(tx, row.id)) return false;
  if (kind === 'question') return true;
  if (!(await lockQuestionIfExists(tx, questionId))) return false;
  return kind === 'answer' || answerId === null || answerExists(tx, answerId);
}

type RestoredPost = { author_id: number | null; created_at: Date };

async function restoreQuestion(
  tx: Tx,
  row: HiddenPostRow,
  answers: readonly RestoredPost[],
): Promise<TopicEvent[]> {
  const { question_id: questionId, author_id: authorId } = row;
  if (authorId !== null) await addRestoredQuestion(tx, authorId);
  const counts = await addRestoredAnswers(tx, {
    questionId,
    authorIds: answers.map((each) => each.author_id),
  });
  const { tags, events: tagEvents } = await setQuestionTags(tx, {
    questionId,
    tags: await listSnapshotTags(tx, row.id),
  });
  const repeated = await restoreDuplicates(tx, {
    questionId,
    ids: await listSnapshotIds(tx, row.id, 'repeated_by'),
  });
  return [
    { topic: 'feeds', event: { kind: 'question-posted', questionId, authorId: authorId ?? 0, tags } },
    { topic: 'answers', event: { kind: 'imported' } },
    buildQuestionCountsEvent('vote', questionId, counts),
    buildQuestionActivityEvent(questionId, tags),
    ...tagEvents,
    ...repeated.flatMap((each) => buildDuplicateEvents(each, questionId)),
  ];
}

async function restoreAnswer(
  tx: Tx,
  row: HiddenPostRow,
  answers: readonly RestoredPost[],
): Promise<TopicEvent[]> {
  const { question_id: questionId, post_id: answerId, author_id: authorId } = row;
  const counts = await addRestoredAnswers(tx, {
    questionId,
    authorIds: answers.map((each) => each.author_id),
  });
  for (const { created_at: at } of answers) await touchTags(tx, { questionIds: [questionId], at });
  const wasAccepted = (await listSnapshotIds(tx, row.id, 'accepted_by')).includes(questionId);
  const accepted = wasAccepted && (await restoreAcceptedAnswer(tx, { questionId, answerId }));
  const posted = { kind: 'answer-posted', answerId, authorId: authorId ?? 0 } as const;
  return [
    { topic: `question:${questionId}`, event: posted },
    { topic: 'answers', event: posted },
    buildQuestionCountsEvent('answer', questionId, (await findQuestionCounts(tx, questionId)) ?? counts),
    buildQuestionActivityEvent(questionId, await listQuestionTagNames(tx, questionId)),
    ...(accepted ? buildAcceptanceEvents(questionId, answerId) : []),
  ];
}

/** Browsers read the reply again, whether or not they show its placeholder. */
function createReplyRestoredEvents({
  question_id: questionId,
  post_id: replyId,
}: HiddenPostRow): TopicEvent[] {
  return [{ topic: `question:${questionId}`, event: { kind: 'reply-edited', replyId } }];
}

/** Posts in one response at most. */
const maxPosts = 50;

/**
 * Returns the hidden posts of a question, the question included: the viewer's own, or all for moderators.
 * @throws ProblemError 'not-found' if the question does not exist and the viewer may see no hidden post of it.
 */
export async function readHiddenPosts(
  db: Reader,
  { questionId, viewer }: { questionId: number; viewer: Viewer },
): Promise<HiddenPost[]> {
  const authorId = viewer.memberStatus.role === 'moderator' ? null : viewer.id;
  const rows = await listHiddenPosts(db, { questionId, authorId, limit: maxPosts });
  // The same response as for a question that never existed.
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
