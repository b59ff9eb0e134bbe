import { t } from '@lingui/core/macro';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { Bookmark } from '#shared/engagement/bookmarks.ts';
import { translateServerMessage } from '#web/core/errors.ts';
import { toast, toastError } from '#web/core/toast.ts';
import { patchPost } from '#web/posts/questions/question-page-data.ts';
import { createQuestionCache } from '#web/posts/questions/question-cache.ts';
import {
  bookmarkKeys,
  updateCachedBookmarks,
  bookmarkedPostOf,
  putBookmark,
  refreshBookmarks,
} from './bookmarks.ts';

/** Takes a bookmark off at once; the message offers to bring it back as it was, in its place. */
export function useRemoveBookmark() {
  const client = useQueryClient();

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
      const reason = error instanceof Error ? translateServerMessage(error.message) : '';
      toastError(t`The bookmark could not be brought back: ${reason}`);
    }
    await refreshBookmarks(client);
  }

  return useMutation({
    mutationFn: (bookmark: Bookmark) => putBookmark(bookmarkedPostOf(bookmark), { bookmarked: false }),
    onMutate: async (bookmark) => {
      // A fetch that is under way would bring it back.
      await client.cancelQueries({ queryKey: bookmarkKeys.pages });
      updateCachedBookmarks(client, (each) => (each.id === bookmark.id ? null : each));
      await patchQuestionPage(bookmark, false);
    },
    onSuccess: (_, bookmark) => {
      toast(t`Bookmark removed`, { label: t`Undo`, run: () => void restore(bookmark) });
    },
    onError: async (error, bookmark) => {
      await patchQuestionPage(bookmark, true);
      toastError(t`The bookmark could not be removed: ${translateServerMessage(error.message)}`);
    },
    onSettled: () => refreshBookmarks(client),
  });
}
