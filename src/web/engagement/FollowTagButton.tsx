import { t } from '@lingui/core/macro';
import { Button } from '#web/ui/Button.tsx';
import { VisuallyHidden } from '#web/ui/VisuallyHidden.tsx';
import { IconCheck, IconClock, IconPlus } from '@tabler/icons-react';
import { useId } from 'react';
import { useMember } from '#web/core/session.ts';
import classes from './tag-button.module.css';
import { getQueuedLabel } from '#web/ui/QueuedMark.tsx';
import { useFollowTag } from './useFollowTag.ts';
import { useQueuedTagFollow } from './follows-offline.ts';

/** 'Follow' or 'Following'. Disabled while it saves. */
export function FollowTagButton({
  tag,
  following,
  describedBy,
  onChange,
}: {
  tag: string;
  following: boolean;
  /** The id of the element with the name of the tag. */
  describedBy: string;
  onChange?: (following: boolean) => void;
}) {
  const follow = useFollowTag(tag, following);
  const queued = useQueuedTagFollow(useMember()?.id ?? null, tag);
  // The pressed state, whatever arrives meanwhile.
  const isFollowing = queued ?? (follow.isPending ? follow.variables : following);
  const queuedNoteId = useId();
  const Icon = queued !== undefined ? IconClock : isFollowing ? IconCheck : IconPlus;

  function toggle() {
    const nextFollowing = !isFollowing;
    onChange?.(nextFollowing);
    follow.mutate(nextFollowing, { onError: () => onChange?.(!nextFollowing) });
  }

  return (
    <>
      <Button
        size="compact-sm"
        data-sign-in="follow"
        variant={isFollowing ? 'default' : 'light'}
        className={classes.button ?? ''}
        disabled={follow.isPending}
        aria-describedby={queued === undefined ? describedBy : `${describedBy} ${queuedNoteId}`}
        title={queued === undefined ? undefined : getQueuedLabel()}
        leftSection={<Icon size={15} stroke={2} aria-hidden />}
        onClick={toggle}
      >
        {isFollowing ? t`Following` : t`Follow`}
      </Button>
      {queued !== undefined && <VisuallyHidden id={queuedNoteId}>{getQueuedLabel()}</VisuallyHidden>}
    </>
  );
}
