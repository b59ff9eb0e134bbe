import { t } from '@lingui/core/macro';
import { IconBellOff } from '@tabler/icons-react';
import { useState } from 'react';
import { PostAction } from '#web/posts/index.ts';
import { useMuteQuestion } from './useMuteQuestion.ts';

/**
 * Unmutes a muted question; muted questions send no notifications. Shown on muted questions, and stays until the page
 * is left, so that the focus is not lost when it is pressed.
 */
export function MuteQuestionButton({ muted }: { muted: boolean }) {
  const mute = useMuteQuestion();
  const [isRendered, setIsRendered] = useState(muted);
  if (muted && !isRendered) setIsRendered(true);
  if (!isRendered) return null;
  return (
    <PostAction
      label={muted ? t`Muted` : t`Mute`}
      Icon={IconBellOff}
      short
      active={muted}
      pressed={muted}
      busy={mute.isPending}
      onPress={() => {
        if (!mute.isPending) mute.mutate(!muted);
      }}
    />
  );
}
