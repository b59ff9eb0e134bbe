import { t } from '@lingui/core/macro';
import { useLocation } from '@tanstack/react-router';
import { parseAfter, parseSearch, stringifySearch } from '#web/core/paths.ts';
import { PathLink } from './PathLink.tsx';
import classes from './list-states.module.css';

/** Where the list of this page begins; null at its beginning. */
export function useListStart(): string | null {
  const after = useLocation({ select: ({ searchStr }) => parseSearch(searchStr)['after'] });
  return parseAfter(after) ?? null;
}

/** Returns the address of this page with its list from a cursor on; undefined at the end of the list. */
export function useNextPageAddress(cursor: string | null): string | undefined {
  const { pathname, searchStr } = useLocation();
  if (cursor === null) return undefined;
  return pathname + stringifySearch({ ...parseSearch(searchStr), after: cursor });
}

/** The link to the beginning of a list that begins later. */
export function FirstPageLink() {
  const { pathname, searchStr } = useLocation();
  if (useListStart() === null) return null;
  const { after: _, ...search } = parseSearch(searchStr);
  return (
    <p className={classes.firstPage}>
      <PathLink href={pathname + stringifySearch(search)} rel="first">{t`First page`}</PathLink>
    </p>
  );
}
