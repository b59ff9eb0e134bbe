import { draftHeader } from '#shared/posts/drafts-targets.ts';
import type { Answer, AnswerEdit } from '#shared/posts/answers.ts';
import type { QuestionEdit } from '#shared/posts/questions.ts';
import type { OwnQuestionEdit } from '#shared/posts/tag-proposals.ts';
import type { PostRef } from '#shared/core/fields.ts';
import type { Reply, ReplyEdit } from '#shared/posts/replies.ts';
import type { Revision, RevisionsPage } from '#shared/posts/revisions.ts';
import { api, readJson } from '#web/core/api.ts';
import { getRequestOptions } from '#web/core/send-or-queue.ts';
import { collections, toIdParam } from './post-api.ts';

// Not in post-api.ts, which a question page loads before it handles input.

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

/** The idempotency key of the draft, and the member who wrote it. */
type Origin = { key: string; memberId: number };

export function editQuestion(id: number, edit: OwnQuestionEdit, { key, memberId }: Origin) {
  return readJson(
    api.questions[':id'].$put(
      { param: { id: String(id) }, header: { [draftHeader]: key }, json: edit },
      getRequestOptions(memberId),
    ),
  );
}

export function editAnswer(id: number, edit: AnswerEdit, { key, memberId }: Origin): Promise<Answer> {
  return readJson(
    api.answers[':id'].$put(
      { param: { id: String(id) }, header: { [draftHeader]: key }, json: edit },
      getRequestOptions(memberId),
    ),
  );
}

export function editReply(id: number, edit: ReplyEdit, { key, memberId }: Origin): Promise<Reply> {
  return readJson(
    api.replies[':id'].$put(
      { param: { id: String(id) }, header: { [draftHeader]: key }, json: edit },
      getRequestOptions(memberId),
    ),
  );
}

/** What a suggested edit improves, besides its texts. */
type Summary = { summary: string };

export function suggestQuestionEdit(id: number, edit: QuestionEdit & Summary, { key, memberId }: Origin) {
  return readJson(
    api.questions[':id']['edit-suggestions'].$post(
      { param: { id: String(id) }, header: { [draftHeader]: key }, json: edit },
      getRequestOptions(memberId),
    ),
  );
}

export function suggestPostEdit(post: PostRef, edit: AnswerEdit & Summary, { key, memberId }: Origin) {
  const collection = post.kind === 'answer' ? api.answers : api.replies;
  const request = { ...toIdParam(post), header: { [draftHeader]: key }, json: edit };
  return readJson(collection[':id']['edit-suggestions'].$post(request, getRequestOptions(memberId)));
}
