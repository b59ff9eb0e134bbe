import { plural } from '@lingui/core/macro';
import { useEffect, useState } from 'react';
import { useTypingCount } from '#web/platform/writing.ts';
import classes from './Writers.module.css';

/** How long nobody must have been writing before it is worth saying again that somebody is, in milliseconds. */
const quietMs = 60_000;

/** '2 people are writing an answer', never counting oneself. Its line is there from the start, so that nothing jumps. */
export function TypingIndicator({ questionId }: { questionId: number }) {
  const count = useTypingCount(`question:${questionId}`);
  return (
    <p className={classes.writers} aria-live={useAnnouncedOnce(count > 0) ? 'off' : 'polite'}>
      {count > 0 &&
        plural(count, { one: '# person is writing an answer', other: '# people are writing an answer' })}
    </p>
  );
}

/** Screen readers say it when somebody begins, and not again at every coming and going. */
function useAnnouncedOnce(isTyping: boolean): boolean {
  const [announced, setAnnounced] = useState(false);
  useEffect(() => {
    if (announced === isTyping) return undefined;
    const timer = window.setTimeout(() => setAnnounced(isTyping), isTyping ? 1_000 : quietMs);
    return () => window.clearTimeout(timer);
  }, [announced, isTyping]);
  return announced;
}
