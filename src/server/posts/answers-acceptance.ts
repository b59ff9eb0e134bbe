import { notifyOfAcceptance } from '#server/notifications/notifications.ts';
import { type Database, transaction } from '#server/core/database.ts';
import { publishAll } from '#server/core/events.ts';
import { ProblemError } from '#server/core/errors.ts';
import type { Viewer } from '#server/core/http.ts';
import { buildAcceptanceEvents } from './posts-events.ts';
import { lockOwnQuestion } from './questions.ts';
import { findAnswerOfQuestion, updateAcceptedAnswer } from './answers-queries.ts';

/**
 * Makes an answer, or none (null), the one that the asker says solved it. Setting the same again changes nothing. It moves
 * no reputation: docs/product.md 7.4 names the ways in which that moves.
 * @throws ProblemError 'not-author' for anybody but the asker, 'not-found' for an answer to another question.
 */
export async function acceptAnswer(
  db: Database,
  { questionId, answerId, viewer }: { questionId: number; answerId: number | null; viewer: Viewer },
): Promise<{ acceptedAnswerId: number | null }> {
  return transaction(db, async (tx) => {
    const question = await lockOwnQuestion(tx, {
      id: questionId,
      viewer,
      refusal: 'Only who asked the question can say what solved it.',
      against: 'changes',
    });
    if (question.accepted_answer_id === answerId) return { acceptedAnswerId: answerId };
    const answer = answerId === null ? null : await findAnswerOfQuestion(tx, { id: answerId, questionId });
    if (answer === undefined) throw new ProblemError('not-found', 'Answer not found');
    await updateAcceptedAnswer(tx, { questionId, answerId });
    const notificationEvents =
      answer === null ? [] : await notifyOfAcceptance(tx, { questionId, answer, senderId: viewer.id });
    await publishAll(tx, [...buildAcceptanceEvents(questionId, answerId), ...notificationEvents]);
    return { acceptedAnswerId: answerId };
  });
}
