import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { deletePost } from './post-api.ts';
import type { PostRef } from '#shared/core/fields.ts';

/**
 * Deletes an answer or a reply after a confirmation. A post that is already gone counts as deleted.
 * @param onDeleted removes it from the page.
 * @param onFailed shows the reason.
 */
export function useDeletePost(
  post: PostRef,
  {
    onDeleted,
    onFailed,
  }: { onDeleted: () => Promise<void> | void; onFailed: (error: Error) => Promise<void> | void },
) {
  const [isConfirming, setIsConfirming] = useState(false);
  const remove = useMutation({
    mutationFn: () => deletePost(post),
    onSettled: (_, error) => {
      setIsConfirming(false);
      return error === null ? onDeleted() : onFailed(error);
    },
  });
  return {
    ask: () => setIsConfirming(true),
    dialog: {
      opened: isConfirming,
      busy: remove.isPending,
      onConfirm: () => {
        if (!remove.isPending) remove.mutate();
      },
      onCancel: () => setIsConfirming(false),
    },
  };
}
