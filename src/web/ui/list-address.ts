import { useLocation } from '#web/core/router.ts';
import { parseAfter, parseSearch, stringifySearch } from '#web/core/paths.ts';

/** Where the list of this page begins; null at its beginning. */
export function useListStart(): string | null {
  return parseAfter(parseSearch(useLocation().search)['after']) ?? null;
}

/** Returns the address of this page with its list from a cursor on; undefined at the end of the list. */
export function useNextPageAddress(cursor: string | null): string | undefined {
  const { pathname, search } = useLocation();
  if (cursor === null) return undefined;
  return pathname + withListStart(search, cursor);
}

/** The query string of an address with its list from a cursor on; null: from its beginning. */
export function withListStart(search: string, cursor: string | null): string {
  const { after: _, ...others } = parseSearch(search);
  return stringifySearch({ ...others, after: cursor });
}
