import { t } from '@lingui/core/macro';
import { IconBellOff } from '@tabler/icons-react';
import { useState } from 'react';
import { PostAction } from '#web/posts/PostActions.tsx';
import { useMuteQuestion } from './useMuteQuestion.ts';

/**
 * t`Muted`: nothing that happens on the question reaches the member's notifications. It stands in the row of a question
 * that is muted, and stays while the page does, so that the focus does not get lost with what one presses.
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
