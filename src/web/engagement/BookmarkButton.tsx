import { t } from '@lingui/core/macro';
import { VisuallyHidden } from '@mantine/core';
import { IconBookmark, IconBookmarkFilled, IconClock } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Suspense, useState } from 'react';
import { lazyComponent } from '#web/core/lazy.ts';
import { logFailureAndToastRefusal } from '#web/core/errors.ts';
import { sendOrQueue } from '#web/core/offline-queue-sender.ts';
import { toast } from '#web/core/toast.ts';
import { useQuestionPage } from '#web/posts/questions/question-page-context.ts';
import { PostAction } from '#web/posts/PostActions.tsx';
import { patchPost } from '#web/posts/questions/question-page-data.ts';
import { getQueuedLabel } from '#web/ui/QueuedMark.tsx';
import { type BookmarkedPost, putBookmark, refreshBookmarks } from './bookmarks.ts';
import { bookmarkAction, useQueuedBookmark } from './bookmarks-offline.ts';

const BookmarkDialog = lazyComponent(() => import('./BookmarkDialog.tsx'));

/** t`Bookmark` or t`Bookmarked`. Shows at once, and back again when the server refuses it. */
export function BookmarkButton({ post, bookmarked }: { post: BookmarkedPost; bookmarked: boolean }) {
  const { cache, member, questionId } = useQuestionPage();
  const client = useQueryClient();
  const [dialog, setDetailed] = useState<{ id: number; open: boolean } | null>(null);
  const wanted = useQueuedBookmark(member.id, post);
  const isBookmarked = wanted ?? bookmarked;
  const Icon = isBookmarked ? IconBookmarkFilled : IconBookmark;
  const show = (bookmarked: boolean) => cache.update((page) => patchPost(page, post, { bookmarked }));
  const save = useMutation({
    mutationFn: (bookmarked: boolean) =>
      sendOrQueue(member.id, bookmarkAction({ post, questionId, bookmarked }), (sending) =>
        putBookmark(post, { bookmarked }, sending),
      ),
    onMutate: async (wanted) => {
      await show(wanted);
      return bookmarked;
    },
    onSuccess: async (state, _, before) => {
      // One that waits is shown on top of what the server has.
      await show(state?.bookmarked ?? before);
      if (state === null) return;
      void refreshBookmarks(client);
      const { id } = state;
      if (id === null) toast(t`Bookmark removed`);
      else
        toast(t`Bookmarked`, {
          label: t`Add a note or lists`,
          run: () => setDetailed({ id, open: true }),
        });
    },
    onError: async (error, _, before = bookmarked) => {
      await show(before);
      logFailureAndToastRefusal('Bookmarking', error);
    },
  });
  return (
    <>
      <PostAction
        label={isBookmarked ? t`Bookmarked` : t`Bookmark`}
        Icon={wanted === undefined ? Icon : IconClock}
        shortcut="b"
        short
        active={isBookmarked}
        pressed={isBookmarked}
        busy={save.isPending}
        onPress={() => {
          if (!save.isPending) save.mutate(!isBookmarked);
        }}
      />
      {wanted !== undefined && <VisuallyHidden>{getQueuedLabel()}</VisuallyHidden>}
      {dialog !== null && (
        <Suspense>
          <BookmarkDialog
            id={dialog.id}
            note=""
            listIds={[]}
            opened={dialog.open}
            onClose={() => setDetailed({ ...dialog, open: false })}
          />
        </Suspense>
      )}
    </>
  );
}
