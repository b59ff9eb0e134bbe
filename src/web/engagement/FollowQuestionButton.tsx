import { t } from '@lingui/core/macro';
import { VisuallyHidden } from '@mantine/core';
import { IconBell, IconBellFilled, IconClock } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { followQuestionAction, setQuestionFollow, useQueuedQuestionFollow } from './follows-offline.ts';
import { logFailureAndToastRefusal } from '#web/core/errors.ts';
import { sendOrQueue } from '#web/core/offline-queue-sender.ts';
import { useQuestionPage } from '#web/posts/questions/question-page-context.ts';
import { PostAction } from '#web/posts/PostActions.tsx';
import { patchPost } from '#web/posts/questions/question-page-data.ts';
import { getQueuedLabel } from '#web/ui/QueuedMark.tsx';

/** Shows at once, and back again when the server refuses it. */
export function FollowQuestionButton({ questionId, following }: { questionId: number; following: boolean }) {
  const { cache, member } = useQuestionPage();
  const wanted = useQueuedQuestionFollow(member.id, questionId);
  const isFollowing = wanted ?? following;
  const Icon = isFollowing ? IconBellFilled : IconBell;
  const show = (following: boolean) =>
    cache.update((page) => patchPost(page, { kind: 'question', id: questionId }, { following }));
  const follow = useMutation({
    mutationFn: (following: boolean) =>
      sendOrQueue(member.id, followQuestionAction({ questionId, following }), (sending) =>
        setQuestionFollow({ questionId, following }, sending),
      ),
    onMutate: async (wanted) => {
      await show(wanted);
      return following;
    },
    onSuccess: async (state, _, before) => {
      // One that waits is shown on top of what the server has.
      await show(state?.following ?? before);
      if (state !== null) cache.refreshLists();
    },
    onError: async (error, _, before = following) => {
      await show(before);
      logFailureAndToastRefusal('Following', error);
    },
  });
  return (
    <>
      <PostAction
        label={isFollowing ? t`Following question` : t`Follow question`}
        Icon={wanted === undefined ? Icon : IconClock}
        active={isFollowing}
        short
        busy={follow.isPending}
        onPress={() => {
          if (!follow.isPending) follow.mutate(!isFollowing);
        }}
      />
      {wanted !== undefined && <VisuallyHidden>{getQueuedLabel()}</VisuallyHidden>}
    </>
  );
}
