import { t } from '@lingui/core/macro';
import { Button } from '#web/ui/Button.tsx';
import { IconEyeOff } from '@tabler/icons-react';
import topic from './tag-button.module.css';
import { useMuteTag } from './useMuteTag.ts';

/**
 * Mutes a tag: its questions do not appear in the member's feeds.
 * @param describedBy the id of the element with the name of the tag.
 */
export function MuteTagButton(props: {
  tag: string;
  muted: boolean;
  following: boolean;
  describedBy: string;
}) {
  const { tag, following, describedBy } = props;
  const mute = useMuteTag(tag, following);
  // The pressed state, whatever arrives meanwhile.
  const muted = mute.isPending ? mute.variables : props.muted;
  return (
    <Button
      size="compact-sm"
      data-sign-in="act"
      variant={muted ? 'default' : 'subtle'}
      color="gray"
      className={`${topic.button} ${topic.mute}`}
      disabled={mute.isPending}
      aria-pressed={muted}
      aria-describedby={describedBy}
      title={muted ? t`Its questions are hidden from your feeds` : t`Hide its questions from your feeds`}
      leftSection={<IconEyeOff size={15} stroke={2} aria-hidden />}
      onClick={() => mute.mutate(!muted)}
    >
      {muted ? t`Muted` : t`Mute`}
    </Button>
  );
}
