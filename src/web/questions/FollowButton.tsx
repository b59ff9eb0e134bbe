import { IconBell, IconBellFilled } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { api, read } from '#web/platform/api.ts';
import { logFailureOrSayRefusal } from '#web/platform/log.ts';
import { useQuestionPage } from '#web/posts/page-context.ts';
import { PostAction } from '#web/posts/PostActions.tsx';
import { patchPost } from '#web/posts/question-page.ts';

/** Shows at once, and back again when the server refuses it. */
export function FollowButton({ questionId, following }: { questionId: number; following: boolean }) {
  const { cache } = useQuestionPage();
  const show = (following: boolean) =>
    cache.change((page) => patchPost(page, { kind: 'question', id: questionId }, { following }));
  const follow = useMutation({
    mutationFn: (following: boolean) =>
      read(api.questions[':id'].follow.$put({ param: { id: String(questionId) }, json: { following } })),
    onMutate: show,
    onSuccess: async (state) => {
      await show(state.following);
      cache.refreshLists();
    },
    onError: async (error, wanted) => {
      await show(!wanted);
      logFailureOrSayRefusal('Following', error);
    },
  });
  return (
    <PostAction
      name={following ? 'Following question' : 'Follow question'}
      Icon={following ? IconBellFilled : IconBell}
      active={following}
      busy={follow.isPending}
      onPress={() => {
        if (!follow.isPending) follow.mutate(!following);
      }}
    />
  );
}
