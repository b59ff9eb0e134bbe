import { t } from '@lingui/core/macro';
import { Button } from '@mantine/core';
import { useMarkAllRead } from './notifications.ts';
import classes from './MarkAllRead.module.css';

/**
 * Stays focusable when there is nothing to mark, so that the keyboard goes on from here.
 * @param newest the id of the newest notification on the page; null where there is none.
 */
export function MarkAllReadButton({ newest, unread }: { newest: number | null; unread: number }) {
  const markAll = useMarkAllRead();
  const isDisabled = unread === 0 || markAll.isPending;
  return (
    <Button
      size="compact-sm"
      variant="subtle"
      className={classes.button ?? ''}
      {...(isDisabled && { 'data-disabled': true })}
      aria-disabled={isDisabled}
      onClick={() => {
        if (!isDisabled) markAll.mutate({ upTo: newest });
      }}
    >
      {t`Mark all read`}
    </Button>
  );
}
