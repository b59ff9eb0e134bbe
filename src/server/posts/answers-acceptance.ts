import { notifyFollowers, notifyMember } from '#server/notifications/index.ts';
import { type Database, transaction, type Tx } from '#server/core/database.ts';
import { publishAll, type TopicEvent } from '#server/core/events.ts';
import { ProblemError } from '#server/core/errors.ts';
import type { Viewer } from '#server/core/http.ts';
import { buildAcceptanceEvents } from './posts-events.ts';
import { lockOwnQuestion } from './questions.ts';
import { findAnswerOfQuestion, updateAcceptedAnswer } from './answers-queries.ts';

/**
 * Sets the accepted answer of a question, or none (null). A repetition changes nothing. Changes no reputation
 * (docs/product.md 5.3).
 * @throws ProblemError 'not-author' for anyone but the author of the question, 'not-found' for an answer to another
 * question
 */
export async function acceptAnswer(
  db: Database,
  { questionId, answerId, viewer }: { questionId: number; answerId: number | null; viewer: Viewer },
): Promise<{ acceptedAnswerId: number | null }> {
  return transaction(db, async (tx) => {
    const question = await lockOwnQuestion(tx, {
      id: questionId,
      viewer,
      refusal: 'acceptance-not-author',
      against: 'changes',
    });
    if (question.accepted_answer_id === answerId) return { acceptedAnswerId: answerId };
    const answer = answerId === null ? null : await findAnswerOfQuestion(tx, { id: answerId, questionId });
    if (answer === undefined) throw new ProblemError('answer-not-found');
    await updateAcceptedAnswer(tx, { questionId, answerId });
    const notificationEvents =
      answer === null ? [] : await notify(tx, { questionId, answer, senderId: viewer.id });
    await publishAll(tx, [...buildAcceptanceEvents(questionId, answerId), ...notificationEvents]);
    return { acceptedAnswerId: answerId };
  });
}

/**
 * Notifies the author of the accepted answer, and the followers of the question except for that author and the
 * question's author. Once per answer, however often the acceptance changes.
 */
async function notify(
  tx: Tx,
  acceptance: { questionId: number; answer: { id: number; author_id: number | null }; senderId: number },
): Promise<TopicEvent[]> {
  const { questionId, answer, senderId } = acceptance;
  const draft = { senderId, questionId, answerId: answer.id, replyId: null };
  const authorEvents =
    answer.author_id === null
      ? []
      : await notifyMember(tx, { recipientId: answer.author_id, draft: { ...draft, kind: 'accepted' } });
  const followerEvents = await notifyFollowers(tx, {
    draft: { ...draft, kind: 'accepted_followed' },
    except: answer.author_id,
  });
  return [...authorEvents, ...followerEvents];
}
