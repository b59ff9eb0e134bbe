import { t } from '@lingui/core/macro';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { logFailureAndToastRefusal } from '#web/core/errors.ts';
import { toast } from '#web/core/toast.ts';
import { useQuestionPage } from '#web/posts/questions/question-page-context.ts';
import { patchPost } from '#web/posts/questions/question-page-data.ts';
import { muteKeys, setQuestionMute } from './mutes.ts';

/** Mutes the question of the page, or no longer. Shows at once, and back again when the server refuses it. */
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
        toast(t`You will hear nothing more of this question.`, {
          label: t`Undo`,
          run: () => mute.mutate(false),
        });
      else toast(t`You will hear of this question again.`);
    },
    onError: async (error, wanted) => {
      await show(!wanted);
      logFailureAndToastRefusal('Muting', error);
    },
  });
  return mute;
}
