import { t } from '@lingui/core/macro';
import { IconBellOff } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { patchPost, PostButton, useQuestionPage } from '#web/posts/index.ts';
import { logFailureAndToastRefusal } from '#web/core/errors.ts';
import { toast } from '#web/core/toast.ts';
import { muteKeys, setQuestionMute } from './question-mutes.ts';

/**
 * Unmutes a muted question; muted questions send no notifications. Shown on muted questions, and stays until the page
 * is left, so that the focus is not lost when it is pressed.
 */
export function MuteQuestionButton({ muted }: { muted: boolean }) {
  const mute = useMuteQuestion();
  const [isRendered, setIsRendered] = useState(muted);
  if (muted && !isRendered) setIsRendered(true);
  if (!isRendered) return null;
  return (
    <PostButton
      label={muted ? t`Muted` : t`Mute`}
      Icon={IconBellOff}
      short
      active={muted}
      pressed={muted}
      busy={mute.isPending}
      onPress={() => {
        if (!mute.isPending) mute.mutate(!muted);
      }}
    />
  );
}

/** Mutes or unmutes the question of the page. The change is optimistic and is reverted if the server refuses. */
export function useMuteQuestion() {
  const { cache, questionId } = useQuestionPage();
  const client = useQueryClient();
  const show = (muted: boolean) =>
    cache.update((page) => patchPost(page, { kind: 'question', id: questionId }, { muted }));
  const mute = useMutation({
    mutationFn: (muted: boolean) => setQuestionMute(questionId, muted),
    onMutate: show,
    onSuccess: async (state) => {
      await show(state.muted);
      void client.invalidateQueries({ queryKey: muteKeys.questions });
      if (state.muted)
        toast(t`Question muted`, {
          label: t`Undo`,
          run: () => mute.mutate(false),
        });
      else toast(t`Question unmuted`);
    },
    onError: async (error, wanted) => {
      await show(!wanted);
      logFailureAndToastRefusal('Muting', error);
    },
  });
  return mute;
}
