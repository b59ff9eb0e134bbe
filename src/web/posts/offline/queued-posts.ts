import type { QuestionPageData } from '#shared/posts/questions.ts';
import { isObject, type OfflineAction, type QueuedAction } from '#web/core/offline-queue.ts';
import { anchorOf } from '#web/posts/post-ref.ts';
import type { PostRef } from '#shared/core/fields.ts';
import { findPost, listReplies } from '#web/posts/questions/question-page-data.ts';

export type PostToSend = {
  questionId: number;
  content: string;
  key: string;
  /** The highest id of this kind on the page when the post was queued. The published post gets a higher one. */
  after: number;
  /**
   * The parent was deleted, according to the server: the text does not return into a form, since the form is gone too.
   */
  orphaned?: boolean;
};
export type AnswerToSend = PostToSend;
export type ReplyToSend = PostToSend & { answerId: number | null; parentReplyId: number | null };

/** A queued post or, if `item.refusalReason` is set, a refused one. */
export type QueuedAnswer = { kind: 'answer'; item: QueuedAction; data: AnswerToSend };
export type QueuedReply = { kind: 'reply'; item: QueuedAction; data: ReplyToSend };
export type QueuedPost = QueuedAnswer | QueuedReply;

export const answerAction = (data: AnswerToSend): OfflineAction => ({
  kind: 'answer',
  target: data.key,
  data,
});
export const replyAction = (data: ReplyToSend): OfflineAction => ({ kind: 'reply', target: data.key, data });

/** The highest id of a kind on the page; 0 if there is none. */
export function getHighestPostId(page: QuestionPageData | undefined, kind: 'answer' | 'reply'): number {
  if (page === undefined) return 0;
  const posts = kind === 'answer' ? page.answers.items : listReplies(page);
  return Math.max(0, ...posts.map(({ id }) => id));
}

/** The id of the element of a queued post, which holds the focus that moves on once it is published. */
export function queuedPostAnchor(key: string): string {
  return `queued-${key}`;
}

/** The id of the element that contains the answer form. */
export const answerFormId = 'your-answer';

/** The member's queued posts for a question, oldest first. */
export function listQueuedPosts(questionId: number, all: readonly QueuedAction[]): readonly QueuedPost[] {
  return all
    .map(parseQueuedPost)
    .filter((post) => post !== null)
    .filter(({ data }) => data.questionId === questionId);
}

/**
 * Splits queued posts into those the page does not show yet, and the published posts that the others became. A live
 * event or a fetch can show a post before the response to its own request arrives, or after it was lost. It is
 * recognized by author, text and an id higher than any the page had.
 */
export function separatePublishedPosts(
  queued: readonly QueuedPost[],
  page: QuestionPageData,
  memberId: number,
): { queued: readonly QueuedPost[]; posted: ReadonlyMap<string, PostRef> } {
  const posted = new Map<string, PostRef>();
  const used = new Set<string>();
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
      .find((post) => !used.has(anchorOf(post)));
    if (match === undefined) continue;
    used.add(anchorOf(match));
    posted.set(data.key, match);
  }
  // The same array if nothing was published, so that no post is rendered again.
  const waiting = posted.size === 0 ? queued : queued.filter(({ data }) => !posted.has(data.key));
  return { queued: waiting, posted };
}

/** The parent of a reply. */
export function replyTarget({ questionId, answerId, parentReplyId }: ReplyToSend): PostRef {
  if (parentReplyId !== null) return { kind: 'reply', id: parentReplyId };
  return answerId === null ? { kind: 'question', id: questionId } : { kind: 'answer', id: answerId };
}

/** Whether the form that the post was written in is on the page. */
export function isFormOnPage(post: QueuedPost, page: QuestionPageData): boolean {
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

export function parseAnswer(data: unknown): AnswerToSend | null {
  if (!isObject(data)) return null;
  const { questionId, content, key, after, orphaned = false } = data;
  if (!isId(questionId) || typeof content !== 'string' || content.trim() === '') return null;
  if (typeof key !== 'string' || !/^[\w-]{8,100}$/u.test(key) || typeof after !== 'number') return null;
  if (typeof orphaned !== 'boolean') return null;
  return { questionId, content, key, after, orphaned };
}

export function parseReply(data: unknown): ReplyToSend | null {
  const common = parseAnswer(data);
  if (common === null || !isObject(data)) return null;
  const { answerId, parentReplyId } = data;
  if ((answerId !== null && !isId(answerId)) || (parentReplyId !== null && !isId(parentReplyId))) return null;
  return { ...common, answerId, parentReplyId };
}

export function isId(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0;
}
