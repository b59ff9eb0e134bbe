import { closeReportsOfDeletedPosts } from './reports-closing.ts';
import { removeVotes } from './reputation.ts';
import { removeFromStatistics } from './statistics-changes.ts';
import { removeAnswersOfQuestion } from './answers.ts';
import { deletePostNotifications } from '#server/notifications/index.ts';
import { type Database, transaction, type Tx } from '#server/core/database.ts';
import { publishAll } from '#server/core/events.ts';
import type { Viewer } from '#server/core/http.ts';
import { lockAuthors } from './posts-locks.ts';
import { buildDuplicateEvents, buildProfileEvents } from './posts-events.ts';
import { setQuestionTags } from './tags.ts';
import {
  changeQuestionsCount,
  clearDuplicatesOf,
  deleteHiddenPostsOf,
  deleteQuestionRow,
  lockThread,
} from './questions-queries.ts';
import { lockOwnQuestion } from './questions.ts';

/** Deletes the question and everything below it, and corrects the counts of every member (docs/product.md 4.4). */
export async function deleteQuestion(
  db: Database,
  { id, viewer }: { id: number; viewer: Pick<Viewer, 'id'> },
): Promise<void> {
  await transaction(db, async (tx) => {
    const question = await lockOwnQuestion(tx, {
      id,
      viewer,
      refusal: 'question-deletion-not-author',
      missing: 'question-already-deleted',
    });
    await deleteHiddenPostsOf(tx, id);
    await removeQuestion(tx, question);
  });
}

/** Deletes a locked question and everything below it, without a permission check. */
export async function removeQuestion(
  tx: Tx,
  question: { id: number; author_id: number | null },
): Promise<void> {
  const { id, author_id: authorId } = question;
  const { answers, replies } = await lockThread(tx, id);
  const deletedPosts = {
    questionIds: [id],
    answerIds: answers.map((answer) => answer.id),
    replyIds: replies.map((reply) => reply.id),
  };
  await lockAuthors(tx, [question, ...answers, ...replies]);
  await removeFromStatistics(tx, deletedPosts);
  await removeVotes(tx, deletedPosts);
  await closeReportsOfDeletedPosts(tx, deletedPosts);
  // Before the answers, because deleting them also deletes their notifications.
  const notificationEvents = await deletePostNotifications(tx, { kind: 'question', id });
  await removeAnswersOfQuestion(tx, answers);
  if (authorId !== null) await changeQuestionsCount(tx, { memberId: authorId, by: -1 });
  const { events: tagEvents } = await setQuestionTags(tx, { questionId: id, tags: [] });
  const formerDuplicates = await clearDuplicatesOf(tx, id);
  await deleteQuestionRow(tx, id);
  const deleted = { kind: 'question-deleted', questionId: id } as const;
  await publishAll(tx, [
    { topic: `question:${id}`, event: { kind: 'deleted' } },
    { topic: 'feeds', event: deleted },
    { topic: 'answers', event: deleted },
    ...tagEvents,
    ...formerDuplicates.flatMap((each) => buildDuplicateEvents(each, null)),
    ...buildProfileEvents([question, ...answers, ...replies].map((post) => post.author_id)),
    ...notificationEvents,
  ]);
}
