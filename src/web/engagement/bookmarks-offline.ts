import { isObject, useQueuedState, type OfflineAction } from '#web/core/offline-queue.ts';
import { isId } from '#web/posts/index.ts';
import type { BookmarkedPost } from './bookmarks.ts';

export type BookmarkToSend = { post: BookmarkedPost; questionId: number; bookmarked: boolean };

export function bookmarkAction(data: BookmarkToSend): OfflineAction {
  return { kind: 'bookmark', target: bookmarkTarget(data.post), data };
}

/** The queued state; undefined if there is none. */
export function useQueuedBookmark(memberId: number | null, post: BookmarkedPost): boolean | undefined {
  return parseBookmark(useQueuedState(memberId, 'bookmark', bookmarkTarget(post)))?.bookmarked;
}

const bookmarkTarget = ({ kind, id }: BookmarkedPost) => `${kind}:${id}`;

export function parseBookmark(data: unknown): BookmarkToSend | null {
  if (!isObject(data) || typeof data['bookmarked'] !== 'boolean' || !isId(data['questionId'])) return null;
  const { post, questionId, bookmarked } = data;
  if (!isObject(post) || !isId(post['id'])) return null;
  const { kind, id } = post;
  if (kind !== 'question' && kind !== 'answer') return null;
  return { post: { kind, id }, questionId, bookmarked };
}
