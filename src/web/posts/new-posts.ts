import type { Answer } from '#shared/posts/answers.ts';
import type { HeldPostId } from '#shared/posts/held-posts.ts';
import type { QuestionPageData } from '#shared/posts/questions.ts';
import type { Reply } from '#shared/posts/replies.ts';
import { api, readJson } from '#web/core/api.ts';
import type { QueuedRequestOptions } from '#web/core/send-or-queue.ts';
import { mapThreads, newAnswerIndex, withAnswerCount, withAnswers } from './questions/question-page-data.ts';

/** The text of a new post and its idempotency key. */
export type NewPostText = { content: string; key: string };

export function postAnswer(
  questionId: number,
  { content, key }: NewPostText,
  sending: Partial<QueuedRequestOptions>,
): Promise<Answer | HeldPostId> {
  return readJson(
    api.questions[':id'].answers.$post(
      { param: { id: String(questionId) }, header: { 'idempotency-key': key }, json: { content } },
      sending,
    ),
  );
}

/** @param answerId null for a comment on the question. */
export function postReply(
  to: { questionId: number; answerId: number | null; parentReplyId: number | null },
  { content, key }: NewPostText,
  sending: Partial<QueuedRequestOptions>,
): Promise<Reply | HeldPostId> {
  const request = { header: { 'idempotency-key': key }, json: { content, parentReplyId: to.parentReplyId } };
  return to.answerId === null
    ? readJson(
        api.questions[':id'].replies.$post({ ...request, param: { id: String(to.questionId) } }, sending),
      )
    : readJson(api.answers[':id'].replies.$post({ ...request, param: { id: String(to.answerId) } }, sending));
}

/**
 * Adds a new answer once, in its place in the order, unless that is before a page that begins later. If its neighbours
 * are still to be loaded, the page may have been fetched after the answer was posted and count it already. Then its
 * event has the page fetched (`useLiveQuestion`).
 */
export function addAnswer(page: QuestionPageData, answer: Answer): QuestionPageData {
  const { items, nextCursor } = page.answers;
  if (items.some((known) => known.id === answer.id)) return page;
  const index = newAnswerIndex(page);
  const isLaterPage = page.answers.previousCursor !== undefined;
  if (isLaterPage && (page.sort === 'newest' || (page.sort === 'helpful' && index === 0))) return page;
  const mayBeCounted = index === items.length && nextCursor !== null;
  return withAnswerCount(withAnswers(page, items.toSpliced(index, 0, answer)), mayBeCounted ? 0 : 1);
}

/** Adds a new reply once, at the end. If more replies are still to be loaded, they include it too. */
export function addReply(page: QuestionPageData, reply: Reply): QuestionPageData {
  return mapThreads(page, (thread, answerId) => {
    if (answerId !== reply.answerId || thread.items.some((known) => known.id === reply.id)) return thread;
    return { ...thread, items: [...thread.items, reply] };
  });
}
