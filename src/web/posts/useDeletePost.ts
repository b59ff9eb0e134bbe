import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { deletePost } from './post-api.ts';
import type { PostRef } from './post-ref.ts';

/**
 * Deleting after one question. Where the post is gone already, the outcome is what was wanted.
 * @param onDeleted takes it off the page.
 * @param onFailed says why not.
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
    onSuccess: async () => {
      setIsConfirming(false);
      await onDeleted();
    },
    onError: async (error) => {
      setIsConfirming(false);
      await onFailed(error);
    },
  });
  return {
    ask: () => setIsConfirming(true),
    dialog: {
      opened: isConfirming,
      deleting: remove.isPending,
      onDelete: () => {
        if (!remove.isPending) remove.mutate();
      },
      onCancel: () => setIsConfirming(false),
    },
  };
}
