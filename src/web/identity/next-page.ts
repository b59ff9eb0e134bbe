import { useLocation, usePageSearch } from '#web/core/router.ts';
import { isAskPath } from '#shared/identity/next-page.ts';
import { useIsHydrating } from '#web/core/hydration.ts';
import { paths, stringifySearch } from '#web/core/paths.ts';
import { parseVisitorSearch } from '#web/core/page-search.ts';

/**
 * The page to open after the sign-in. While the page is hydrated it is the one that the server renders with
 * (src/server/page-preloads.ts).
 */
export function useNextPage(): string | undefined {
  const { next } = usePageSearch(parseVisitorSearch);
  const isHydrating = useIsHydrating();
  if (!isHydrating) return next;
  return isAskPath(next) ? paths.ask : undefined;
}

/** Whether the visitor is here because the session ended. The server does not know it. */
export function useSessionEnded(): boolean {
  const { sessionEnded } = useLocation().state;
  return !useIsHydrating() && sessionEnded === true;
}

/** The path of another page for visitors, with the page to open afterwards and the invitation in the hash. */
export function useVisitorPath(path: string): string {
  const next = useNextPage();
  const { hash } = useLocation();
  // The server does not know the hash.
  const isHydrating = useIsHydrating();
  return path + stringifySearch({ next }) + (isHydrating || hash === '' ? '' : `#${hash}`);
}
