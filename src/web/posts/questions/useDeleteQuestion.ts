import { t } from '@lingui/core/macro';
import { isSamePage, useLocation, useRouter } from '#web/core/router.ts';
import { paths } from '#web/core/paths.ts';
import { hasStatus, translateError } from '#web/core/errors.ts';
import { toast, toastError } from '#web/core/toast.ts';
import { useQuestionPage } from './question-page-context.ts';
import { useDeletePost } from '#web/posts/useDeletePost.ts';

/** Deletes the question and navigates home (docs/product.md 4.4). Error texts: docs/product.md 16.5. */
export function useDeleteQuestion(id: number) {
  const router = useRouter();
  const page = useLocation();
  const { cache } = useQuestionPage();
  return useDeletePost(
    { kind: 'question', id },
    {
      onDeleted: async () => {
        // The reader may have gone on to another page meanwhile.
        if (isSamePage(router.location, page)) await router.navigate(paths.home, { replace: true });
        cache.remove();
        cache.refreshLists();
        toast(t`Question deleted`);
      },
      onFailed: (error) => toastError(deleteErrorMessage(error)),
    },
  );
}

function deleteErrorMessage(error: Error): string {
  if (hasStatus(error, 403)) return translateError('question-deletion-not-author');
  if (hasStatus(error, 404)) return translateError('question-already-deleted');
  return t`Failed to delete question: ${error.message}`;
}
