import { queryOptions, useQuery, type Query, type QueryClient } from '@tanstack/react-query';
import type { Me, SessionState } from '#shared/identity/accounts.ts';
import type { SitePageName } from '#shared/core/site-page-names.ts';
import type { FooterLink } from '#shared/core/site-pages.ts';
import { requestSession, setPageMember } from './api.ts';
import { clearOfflinePages } from './offline-cache.ts';

/**
 * `hasSignedOut`: the member pressed Logout here and wants no way back to the current page. `publicReading`: visitors
 * may read. `formulas`: posts show formulas. `siteName`: the name of the community. `logo`: its picture. `pages`: those that
 * have a text.
 * `welcomeText`: for visitors.
 */
export type Session = SessionState & {
  hasSignedOut?: boolean;
  publicReading?: boolean;
  formulas?: boolean;
  siteName?: string;
  logo?: string;
  pages?: readonly SitePageName[];
  footerLinks?: readonly FooterLink[];
  welcomeText?: string;
};

/** Stands for a visitor who reads, where a page needs a member. No member has the id 0. */
export const visitor: Me = {
  id: 0,
  displayName: '',
  avatar: null,
  email: '',
  bio: null,
  createdAt: '',
  updatedAt: '',
  reputation: 0,
  questionsCount: 0,
  answersCount: 0,
  role: 'member',
  suspended: null,
  pendingStep: null,
  unreadModeratorMessages: 0,
  hiddenPosts: 0,
};

/** True until the next sign-in. The end of the session may be noticed before and after the response to signing out. */
let hasSignedOutHere = false;

export const getEndedSession = (): Session =>
  hasSignedOutHere ? { member: null, hasSignedOut: true } : { member: null };

/** The signed-in member. Loaded before any page is shown (app/layouts.ts), so that it is available everywhere. */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  // Without the signal: an error page that shows the name of the site and goes away would cancel the request of the router.
  queryFn: async (): Promise<Session> => {
    const state = await requestSession();
    if (state.member === null && hasSignedOutHere) await clearOfflinePages();
    return state.member === null ? { ...state, ...getEndedSession() } : state;
  },
  staleTime: 60_000,
  // Notices a sign-in or sign-out in another tab when the member returns to this one.
  refetchOnWindowFocus: 'always',
  gcTime: Infinity,
});

export function useSession(): Session | undefined {
  return useQuery(sessionQuery).data;
}

/** The session without fetching, for the layout around every page, so that only the router fetches it. */
export function useCachedSession(): Session | undefined {
  return useQuery({ ...sessionQuery, enabled: false }).data;
}

/** The name of the community. Before the session is known, it is the one in the page. */
export function useSiteName(): string {
  return useCachedSession()?.siteName ?? applicationName;
}

const applicationName =
  globalThis.document?.querySelector<HTMLMetaElement>('meta[name=application-name]')?.content ?? 'Parley';

/** Whether there are pages of the site or further links to show (ui/SiteLinks.tsx). */
export function useHasSiteLinks(): boolean {
  const { pages, footerLinks } = useCachedSession() ?? {};
  return [pages, footerLinks].some((each) => each?.[0] !== undefined);
}

/** The signed-in member, or null for a visitor. */
export function useMember(): Me | null {
  return useSession()?.member ?? null;
}

/** The signed-in member, `visitor` while visitors may read, or null while the layout redirects to /login. */
export function useReader(): Me | null {
  const session = useSession();
  return session?.member ?? (session?.publicReading === true ? visitor : null);
}

/**
 * Stores the result of signing in or out and clears another member's cached queries. After signing out, queries that
 * the page still shows stay until it is left (`clearMemberQueries`): clearing them earlier would refetch them, and the
 * server would refuse.
 */
export function setSession(client: QueryClient, state: Session): void {
  const {
    member,
    account: _before,
    hasSignedOut: _,
    ...site
  } = client.getQueryData(sessionQuery.queryKey) ?? {};
  if (state.member !== null) hasSignedOutHere = false;
  client.setQueryData(sessionQuery.queryKey, { ...site, ...state });
  if (member?.id !== state.member?.id)
    removeMemberQueries(client, state.member === null ? 'inactive' : 'all');
}

/** Clears the cached queries after a sign-out, once the pages for members are left. */
export function clearMemberQueries(client: QueryClient): void {
  if (client.getQueryData(sessionQuery.queryKey)?.member === null) removeMemberQueries(client, 'all');
}

/** Fetches what is on the screen again from scratch, so that old pages are not merged with the response. */
export function resetMemberQueries(client: QueryClient): void {
  void client.resetQueries({ predicate: isOfMember });
}

/**
 * Makes sure that no member sees data cached for another one, even if the change goes unnoticed: a tab that slept while
 * another member signed in elsewhere only receives the new session.
 */
export function clearQueriesOnMemberChange(client: QueryClient): void {
  let owner: number | null = null;
  client.getQueryCache().subscribe((event) => {
    if (event.type !== 'updated' || event.query.queryKey[0] !== sessionQuery.queryKey[0]) return;
    const member = client.getQueryData(sessionQuery.queryKey)?.member?.id ?? null;
    setPageMember(member);
    if (member === null || member === owner) return;
    const isAnother = owner !== null;
    owner = member;
    if (!isAnother) return;
    removeMemberQueries(client, 'inactive');
    resetMemberQueries(client);
  });
}

function removeMemberQueries(client: QueryClient, type: 'inactive' | 'all'): void {
  client.removeQueries({ type, predicate: isOfMember });
}

const isOfMember = (query: Query) => query.queryKey[0] !== sessionQuery.queryKey[0];

/**
 * Sends a request that ends the session, and deletes the stored pages before the page says that the member is signed
 * out: it may be closed then. The live connection may report the end before the response arrives.
 */
export async function requestSignOut<Result>(request: () => Promise<Result>): Promise<Result> {
  hasSignedOutHere = true;
  try {
    const result = await request();
    await clearOfflinePages();
    return result;
  } catch (error) {
    hasSignedOutHere = false;
    throw error;
  }
}

/** Called when the server no longer accepts the session. */
export function markSessionEnded(client: QueryClient): void {
  const before = client.getQueryData(sessionQuery.queryKey);
  // A visitor who reads: asks whether visitors may still read.
  if (before?.member === null && before.publicReading === true)
    return void client.invalidateQueries({ queryKey: sessionQuery.queryKey });
  const end = () => setSession(client, getEndedSession());
  // Unless the member signed in again meanwhile.
  if (hasSignedOutHere) void clearOfflinePages().then(() => hasSignedOutHere && end());
  else end();
}
