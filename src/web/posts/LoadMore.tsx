import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import classes from './LoadMore.module.css';

export function LoadMore({
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
    <div className={classes.more}>
      {more.isError && <p role="alert">{failure}</p>}
      <Button variant="default" size="sm" loading={more.isPending} onClick={() => more.mutate()}>
        {name}
      </Button>
    </div>
  );
}
