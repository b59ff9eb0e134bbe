import { t } from '@lingui/core/macro';
import { defineOfflineActionKind } from '#web/core/send-or-queue.ts';
import { toastError } from '#web/core/toast.ts';
import { isObject, useQueuedState, type OfflineAction } from '#web/core/offline-queue.ts';
import { createQuestionCache, isId, patchPost } from '#web/posts/index.ts';
import { type BookmarkedPost, putBookmark } from './bookmarks.ts';

type BookmarkToSend = { post: BookmarkedPost; questionId: number; bookmarked: boolean };

export const offlineBookmarks = defineOfflineActionKind<BookmarkToSend>({
  name: 'bookmark',
  read: parseBookmark,
  async send({ post, questionId, bookmarked: wanted }, client, sending) {
    const { bookmarked } = await putBookmark(post, { bookmarked: wanted }, sending);
    await createQuestionCache(client, questionId).update((page) => patchPost(page, post, { bookmarked }));
  },
  refused(_, error) {
    toastError(t`The bookmark was not saved: ${error.message}`);
    return null;
  },
});

export function bookmarkAction(data: BookmarkToSend): OfflineAction {
  return { kind: 'bookmark', target: bookmarkTarget(data.post), data };
}

/** The queued state; undefined if there is none. */
export function useQueuedBookmark(memberId: number | null, post: BookmarkedPost): boolean | undefined {
  return parseBookmark(useQueuedState(memberId, 'bookmark', bookmarkTarget(post)))?.bookmarked;
}

const bookmarkTarget = ({ kind, id }: BookmarkedPost) => `${kind}:${id}`;

function parseBookmark(data: unknown): BookmarkToSend | null {
  if (!isObject(data) || typeof data['bookmarked'] !== 'boolean' || !isId(data['questionId'])) return null;
  const { post, questionId, bookmarked } = data;
  if (!isObject(post) || !isId(post['id'])) return null;
  const { kind, id } = post;
  if (kind !== 'question' && kind !== 'answer') return null;
  return { post: { kind, id }, questionId, bookmarked };
}
