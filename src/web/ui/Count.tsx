import { exactCount, shortCount } from '#web/platform/counts.ts';
import classes from './Count.module.css';
import { countText, type Counted } from './count-text.ts';

/** '3 upvotes'; a shortened number ('1.2k views') has the exact one as its title. */
export function Count({ of, singular }: { of: number; singular: Counted }) {
  return (
    <span className={classes.count} title={of > 999 ? countText(singular, of, exactCount(of)) : undefined}>
      {countText(singular, of, shortCount(of))}
    </span>
  );
}
