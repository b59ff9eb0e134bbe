import { t } from '@lingui/core/macro';
import { VisuallyHidden } from '#web/ui/VisuallyHidden.tsx';
import { IconBell, IconBellFilled, IconClock } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { followQuestionAction, setQuestionFollow, useQueuedQuestionFollow } from './follows-offline.ts';
import { logFailureAndToastRefusal } from '#web/core/errors.ts';
import { sendOrQueue } from '#web/core/send-or-queue.ts';
import { patchPost, PostButton, useQuestionPage } from '#web/posts/index.ts';
import { getQueuedLabel } from '#web/ui/QueuedMark.tsx';

/** Follows a question. The change is optimistic and is reverted if the server refuses. */
export function FollowQuestionButton({ questionId, following }: { questionId: number; following: boolean }) {
  const { cache, member } = useQuestionPage();
  const queuedFollow = useQueuedQuestionFollow(member.id, questionId);
  const isFollowing = queuedFollow ?? following;
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
      // A queued change is shown on top of the server's state.
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
      <PostButton
        label={isFollowing ? t`Following question` : t`Follow question`}
        otherLabel={isFollowing ? t`Follow question` : t`Following question`}
        Icon={queuedFollow === undefined ? Icon : IconClock}
        active={isFollowing}
        signIn="follow"
        short
        busy={follow.isPending}
        onPress={() => {
          if (!follow.isPending) follow.mutate(!isFollowing);
        }}
      />
      {queuedFollow !== undefined && <VisuallyHidden>{getQueuedLabel()}</VisuallyHidden>}
    </>
  );
}
