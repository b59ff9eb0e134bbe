import { t } from '@lingui/core/macro';
import { VisuallyHidden } from '@mantine/core';
import { IconClock } from '@tabler/icons-react';
import classes from './WaitingMark.module.css';

export const waitingText = () => t`Waiting for the connection`;

/** Marks what is shown as the member wants it and the server does not know yet. @param words shows the text as well. */
export function WaitingMark({
  className,
  words = false,
}: {
  className?: string | undefined;
  words?: boolean;
}) {
  return (
    <span className={`${classes.mark} ${className ?? ''}`} title={words ? undefined : waitingText()}>
      <IconClock size={15} stroke={1.8} aria-hidden="true" />
      {words ? waitingText() : <VisuallyHidden>{waitingText()}</VisuallyHidden>}
    </span>
  );
}
