import { useMutation } from '@tanstack/react-query';
import { LoadMore } from '#web/ui/LoadMore.tsx';

/** Loads more answers or replies into the page's cache. */
export function LoadMorePosts({
  name,
  failure,
  load,
}: {
  name: string;
  failure: string;
  load: () => Promise<void>;
}) {
  const more = useMutation({ mutationFn: load });
  return (
    <LoadMore
      name={name}
      failure={more.isError ? failure : null}
      isLoading={more.isPending}
      load={more.mutate}
      variant="thread"
    />
  );
}
