import type { Answer } from '#shared/posts/answers.ts';
import type { HeldPostId } from '#shared/posts/held-posts.ts';
import type { VoteDirection, PostRef } from '#shared/core/fields.ts';
import type { Reply } from '#shared/posts/replies.ts';
import type { VoteState } from '#shared/engagement/votes.ts';
import { api, readJson } from '#web/core/api.ts';
import { getRequestOptions, type QueuedRequestOptions } from '#web/core/send-or-queue.ts';

/** The API endpoints that questions, answers and replies share. */
export const collections = { question: api.questions, answer: api.answers, reply: api.replies } as const;

export function setVote(
  post: PostRef,
  vote: VoteDirection | null,
  sending: Partial<QueuedRequestOptions>,
): Promise<VoteState> {
  return readJson(collections[post.kind][':id'].vote.$put({ ...toIdParam(post), json: { vote } }, sending));
}

export async function deletePost(post: PostRef): Promise<void> {
  await readJson(collections[post.kind][':id'].$delete(toIdParam(post), getRequestOptions(null)));
}

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

/** @param answerId the answer to accept; null withdraws the acceptance. */
export function acceptAnswer(questionId: number, answerId: number | null) {
  return readJson(
    api.questions[':id']['accepted-answer'].$put(
      { param: { id: String(questionId) }, json: { answerId } },
      getRequestOptions(null),
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

/** The text of a new post and its idempotency key. */
export type NewPostText = { content: string; key: string };

export function toIdParam({ id }: PostRef) {
  return { param: { id: String(id) } };
}
