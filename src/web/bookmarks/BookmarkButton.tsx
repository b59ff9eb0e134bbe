import { t } from '@lingui/core/macro';
import { VisuallyHidden } from '@mantine/core';
import { IconBookmark, IconBookmarkFilled, IconClock } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Suspense, useState } from 'react';
import { lazyPart } from '#web/platform/lazy-part.ts';
import { logFailureOrSayRefusal } from '#web/platform/log.ts';
import { sendOrWait } from '#web/platform/send-waiting.ts';
import { toast } from '#web/platform/toast.ts';
import { useQuestionPage } from '#web/posts/page-context.ts';
import { PostAction } from '#web/posts/PostActions.tsx';
import { patchPost } from '#web/posts/question-page.ts';
import { waitingText } from '#web/ui/WaitingMark.tsx';
import { type BookmarkedPost, putBookmark, refreshBookmarks } from './bookmarks.ts';
import { bookmarkAction, useWaitingBookmark } from './waiting-bookmarks.ts';

const BookmarkDialog = lazyPart(() => import('./BookmarkDialog.tsx'));

/** t`Bookmark` or t`Bookmarked`. Shows at once, and back again when the server refuses it. */
export function BookmarkButton({ post, bookmarked }: { post: BookmarkedPost; bookmarked: boolean }) {
  const { cache, member, questionId } = useQuestionPage();
  const client = useQueryClient();
  const [detailed, setDetailed] = useState<{ id: number; open: boolean } | null>(null);
  const wanted = useWaitingBookmark(member.id, post);
  const shown = wanted ?? bookmarked;
  const Icon = shown ? IconBookmarkFilled : IconBookmark;
  const show = (bookmarked: boolean) => cache.change((page) => patchPost(page, post, { bookmarked }));
  const keep = useMutation({
    mutationFn: (bookmarked: boolean) =>
      sendOrWait(member.id, bookmarkAction({ post, questionId, bookmarked }), (sending) =>
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
      logFailureOrSayRefusal('Bookmarking', error);
    },
  });
  return (
    <>
      <PostAction
        label={shown ? t`Bookmarked` : t`Bookmark`}
        Icon={wanted === undefined ? Icon : IconClock}
        shortcut="b"
        short
        active={shown}
        pressed={shown}
        busy={keep.isPending}
        onPress={() => {
          if (!keep.isPending) keep.mutate(!shown);
        }}
      />
      {wanted !== undefined && <VisuallyHidden>{waitingText()}</VisuallyHidden>}
      {detailed !== null && (
        <Suspense>
          <BookmarkDialog
            id={detailed.id}
            note=""
            listIds={[]}
            opened={detailed.open}
            onClose={() => setDetailed({ ...detailed, open: false })}
          />
        </Suspense>
      )}
    </>
  );
}
