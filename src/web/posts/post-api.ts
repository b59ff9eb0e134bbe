import { draftHeader } from '#shared/posts/drafts-targets.ts';
import type { Answer, AnswerEdit } from '#shared/posts/answers.ts';
import type { QuestionEdit } from '#shared/posts/questions.ts';
import type { OwnQuestionEdit } from '#shared/posts/tag-proposals.ts';
import type { HeldPostId } from '#shared/posts/held-posts.ts';
import type { VoteDirection, PostRef } from '#shared/core/fields.ts';
import type { Reply, ReplyEdit } from '#shared/posts/replies.ts';
import type { Revision, RevisionsPage } from '#shared/posts/revisions.ts';
import type { VoteState } from '#shared/engagement/votes.ts';
import { api, readJson } from '#web/core/api.ts';
import type { QueuedRequestOptions } from '#web/core/send-or-queue.ts';

/** The API endpoints that questions, answers and replies share. */
const collections = { question: api.questions, answer: api.answers, reply: api.replies } as const;

export function setVote(
  post: PostRef,
  vote: VoteDirection | null,
  sending: Partial<QueuedRequestOptions>,
): Promise<VoteState> {
  return readJson(collections[post.kind][':id'].vote.$put({ ...toIdParam(post), json: { vote } }, sending));
}

export async function deletePost(post: PostRef): Promise<void> {
  await readJson(collections[post.kind][':id'].$delete(toIdParam(post)));
}

/** A page of a post's versions without their texts, the current one first. */
export function listRevisions(
  post: PostRef,
  cursor: string | null,
  signal: AbortSignal,
): Promise<RevisionsPage> {
  const request = { ...toIdParam(post), query: cursor === null ? {} : { cursor } };
  return readJson(collections[post.kind][':id'].revisions.$get(request, { init: { signal } }));
}

/** One version with its text. */
export function getRevision(post: PostRef, number: number, signal: AbortSignal): Promise<Revision> {
  const param = { id: String(post.id), number: String(number) };
  return readJson(collections[post.kind][':id'].revisions[':number'].$get({ param }, { init: { signal } }));
}

/** @param key the idempotency key of the draft; the same for the functions below. */
export function editQuestion(id: number, edit: OwnQuestionEdit, key: string) {
  return readJson(
    api.questions[':id'].$put({ param: { id: String(id) }, header: { [draftHeader]: key }, json: edit }),
  );
}

export function editAnswer(id: number, edit: AnswerEdit, key: string): Promise<Answer> {
  return readJson(
    api.answers[':id'].$put({ param: { id: String(id) }, header: { [draftHeader]: key }, json: edit }),
  );
}

export function editReply(id: number, edit: ReplyEdit, key: string): Promise<Reply> {
  return readJson(
    api.replies[':id'].$put({ param: { id: String(id) }, header: { [draftHeader]: key }, json: edit }),
  );
}

/** What a suggested edit improves, besides its texts. */
type Summary = { summary: string };

export function suggestQuestionEdit(id: number, edit: QuestionEdit & Summary, key: string) {
  return readJson(
    api.questions[':id']['edit-suggestions'].$post({
      param: { id: String(id) },
      header: { [draftHeader]: key },
      json: edit,
    }),
  );
}

export function suggestPostEdit(post: PostRef, edit: AnswerEdit & Summary, key: string) {
  const collection = post.kind === 'answer' ? api.answers : api.replies;
  const request = { ...toIdParam(post), header: { [draftHeader]: key }, json: edit };
  return readJson(collection[':id']['edit-suggestions'].$post(request));
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
    api.questions[':id']['accepted-answer'].$put({ param: { id: String(questionId) }, json: { answerId } }),
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

function toIdParam({ id }: PostRef) {
  return { param: { id: String(id) } };
}
