import { plural } from '@lingui/core/macro';
import { useEffect, useState } from 'react';
import { useWriters } from '#web/platform/writing.ts';
import classes from './Writers.module.css';

/** How long nobody must have been writing before it is worth saying again that somebody is, in milliseconds. */
const calm = 60_000;

/** '2 people are writing an answer', never counting oneself. Its line is there from the start, so that nothing jumps. */
export function Writers({ questionId }: { questionId: number }) {
  const count = useWriters(`question:${questionId}`);
  return (
    <p className={classes.writers} aria-live={useToldOnce(count > 0) ? 'off' : 'polite'}>
      {count > 0 &&
        plural(count, { one: '# person is writing an answer', other: '# people are writing an answer' })}
    </p>
  );
}

/** Screen readers say it when somebody begins, and not again at every coming and going. */
function useToldOnce(going: boolean): boolean {
  const [told, setTold] = useState(false);
  useEffect(() => {
    if (told === going) return undefined;
    const timer = window.setTimeout(() => setTold(going), going ? 1_000 : calm);
    return () => window.clearTimeout(timer);
  }, [told, going]);
  return told;
}
