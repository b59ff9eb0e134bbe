import { t } from '@lingui/core/macro';
import { IconCircleCheck, IconCircleCheckFilled } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { isTransient } from '#web/core/errors.ts';
import { toastError } from '#web/core/toast.ts';
import { useQuestionPage } from './questions/question-page-context.ts';
import { PostButton } from './PostActions.tsx';
import { acceptAnswer } from './post-api.ts';
import { moveAnswer, setAcceptedAnswer, setAcceptedAnswerFirst } from './questions/question-page-data.ts';

/**
 * For the question's author: accepts the answer instead of any other, or withdraws the acceptance. The answer moves to
 * the top immediately.
 */
export function AcceptAnswerButton({ answerId }: { answerId: number }) {
  const { questionId, cache, acceptedAnswerId, reveal } = useQuestionPage();
  const accepted = acceptedAnswerId === answerId;
  const show = (answerId: number | null) => cache.update((page) => setAcceptedAnswer(page, answerId));
  const save = useMutation({
    mutationFn: (wanted: number | null) => acceptAnswer(questionId, wanted),
    onMutate: async (wanted) => {
      const { items = [] } = cache.read()?.answers ?? {};
      const predecessor = items[items.findIndex(({ id }) => id === wanted) - 1]?.id ?? null;
      // The answer moves immediately, and the page scrolls with it.
      await cache.update((page) => setAcceptedAnswerFirst(page, wanted));
      if (wanted !== null) reveal({ kind: 'answer', id: wanted });
      return { accepted: acceptedAnswerId, predecessor };
    },
    onSuccess: async (now) => {
      await show(now.acceptedAnswerId);
      cache.refreshLists();
    },
    onError: async (error, wanted, before) => {
      if (before !== undefined)
        await cache.update((page) =>
          moveAnswer(setAcceptedAnswer(page, before.accepted), wanted, before.predecessor),
        );
      toastError(
        isTransient(error)
          ? t`Could not accept the answer: the server cannot be reached. Please try again later.`
          : error.message,
      );
    },
  });
  return (
    <PostButton
      label={t`Accept answer`}
      Icon={accepted ? IconCircleCheckFilled : IconCircleCheck}
      short
      // The line above the text says 'Accepted answer'.
      bare={accepted}
      {...(accepted && { hint: t`Accepted. Press to withdraw.` })}
      pressed={accepted}
      busy={save.isPending}
      onPress={() => {
        if (!save.isPending) save.mutate(accepted ? null : answerId);
      }}
    />
  );
}
