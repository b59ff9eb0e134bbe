import type { VoteDirection, PostRef } from '#shared/core/fields.ts';
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

/** @param answerId the answer to accept; null withdraws the acceptance. */
export function acceptAnswer(questionId: number, answerId: number | null) {
  return readJson(
    api.questions[':id']['accepted-answer'].$put(
      { param: { id: String(questionId) }, json: { answerId } },
      getRequestOptions(null),
    ),
  );
}

export function toIdParam({ id }: PostRef) {
  return { param: { id: String(id) } };
}
