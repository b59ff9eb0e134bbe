import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { deletePost } from './post-api.ts';
import type { PostRef } from './post.ts';

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
  const [asking, setAsking] = useState(false);
  const remove = useMutation({
    mutationFn: () => deletePost(post),
    onSuccess: async () => {
      setAsking(false);
      await onDeleted();
    },
    onError: async (error) => {
      setAsking(false);
      await onFailed(error);
    },
  });
  return {
    ask: () => setAsking(true),
    dialog: {
      opened: asking,
      deleting: remove.isPending,
      onDelete: () => {
        if (!remove.isPending) remove.mutate();
      },
      onCancel: () => setAsking(false),
    },
  };
}
