import { t } from '@lingui/core/macro';
import { IconCircleCheck, IconCircleCheckFilled } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { isTransient, translateServerMessage } from '#web/core/errors.ts';
import { toastError } from '#web/core/toast.ts';
import { useQuestionPage } from './questions/question-page-context.ts';
import { PostAction } from './PostActions.tsx';
import { acceptAnswer } from './post-api.ts';
import { setAcceptedAnswer, setAcceptedAnswerFirst } from './questions/question-page-data.ts';

/** For who asked: says that this answer solved it, instead of another one, or takes that back. Shows at once, first in the list. */
export function AcceptAnswerButton({ answerId }: { answerId: number }) {
  const { questionId, cache, acceptedAnswerId, reveal } = useQuestionPage();
  const accepted = acceptedAnswerId === answerId;
  const show = (answerId: number | null) => cache.update((page) => setAcceptedAnswer(page, answerId));
  const save = useMutation({
    mutationFn: (wanted: number | null) => acceptAnswer(questionId, wanted),
    onMutate: async (wanted) => {
      // It moves to its place at once; who accepted it moves along.
      await cache.update((page) => setAcceptedAnswerFirst(page, wanted));
      if (wanted !== null) reveal({ kind: 'answer', id: wanted });
      return acceptedAnswerId;
    },
    onSuccess: async (now) => {
      await show(now.acceptedAnswerId);
      cache.refreshLists();
    },
    onError: async (error, _, before = null) => {
      await show(before);
      toastError(
        isTransient(error)
          ? t`The server cannot be reached, so the answer was not marked. Try again when it is back.`
          : translateServerMessage(error.message),
      );
    },
  });
  return (
    <PostAction
      label={t`Accept answer`}
      Icon={accepted ? IconCircleCheckFilled : IconCircleCheck}
      short
      pressed={accepted}
      busy={save.isPending}
      onPress={() => {
        if (!save.isPending) save.mutate(accepted ? null : answerId);
      }}
    />
  );
}
