import { t } from '@lingui/core/macro';
import { useLocation } from '#web/core/router.ts';
import { parseAfter, parseSearch, stringifySearch } from '#web/core/paths.ts';
import { Link } from './Link.tsx';
import classes from './list-states.module.css';

/** Where the list of this page begins; null at its beginning. */
export function useListStart(): string | null {
  return parseAfter(parseSearch(useLocation().search)['after']) ?? null;
}

/** Returns the address of this page with its list from a cursor on; undefined at the end of the list. */
export function useNextPageAddress(cursor: string | null): string | undefined {
  const { pathname, search } = useLocation();
  if (cursor === null) return undefined;
  return pathname + stringifySearch({ ...parseSearch(search), after: cursor });
}

/** The link to the beginning of a list that begins later. */
export function FirstPageLink() {
  const { pathname, search } = useLocation();
  if (useListStart() === null) return null;
  const { after: _, ...others } = parseSearch(search);
  return (
    <p className={classes.firstPage}>
      <Link href={pathname + stringifySearch(others)} rel="first">{t`First page`}</Link>
    </p>
  );
}
