import { t } from '@lingui/core/macro';
import { said } from '#web/platform/said.ts';
import { waitingKind } from '#web/platform/send-waiting.ts';
import { toastError } from '#web/platform/toast.ts';
import { isObject, useWanted, type Action } from '#web/platform/waiting.ts';
import { patchPost } from '#web/posts/question-page.ts';
import { questionCache } from '#web/posts/question-query.ts';
import { isId } from '#web/posts/waiting-posts.ts';
import { type BookmarkedPost, putBookmark } from './bookmarks.ts';

type ToKeep = { post: BookmarkedPost; questionId: number; bookmarked: boolean };

export const waitingBookmarks = waitingKind<ToKeep>({
  name: 'bookmark',
  read,
  async send({ post, questionId, bookmarked: wanted }, client, sending) {
    const { bookmarked } = await putBookmark(post, { bookmarked: wanted }, sending);
    await questionCache(client, questionId).change((page) => patchPost(page, post, { bookmarked }));
  },
  refused(_, error) {
    toastError(t`The bookmark was not saved: ${said(error.message)}`);
    return null;
  },
});

export function bookmarkAction(data: ToKeep): Action {
  return { kind: 'bookmark', target: targetOf(data.post), data };
}

/** What waits for the connection; undefined where nothing does. */
export function useWaitingBookmark(memberId: number | null, post: BookmarkedPost): boolean | undefined {
  return read(useWanted(memberId, 'bookmark', targetOf(post)))?.bookmarked;
}

const targetOf = ({ kind, id }: BookmarkedPost) => `${kind}:${id}`;

function read(data: unknown): ToKeep | null {
  if (!isObject(data) || typeof data['bookmarked'] !== 'boolean' || !isId(data['questionId'])) return null;
  const { post, questionId, bookmarked } = data;
  if (!isObject(post) || !isId(post['id'])) return null;
  const { kind, id } = post;
  if (kind !== 'question' && kind !== 'answer') return null;
  return { post: { kind, id }, questionId, bookmarked };
}
