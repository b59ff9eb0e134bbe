import { t } from '@lingui/core/macro';
import { VisuallyHidden } from '#web/ui/VisuallyHidden.tsx';
import { IconBookmark, IconBookmarkFilled, IconClock } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Suspense, useState } from 'react';
import { lazyComponent } from '#web/core/lazy.ts';
import { logFailureAndToastRefusal } from '#web/core/errors.ts';
import { sendOrQueue } from '#web/core/send-or-queue.ts';
import { toast } from '#web/core/toast.ts';
import { patchPost, PostButton, useQuestionPage } from '#web/posts/index.ts';
import { getQueuedLabel } from '#web/ui/QueuedMark.tsx';
import { type BookmarkedPost, putBookmark, refreshBookmarks } from './bookmarks.ts';
import { bookmarkAction, useQueuedBookmark } from './bookmarks-offline.ts';

const BookmarkDialog = lazyComponent(() => import('./BookmarkDialog.tsx'));

type Details = { id: number; note: string; listIds: readonly number[]; opened: boolean };

/** Bookmarks a post. The change is optimistic and is reverted if the server refuses. */
export function BookmarkButton({ post, bookmarked }: { post: BookmarkedPost; bookmarked: boolean }) {
  const { cache, member, questionId } = useQuestionPage();
  const client = useQueryClient();
  const [details, setDetails] = useState<Details | null>(null);
  const queuedBookmark = useQueuedBookmark(member.id, post);
  const isBookmarked = queuedBookmark ?? bookmarked;
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
      // A queued change is shown on top of the server's state.
      await show(state?.bookmarked ?? before);
      if (state === null) return;
      void refreshBookmarks(client);
      const { id } = state;
      if (id === null) toast(t`Bookmark removed`);
      else
        toast(t`Bookmarked`, {
          label: t`Add a note or lists`,
          run: () => setDetails({ ...state, id, opened: true }),
        });
    },
    onError: async (error, _, before = bookmarked) => {
      await show(before);
      logFailureAndToastRefusal('Bookmarking', error);
    },
  });
  return (
    <>
      <PostButton
        label={isBookmarked ? t`Bookmarked` : t`Bookmark`}
        otherLabel={isBookmarked ? t`Bookmark` : t`Bookmarked`}
        Icon={queuedBookmark === undefined ? Icon : IconClock}
        shortcut="b"
        signIn="bookmark"
        short
        active={isBookmarked}
        pressed={isBookmarked}
        busy={save.isPending}
        onPress={() => {
          if (!save.isPending) save.mutate(!isBookmarked);
        }}
      />
      {queuedBookmark !== undefined && <VisuallyHidden>{getQueuedLabel()}</VisuallyHidden>}
      {details !== null && (
        <Suspense>
          <BookmarkDialog
            {...details}
            post={post}
            onClose={() => setDetails({ ...details, opened: false })}
          />
        </Suspense>
      )}
    </>
  );
}
