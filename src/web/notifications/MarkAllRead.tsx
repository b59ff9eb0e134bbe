import { Button } from '@mantine/core';
import { useMarkAllRead } from './notifications.ts';
import classes from './MarkAllRead.module.css';

/** @param newest the id of the newest notification on the page; null where there is none. */
export function MarkAllRead({ newest, unread }: { newest: number | null; unread: number }) {
  const markAll = useMarkAllRead();
  return (
    <Button
      size="compact-sm"
      variant="subtle"
      className={classes.button ?? ''}
      disabled={unread === 0 || markAll.isPending}
      onClick={() => markAll.mutate(newest)}
    >
      Mark all read
    </Button>
  );
}
