import { t } from '@lingui/core/macro';
import { useLocation } from '#web/core/router.ts';
import { Link } from './Link.tsx';
import { useListStart, withListStart } from './list-address.ts';
import classes from './list-states.module.css';

/** The link to the beginning of a list that begins later. */
export function FirstPageLink() {
  const { pathname, search } = useLocation();
  if (useListStart() === null) return null;
  return (
    <p className={classes.firstPage}>
      <Link href={pathname + withListStart(search, null)} rel="first">{t`First page`}</Link>
    </p>
  );
}
