import { useSearch } from '@tanstack/react-router';
import { isAskPath } from '#shared/identity/next-page.ts';
import { useIsHydrating } from '#web/core/hydration.ts';
import { paths } from '#web/core/paths.ts';

/**
 * The page to open after the sign-in. While the page is hydrated it is the one that the server renders with
 * (src/server/page-preloads.ts).
 */
export function useNextPage(): string | undefined {
  const { next } = useSearch({ from: '/visitor' });
  const isHydrating = useIsHydrating();
  if (!isHydrating) return next;
  return isAskPath(next) ? paths.ask : undefined;
}
