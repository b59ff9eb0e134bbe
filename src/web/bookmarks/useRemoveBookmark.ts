import { t } from '@lingui/core/macro';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { Bookmark } from '#shared/bookmarks.ts';
import { said } from '#web/platform/said.ts';
import { toast, toastError } from '#web/platform/toast.ts';
import { patchPost } from '#web/posts/question-page.ts';
import { questionCache } from '#web/posts/question-query.ts';
import { bookmarkKeys, changeBookmarks, postOf, putBookmark, refreshBookmarks } from './bookmarks.ts';

/** Takes a bookmark off at once; the message offers to bring it back as it was, in its place. */
export function useRemoveBookmark() {
  const client = useQueryClient();

  async function show(bookmark: Bookmark, bookmarked: boolean) {
    const cache = questionCache(client, bookmark.questionId);
    await cache.change((page) => patchPost(page, postOf(bookmark), { bookmarked }));
  }

  async function bringBack(bookmark: Bookmark) {
    const { note, listIds, bookmarkedAt } = bookmark;
    try {
      await putBookmark(postOf(bookmark), { bookmarked: true, note, listIds, bookmarkedAt });
      await show(bookmark, true);
    } catch (error) {
      const reason = error instanceof Error ? said(error.message) : '';
      toastError(t`The bookmark could not be brought back: ${reason}`);
    }
    await refreshBookmarks(client);
  }

  return useMutation({
    mutationFn: (bookmark: Bookmark) => putBookmark(postOf(bookmark), { bookmarked: false }),
    onMutate: async (bookmark) => {
      // A fetch that is under way would bring it back.
      await client.cancelQueries({ queryKey: bookmarkKeys.pages });
      changeBookmarks(client, (each) => (each.id === bookmark.id ? null : each));
      await show(bookmark, false);
    },
    onSuccess: (_, bookmark) => {
      toast(t`Bookmark removed`, { label: t`Undo`, run: () => void bringBack(bookmark) });
    },
    onError: async (error, bookmark) => {
      await show(bookmark, true);
      toastError(t`The bookmark could not be removed: ${said(error.message)}`);
    },
    onSettled: () => refreshBookmarks(client),
  });
}
