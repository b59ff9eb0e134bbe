import { t } from '@lingui/core/macro';
import type { QueryClient } from '@tanstack/react-query';
import type { QuestionPage } from '#shared/posts/questions.ts';
import { createIdempotencyKey } from '#web/core/api.ts';
import { ApiError } from '#web/core/errors.ts';
import { questionPath } from '#web/core/paths.ts';
import { defineOfflineActionKind } from '#web/core/offline-queue-sender.ts';
import { isObject, type OfflineAction, type QueuedAction } from '#web/core/offline-queue.ts';
import { postAnswer, postReply } from '#web/posts/post-api.ts';
import { anchorOf, type PostRef } from '#web/posts/post-ref.ts';
import { addAnswer, addReply, findPost, listReplies } from '#web/posts/questions/question-page-data.ts';
import { createQuestionCache } from '#web/posts/questions/question-cache.ts';

type PostToSend = {
  questionId: number;
  content: string;
  key: string;
  /** The highest id of the kind that the page knew: what this one becomes has a higher one. */
  after: number;
  /** What it answers was deleted, as the server said: no form takes it back by itself, for that one goes as well. */
  orphaned?: boolean;
};
export type AnswerToSend = PostToSend;
export type ReplyToSend = PostToSend & { answerId: number | null; parentReplyId: number | null };

/** A post that waits for the connection or, where `item.refused` says why, was sent back. */
export type QueuedAnswer = { kind: 'answer'; item: QueuedAction; data: AnswerToSend };
export type QueuedReply = { kind: 'reply'; item: QueuedAction; data: ReplyToSend };
export type QueuedPost = QueuedAnswer | QueuedReply;

export const offlineAnswers = defineOfflineActionKind<AnswerToSend>({
  name: 'answer',
  read: parseAnswer,
  async send(data, client, sending) {
    const answer = await postAnswer(data.questionId, data, sending);
    await createQuestionCache(client, data.questionId).update((page) => addAnswer(page, answer));
    refreshLists(client, data.questionId);
  },
  refused: handleRefusal,
  path: ({ questionId }) => questionPath(questionId),
});

export const offlineReplies = defineOfflineActionKind<ReplyToSend>({
  name: 'reply',
  read: parseReply,
  async send(data, client, sending) {
    const reply = await postReply(data, data, sending);
    await createQuestionCache(client, data.questionId).update((page) => addReply(page, reply));
  },
  refused: handleRefusal,
  path: ({ questionId }) => questionPath(questionId),
});

export const answerAction = (data: AnswerToSend): OfflineAction => ({
  kind: 'answer',
  target: data.key,
  data,
});
export const replyAction = (data: ReplyToSend): OfflineAction => ({ kind: 'reply', target: data.key, data });

/** The highest id of a kind on the page; 0 where there is none. */
export function highestId(page: QuestionPage | undefined, kind: 'answer' | 'reply'): number {
  if (page === undefined) return 0;
  const posts = kind === 'answer' ? page.answers.items : listReplies(page);
  return Math.max(0, ...posts.map(({ id }) => id));
}

/** The id of the element that shows one, and where the focus goes once it is posted. */
export function queuedPostAnchor(key: string): string {
  return `waiting-${key}`;
}

/** The id of the element that holds the form for an answer. */
export const answerFormId = 'your-answer';

/** What of a member's waits at a question, the oldest first. */
export function listQueuedPosts(questionId: number, all: readonly QueuedAction[]): readonly QueuedPost[] {
  return all
    .map(parseQueuedPost)
    .filter((post) => post !== null)
    .filter(({ data }) => data.questionId === questionId);
}

/**
 * Those that the page does not show as posted yet, and what the others have become there. The live stream or a fetch
 * may bring one before the answer to its own request, or after that answer was lost: author, text, and an id that is
 * higher than any the page knew, tell it.
 */
export function splitPosted(
  queued: readonly QueuedPost[],
  page: QuestionPage,
  memberId: number,
): { waiting: readonly QueuedPost[]; posted: ReadonlyMap<string, PostRef> } {
  const posted = new Map<string, PostRef>();
  const taken = new Set<string>();
  const candidates = (kind: 'answer' | 'reply') =>
    kind === 'answer' ? page.answers.items : listReplies(page);
  for (const { kind, item, data } of queued) {
    if (item.refusalReason !== null) continue;
    const match = candidates(kind)
      .filter(
        ({ id, authorId, content }) => id > data.after && authorId === memberId && content === data.content,
      )
      .map(({ id }): PostRef => ({ kind, id }))
      .toSorted((one, other) => one.id - other.id)
      .find((post) => !taken.has(anchorOf(post)));
    if (match === undefined) continue;
    taken.add(anchorOf(match));
    posted.set(data.key, match);
  }
  return { waiting: queued.filter(({ data }) => !posted.has(data.key)), posted };
}

/** What a reply answers. */
export function replyTarget({ questionId, answerId, parentReplyId }: ReplyToSend): PostRef {
  if (parentReplyId !== null) return { kind: 'reply', id: parentReplyId };
  return answerId === null ? { kind: 'question', id: questionId } : { kind: 'answer', id: answerId };
}

/** Whether the form it was written in is on the page. */
export function hasForm(post: QueuedPost, page: QuestionPage): boolean {
  if (post.kind === 'answer') return true;
  const target = findPost(page, replyTarget(post.data));
  return target !== undefined && !('deleted' in target && target.deleted);
}

function parseQueuedPost(item: QueuedAction): QueuedPost | null {
  if (item.kind === 'answer') {
    const data = parseAnswer(item.data);
    return data && { kind: 'answer', item, data };
  }
  const data = item.kind === 'reply' ? parseReply(item.data) : null;
  return data && { kind: 'reply', item, data };
}

function handleRefusal<Data extends PostToSend>(data: Data, error: Error): { reason: string; data: Data } {
  // An earlier try got through although its answer got lost, and the text was edited since.
  if (error instanceof ApiError && error.code === 'key-reused')
    return {
      reason: t`An earlier version of it was posted. Edit that one, or post this one as well.`,
      data: { ...data, key: createIdempotencyKey() },
    };
  const orphaned = error instanceof ApiError && (error.status === 404 || error.status === 410);
  return { reason: error.message, data: { ...data, orphaned } };
}

/** What lists show of the question is asked for again when they are next seen. */
function refreshLists(client: QueryClient, questionId: number): void {
  createQuestionCache(client, questionId).refreshLists();
}

function parseAnswer(data: unknown): AnswerToSend | null {
  if (!isObject(data)) return null;
  const { questionId, content, key, after, orphaned = false } = data;
  if (!isId(questionId) || typeof content !== 'string' || content.trim() === '') return null;
  if (typeof key !== 'string' || !/^[\w-]{8,100}$/u.test(key) || typeof after !== 'number') return null;
  if (typeof orphaned !== 'boolean') return null;
  return { questionId, content, key, after, orphaned };
}

function parseReply(data: unknown): ReplyToSend | null {
  const common = parseAnswer(data);
  if (common === null || !isObject(data)) return null;
  const { answerId, parentReplyId } = data;
  if ((answerId !== null && !isId(answerId)) || (parentReplyId !== null && !isId(parentReplyId))) return null;
  return { ...common, answerId, parentReplyId };
}

export function isId(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0;
}
