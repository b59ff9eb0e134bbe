import { useQueryClient } from '@tanstack/react-query';
import type { Bookmark } from '#shared/engagement/bookmarks.ts';
import { useLive } from '#web/core/live.ts';
import { refreshBookmarks } from './bookmarks.ts';
import { updateCachedBookmarks } from './bookmark-lists.ts';

/** Updates bookmarked posts live. Deleting a post deletes its bookmark. */
export function useLiveBookmarks(): void {
  const client = useQueryClient();
  const onMissed = () => void refreshBookmarks(client);
  const change = (isMeant: (bookmark: Bookmark) => boolean, to: (bookmark: Bookmark) => Bookmark | null) =>
    updateCachedBookmarks(client, (each) => (isMeant(each) ? to(each) : each));

  useLive('feeds', {
    onEvents(events) {
      for (const event of events) {
        if (event.kind === 'question-deleted')
          change(
            ({ questionId }) => questionId === event.questionId,
            () => null,
          );
        if (event.kind !== 'question-edited' || event.title === undefined) continue;
        const { questionId, title, excerpt, excerptCut } = event;
        change(
          (bookmark) => bookmark.questionId === questionId,
          (each) => (each.answerId === null ? { ...each, title, excerpt, excerptCut } : { ...each, title }),
        );
      }
    },
    onMissed,
  });
  useLive('answers', {
    onEvents(events) {
      for (const event of events) {
        if (event.kind === 'answer-deleted')
          change(
            ({ answerId }) => answerId === event.answerId,
            () => null,
          );
        if (event.kind !== 'answer-edited' || event.excerpt === undefined) continue;
        const { answerId, excerpt, excerptCut } = event;
        change(
          (bookmark) => bookmark.answerId === answerId,
          (each) => ({ ...each, excerpt, excerptCut }),
        );
      }
    },
    onMissed,
  });
}
