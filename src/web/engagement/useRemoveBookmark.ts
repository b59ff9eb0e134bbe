import { t } from '@lingui/core/macro';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { Bookmark } from '#shared/engagement/bookmarks.ts';
import { replaceQueuedAction } from '#web/core/replace-queued-action.ts';
import { useMember } from '#web/core/session.ts';
import { toast, toastError } from '#web/core/toast.ts';
import { createQuestionCache, patchPost } from '#web/posts/index.ts';
import { bookmarkAction } from './bookmarks-offline.ts';
import { bookmarkKeys, putBookmark, refreshBookmarks } from './bookmarks.ts';
import { updateCachedBookmarks, bookmarkedPostOf } from './bookmark-lists.ts';

/** Removes a bookmark immediately. The message has an Undo button that restores it. */
export function useRemoveBookmark() {
  const client = useQueryClient();
  const memberId = useMember()?.id;

  async function patchQuestionPage(bookmark: Bookmark, bookmarked: boolean) {
    const cache = createQuestionCache(client, bookmark.questionId);
    await cache.update((page) => patchPost(page, bookmarkedPostOf(bookmark), { bookmarked }));
  }

  async function restore(bookmark: Bookmark) {
    const { note, listIds, bookmarkedAt } = bookmark;
    try {
      await putBookmark(bookmarkedPostOf(bookmark), { bookmarked: true, note, listIds, bookmarkedAt });
      await patchQuestionPage(bookmark, true);
    } catch (error) {
      const reason = error instanceof Error ? error.message : '';
      toastError(t`The bookmark could not be restored: ${reason}`);
    }
    await refreshBookmarks(client);
  }

  return useMutation({
    mutationFn: (bookmark: Bookmark) => {
      const post = bookmarkedPostOf(bookmark);
      const queued = bookmarkAction({ post, questionId: bookmark.questionId, bookmarked: true });
      return replaceQueuedAction(memberId, queued, () => putBookmark(post, { bookmarked: false }));
    },
    onMutate: async (bookmark) => {
      // A running fetch would bring it back.
      await client.cancelQueries({ queryKey: bookmarkKeys.pages });
      updateCachedBookmarks(client, (each) => (each.id === bookmark.id ? null : each));
      await patchQuestionPage(bookmark, false);
    },
    onSuccess: (_, bookmark) => {
      toast(t`Bookmark removed`, { label: t`Undo`, run: () => void restore(bookmark) });
    },
    onError: async (error, bookmark) => {
      await patchQuestionPage(bookmark, true);
      toastError(t`The bookmark could not be removed: ${error.message}`);
    },
    onSettled: () => void refreshBookmarks(client),
  });
}
