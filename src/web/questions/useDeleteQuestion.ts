import { t } from '@lingui/core/macro';
import { useRouter } from '@tanstack/react-router';
import { paths } from '#web/platform/paths.ts';
import { said } from '#web/platform/said.ts';
import { isStatus } from '#web/platform/errors.ts';
import { toast, toastError } from '#web/platform/toast.ts';
import { useQuestionPage } from '#web/posts/page-context.ts';
import { useDeletePost } from '#web/posts/useDeletePost.ts';

/** Deletes the question and goes home (docs/product.md 4.4); failures in the words of 16.5. */
export function useDeleteQuestion(id: number) {
  const router = useRouter();
  const { cache } = useQuestionPage();
  return useDeletePost(
    { kind: 'question', id },
    {
      onDeleted: async () => {
        await router.navigate({ to: paths.home });
        cache.forget();
        cache.refreshLists();
        toast(t`Question deleted`);
      },
      onFailed: (error) => toastError(messageOf(error)),
    },
  );
}

function messageOf(error: Error): string {
  if (isStatus(error, 403)) return said('You can only delete your own questions.');
  if (isStatus(error, 404)) return said('Question not found or already deleted.');
  return t`Failed to delete question: ${error.message}`;
}
