import { countCodePoints } from '#shared/core/text.ts';
import classes from './fields.module.css';

/** '12/200': the length as the server counts it, in code points after trimming. */
export function CharacterCounter({ text, max }: { text: string; max: number }) {
  const count = countCodePoints(text.trim());
  return (
    <div className={classes.counter} data-exceeded={count > max || undefined}>
      {count}/{max}
    </div>
  );
}
