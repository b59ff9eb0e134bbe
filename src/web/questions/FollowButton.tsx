import { t } from '@lingui/core/macro';
import { VisuallyHidden } from '@mantine/core';
import { IconBell, IconBellFilled, IconClock } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import {
  followQuestionAction,
  setFollowQuestion,
  useWaitingQuestionFollow,
} from '#web/follows/waiting-follows.ts';
import { logFailureOrSayRefusal } from '#web/platform/log.ts';
import { sendOrWait } from '#web/platform/send-waiting.ts';
import { useQuestionPage } from '#web/posts/page-context.ts';
import { PostAction } from '#web/posts/PostActions.tsx';
import { patchPost } from '#web/posts/question-page.ts';
import { waitingText } from '#web/ui/WaitingMark.tsx';

/** Shows at once, and back again when the server refuses it. */
export function FollowButton({ questionId, following }: { questionId: number; following: boolean }) {
  const { cache, member } = useQuestionPage();
  const wanted = useWaitingQuestionFollow(member.id, questionId);
  const shown = wanted ?? following;
  const Icon = shown ? IconBellFilled : IconBell;
  const show = (following: boolean) =>
    cache.change((page) => patchPost(page, { kind: 'question', id: questionId }, { following }));
  const follow = useMutation({
    mutationFn: (following: boolean) =>
      sendOrWait(member.id, followQuestionAction({ questionId, following }), (sending) =>
        setFollowQuestion({ questionId, following }, sending),
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
      logFailureOrSayRefusal('Following', error);
    },
  });
  return (
    <>
      <PostAction
        label={shown ? t`Following question` : t`Follow question`}
        Icon={wanted === undefined ? Icon : IconClock}
        active={shown}
        short
        busy={follow.isPending}
        onPress={() => {
          if (!follow.isPending) follow.mutate(!shown);
        }}
      />
      {wanted !== undefined && <VisuallyHidden>{waitingText()}</VisuallyHidden>}
    </>
  );
}
