import { t } from '@lingui/core/macro';
import { VisuallyHidden } from '@mantine/core';
import { IconClock } from '@tabler/icons-react';
import classes from './QueuedMark.module.css';

export const getQueuedLabel = () => t`Waiting for the connection`;

/** Marks what is shown as the member wants it and the server does not know yet. @param words shows the text as well. */
export function QueuedMark({
  className,
  showLabel = false,
}: {
  className?: string | undefined;
  showLabel?: boolean;
}) {
  return (
    <span className={`${classes.mark} ${className ?? ''}`} title={showLabel ? undefined : getQueuedLabel()}>
      <IconClock size={15} stroke={1.8} aria-hidden="true" />
      {showLabel ? getQueuedLabel() : <VisuallyHidden>{getQueuedLabel()}</VisuallyHidden>}
    </span>
  );
}
