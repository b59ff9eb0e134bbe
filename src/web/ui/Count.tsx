import { formatCount, formatShortCount } from '#web/core/format.ts';
import classes from './Count.module.css';
import { formatCountOf, type CountedNoun } from './count-text.ts';

/** '3 upvotes'. A shortened count ('1.2k views') has the exact one as its title. */
export function Count({ of, singular }: { of: number; singular: CountedNoun }) {
  return (
    <span
      className={classes.count}
      title={of > 999 ? formatCountOf(singular, of, formatCount(of)) : undefined}
    >
      {formatCountOf(singular, of, formatShortCount(of))}
    </span>
  );
}
