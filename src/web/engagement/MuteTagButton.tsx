import { t } from '@lingui/core/macro';
import { Button } from '@mantine/core';
import { IconEyeOff } from '@tabler/icons-react';
import topic from './tag-button.module.css';
import { useMuteTag } from './useMuteTag.ts';

/** t`Mute` or t`Muted`: questions of the topic leave the member's feeds. @param describedBy the id of what names it. */
export function MuteTagButton(props: {
  tag: string;
  muted: boolean;
  following: boolean;
  describedBy: string;
}) {
  const { tag, following, describedBy } = props;
  const mute = useMuteTag(tag, following);
  // What was pressed, whatever comes in meanwhile.
  const muted = mute.isPending ? mute.variables : props.muted;
  return (
    <Button
      size="compact-sm"
      variant={muted ? 'default' : 'subtle'}
      color="gray"
      className={`${topic.button} ${topic.mute}`}
      disabled={mute.isPending}
      aria-pressed={muted}
      aria-describedby={describedBy}
      title={muted ? t`Its questions stay out of your feeds` : t`Keep its questions out of your feeds`}
      leftSection={<IconEyeOff size={15} stroke={2} aria-hidden />}
      onClick={() => mute.mutate(!muted)}
    >
      {muted ? t`Muted` : t`Mute`}
    </Button>
  );
}
