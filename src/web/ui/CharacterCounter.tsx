import { countCodePoints } from '#shared/core/text.ts';
import classes from './CharacterCounter.module.css';

/** '12/200': characters as the server counts them, without the spaces around, which are not kept. */
export function CharacterCounter({ text, max }: { text: string; max: number }) {
  const count = countCodePoints(text.trim());
  return (
    <div className={classes.counter} data-over={count > max || undefined}>
      {count}/{max}
    </div>
  );
}
