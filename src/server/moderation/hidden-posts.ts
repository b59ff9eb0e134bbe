import { grantPoints } from '#server/posts/reputation.ts';
import { addRestoredAnswers, lockAnswerThread, removeAnswer } from '#server/posts/answers.ts';
import type { Reader, Tx } from '#server/core/database.ts';
import { ProblemError } from '#server/core/errors.ts';
import { publishAll, type TopicEvent } from '#server/core/events.ts';
import {
  buildAcceptanceEvents,
  buildDuplicateEvents,
  buildProfileEvents,
  buildQuestionActivityEvent,
  buildQuestionCountsEvent,
} from '#server/posts/posts-events.ts';
import { removeQuestion } from '#server/posts/questions-deletion.ts';
import {
  addRestoredQuestion,
  lockQuestionIfExists,
  lockQuestionThread,
  requireQuestion,
} from '#server/posts/questions.ts';
import { lockReplyThread, removeReply } from '#server/posts/replies.ts';
import { listQuestionTagNames, setQuestionTags, touchTags } from '#server/posts/tags.ts';
import type { HiddenPost, PostRef } from '#shared/moderation/moderation.ts';
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
  how: HiddenPostState;
  reason: string;
  /** The undoing it belongs to; null where it stands for itself. */
  activityRemovalId: number | null;
};

/**
 * Takes a post with everything that hangs on it out of the community, as its deletion does, but keeps its rows: every
 * list, count and search follows without knowing of it (decision 032). Returns the post as it was; undefined where there
 * is no such post.
 */
export async function hidePost(tx: Tx, wanted: HidePostRequest): Promise<VisiblePost | undefined> {
  const { post, how, reason, activityRemovalId } = wanted;
  const found = await findVisiblePost(tx, post);
  if (found === undefined) return undefined;
  // Nobody votes, follows, views or answers while the rows are kept: all of that waits for the question.
  const question = await lockQuestionThread(tx, found.question_id);
  const as = await findVisiblePost(tx, post);
  if (as === undefined) return undefined;
  const hiddenPostId = await insertHiddenPost(tx, { post, as, how, reason, activityRemovalId });
  await snapshotRows(tx, { hiddenPostId, post });
  if (post.kind === 'question') await removeQuestion(tx, question);
  if (post.kind === 'answer') await removeAnswer(tx, await lockAnswerThread(tx, post.id));
  if (post.kind === 'reply') await removeReply(tx, await lockReplyThread(tx, post.id));
  return as;
}

/**
 * Brings a post back that was put away, with its votes, answers, replies and notifications, where their members are still
 * there, and with all counts right.
 * @throws ProblemError 'done-meanwhile' where somebody has, 'not-found' where what it hangs on is not there
 */
export async function restorePost(tx: Tx, row: HiddenPostRow): Promise<void> {
  const { post_kind: kind, post_id: id, question_id: questionId } = row;
  if (await isReimported(tx, row.id))
    throw new ProblemError('done-meanwhile', 'It is here already: it was imported a second time.');
  if (!(await canRestorePost(tx, row)))
    throw new ProblemError('not-found', 'What it belongs to is not there. Bring that back first.');
  if (!(await lockHiddenPost(tx, row.id)))
    throw new ProblemError('done-meanwhile', 'Somebody has brought it back already.');
  await restoreRows(tx, row.id, kind);
  const ids = {
    questionIds: kind === 'question' ? [id] : [],
    answerIds: kind === 'reply' ? [] : await listSnapshotIds(tx, row.id, 'answer'),
    replyIds: await listSnapshotIds(tx, row.id, 'reply'),
  };
  await recountPosts(tx, ids);
  await grantPoints(tx, await sumPointsByAuthor(tx, ids));
  const answers = await listAuthors(tx, 'answer', ids.answerIds);
  const replies = await listAuthors(tx, 'reply', ids.replyIds);
  const events =
    kind === 'question'
      ? await restoreQuestion(tx, row, answers)
      : kind === 'answer'
        ? await restoreAnswer(tx, row, answers)
        : createReplyRestoredEvents(row);
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

/** Whether what a post hangs on is there, and the post itself not already; the former is then locked, the question first as everything that changes a thread. */
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
  const { tags, told: tagEvents } = await setQuestionTags(tx, {
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

/** Browsers that show the place it left, or do not, look at it again. */
function createReplyRestoredEvents({
  question_id: questionId,
  post_id: replyId,
}: HiddenPostRow): TopicEvent[] {
  return [{ topic: `question:${questionId}`, event: { kind: 'reply-edited', replyId } }];
}

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
