import { t } from '@lingui/core/macro';
import { Button, VisuallyHidden } from '@mantine/core';
import { IconCheck, IconClock, IconPlus } from '@tabler/icons-react';
import { useId } from 'react';
import { useMember } from '#web/platform/session.ts';
import classes from '#web/topics/topic-button.module.css';
import { waitingText } from '#web/ui/WaitingMark.tsx';
import { useFollowTopic } from './useFollowTopic.ts';
import { useWaitingTopicFollow } from './waiting-follows.ts';

/** 'Follow' or 'Following'; disabled while saving. */
export function FollowTopicButton({
  tag,
  following,
  describedBy,
  onChange,
}: {
  tag: string;
  following: boolean;
  /** The id of the element that names the topic. */
  describedBy: string;
  onChange?: (following: boolean) => void;
}) {
  const follow = useFollowTopic(tag, following);
  const waits = useWaitingTopicFollow(useMember()?.id ?? null, tag);
  // What was pressed, whatever comes in meanwhile.
  const shown = waits ?? (follow.isPending ? follow.variables : following);
  const waitingId = useId();
  const Icon = waits !== undefined ? IconClock : shown ? IconCheck : IconPlus;

  function toggle() {
    const wanted = !shown;
    onChange?.(wanted);
    follow.mutate(wanted, { onError: () => onChange?.(!wanted) });
  }

  return (
    <>
      <Button
        size="compact-sm"
        variant={shown ? 'default' : 'light'}
        className={classes.button ?? ''}
        disabled={follow.isPending}
        aria-describedby={waits === undefined ? describedBy : `${describedBy} ${waitingId}`}
        title={waits === undefined ? undefined : waitingText()}
        leftSection={<Icon size={15} stroke={2} aria-hidden />}
        onClick={toggle}
      >
        {shown ? t`Following` : t`Follow`}
      </Button>
      {waits !== undefined && <VisuallyHidden id={waitingId}>{waitingText()}</VisuallyHidden>}
    </>
  );
}
