import { useLocation, useSearch } from '@tanstack/react-router';
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

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** Whether the session ended on the page before /login (app/MemberLayout.tsx). */
    sessionEnded?: boolean;
  }
}

/** Whether the visitor is here because the session ended. The server does not know it. */
export function useSessionEnded(): boolean {
  const { sessionEnded } = useLocation().state;
  return !useIsHydrating() && sessionEnded === true;
}
