import classes from './UnreadBadge.module.css';

/** The number on the bell, 99+ above 99 (docs/product.md 12.4). Decoration: the control it stands on says the count. */
export function UnreadBadge({ count }: { count: number }) {
  if (count === 0) return null;
  return (
    <span className={classes.badge} aria-hidden="true">
      {count > 99 ? '99+' : count}
    </span>
  );
}
