import { removeAnswersOfQuestion } from '#server/answers/answers.ts';
import { type Database, transaction } from '#server/platform/database.ts';
import { publish } from '#server/platform/events.ts';
import type { Viewer } from '#server/platform/http.ts';
import { tagQuestion } from '#server/topics/topics.ts';
import { removeVotes } from '#server/votes/votes.ts';
import { changeQuestionsCount, deleteQuestionRow, lockThread } from './queries.ts';
import { lockOwnQuestion } from './questions.ts';

/** Removes the question and all that hangs on it, and puts every member's counts right (DECISIONS section 7.1). */
export async function deleteQuestion(
  db: Database,
  { id, viewer }: { id: number; viewer: Viewer },
): Promise<void> {
  await transaction(db, async (tx) => {
    const question = await lockOwnQuestion(tx, {
      id,
      viewer,
      refusal: 'You can only delete your own questions.',
      missing: 'Question not found or already deleted.',
    });
    const { answers, replyIds } = await lockThread(tx, question.id);
    await removeVotes(tx, { questionIds: [id], answerIds: answers.map((answer) => answer.id), replyIds });
    await removeAnswersOfQuestion(tx, answers);
    await changeQuestionsCount(tx, { memberId: viewer.id, by: -1 });
    await tagQuestion(tx, { questionId: id, tags: [] });
    await deleteQuestionRow(tx, id);
    await publish(tx, `question:${id}`, { kind: 'deleted' });
    await publish(tx, 'feeds', { kind: 'question-deleted', questionId: id });
  });
}
