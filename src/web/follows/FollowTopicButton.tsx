import { Button } from '@mantine/core';
import { IconCheck, IconPlus } from '@tabler/icons-react';
import { useFollowTopic } from './follows.ts';
import classes from './FollowTopicButton.module.css';

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
  const follow = useFollowTopic(tag);

  function toggle() {
    const wanted = !following;
    onChange?.(wanted);
    follow.mutate(wanted, { onError: () => onChange?.(!wanted) });
  }

  return (
    <Button
      size="compact-sm"
      variant={following ? 'default' : 'light'}
      className={classes.button ?? ''}
      disabled={follow.isPending}
      aria-describedby={describedBy}
      leftSection={
        following ? (
          <IconCheck size={15} stroke={2} aria-hidden />
        ) : (
          <IconPlus size={15} stroke={2} aria-hidden />
        )
      }
      onClick={toggle}
    >
      {following ? 'Following' : 'Follow'}
    </Button>
  );
}
