import { t } from '@lingui/core/macro';
import { Button } from '@mantine/core';
import { useMarkAllRead } from './notifications.ts';
import classes from './MarkAllRead.module.css';

/**
 * Stays focusable when there is nothing to mark, so that the keyboard goes on from here.
 * @param newest the id of the newest notification on the page; null where there is none.
 */
export function MarkAllRead({ newest, unread }: { newest: number | null; unread: number }) {
  const markAll = useMarkAllRead();
  const idle = unread === 0 || markAll.isPending;
  return (
    <Button
      size="compact-sm"
      variant="subtle"
      className={classes.button ?? ''}
      {...(idle && { 'data-disabled': true })}
      aria-disabled={idle}
      onClick={() => {
        if (!idle) markAll.mutate({ upTo: newest });
      }}
    >
      {t`Mark all read`}
    </Button>
  );
}
