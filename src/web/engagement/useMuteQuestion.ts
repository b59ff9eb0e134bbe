import { t } from '@lingui/core/macro';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { logFailureAndToastRefusal } from '#web/core/errors.ts';
import { toast } from '#web/core/toast.ts';
import { patchPost, useQuestionPage } from '#web/posts/index.ts';
import { muteKeys, setQuestionMute } from './mutes.ts';

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
