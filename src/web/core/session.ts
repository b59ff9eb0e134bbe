import { queryOptions, useQuery, type Query, type QueryClient } from '@tanstack/react-query';
import type { Me, SessionState } from '#shared/identity/accounts.ts';
import { api, readJson } from './api.ts';
import { clearRecentItems } from './recent-items.ts';

/** `left`: the member signed out here, on purpose, and wants no way back to where they were. */
export type Session = SessionState & { hasSignedOut?: boolean };

/** Until somebody signs in again: that the session ended may be heard of before, and again after, the answer to signing out. */
let hasSignedOutHere = false;

const getEndedSession = (): Session =>
  hasSignedOutHere ? { member: null, hasSignedOut: true } : { member: null };

/** Who is signed in. Loaded before any page shows (see router.tsx), so that it is there wherever a page renders. */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: async ({ signal }): Promise<Session> => {
    const state = await readJson(api.session.$get({}, { init: { signal } }));
    return state.member === null ? getEndedSession() : state;
  },
  staleTime: 60_000,
  // Who signed in or out in another tab is noticed on coming back to this one.
  refetchOnWindowFocus: 'always',
  gcTime: Infinity,
});

export function useSession(): Session | undefined {
  return useQuery(sessionQuery).data;
}

/** The same for what stands around every page: it never asks itself, so that the router's own try stays the only one. */
export function useCachedSession(): Session | undefined {
  return useQuery({ ...sessionQuery, enabled: false }).data;
}

/** The signed-in member, or null: then the layout is about to send the visitor to /login. */
export function useMember(): Me | null {
  return useSession()?.member ?? null;
}

/**
 * Keeps the answer of signing in or out. What was cached for another member goes; after signing out, what the page still
 * shows goes with the page (`forgetMember`): taken from under it, it would be fetched again, and refused.
 */
export function setSession(client: QueryClient, state: Session): void {
  const before = client.getQueryData(sessionQuery.queryKey)?.member?.id;
  if (state.member !== null) hasSignedOutHere = false;
  client.setQueryData(sessionQuery.queryKey, state);
  if (before !== state.member?.id) removeMemberQueries(client, state.member === null ? 'inactive' : 'all');
}

/** Once the pages for members are left: where nobody is signed in any more, what was cached for them goes. */
export function clearMemberQueries(client: QueryClient): void {
  if (client.getQueryData(sessionQuery.queryKey)?.member === null) removeMemberQueries(client, 'all');
}

/**
 * Sees to it that nobody is shown what was cached for another member, also where one follows the other unnoticed: a tab
 * that slept while somebody else signed in beside it hears only whose session it is now.
 */
export function clearQueriesOnMemberChange(client: QueryClient): void {
  let owner: number | null = null;
  client.getQueryCache().subscribe((event) => {
    if (event.type !== 'updated' || event.query.queryKey[0] !== sessionQuery.queryKey[0]) return;
    const member = client.getQueryData(sessionQuery.queryKey)?.member?.id ?? null;
    if (member === null || member === owner) return;
    const isAnother = owner !== null;
    owner = member;
    if (!isAnother) return;
    removeMemberQueries(client, 'inactive');
    // What is shown is asked for anew, with nothing left to be joined to the answer.
    void client.resetQueries({ predicate: isOfMember });
  });
}

function removeMemberQueries(client: QueryClient, type: 'inactive' | 'all'): void {
  client.removeQueries({ type, predicate: isOfMember });
}

const isOfMember = (query: Query) => query.queryKey[0] !== sessionQuery.queryKey[0];

/** Signs out on the server, then here. */
export async function signOut(client: QueryClient): Promise<void> {
  const member = client.getQueryData(sessionQuery.queryKey)?.member;
  hasSignedOutHere = true;
  try {
    await readJson(api.session.$delete());
  } catch (error) {
    hasSignedOutHere = false;
    throw error;
  }
  if (member) clearRecentItems(member.id);
  setSession(client, getEndedSession());
}

/** The server no longer knows the session. */
export function markSessionEnded(client: QueryClient): void {
  client.setQueryData(sessionQuery.queryKey, getEndedSession());
}
