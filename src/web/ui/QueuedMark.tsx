import { t } from '@lingui/core/macro';
import { VisuallyHidden } from './VisuallyHidden.tsx';
import { IconClock } from '@tabler/icons-react';
import classes from './QueuedMark.module.css';

export const getQueuedLabel = () => t`Waiting for connection`;

/**
 * Marks a state that is queued and not saved on the server yet.
 * @param showLabel whether the text is visible; otherwise it is for screen readers and the tooltip.
 */
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
