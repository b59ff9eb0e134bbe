import type { QueryClient } from '@tanstack/react-query';
import { clearRecentItems } from './recent-items.ts';
import { getEndedSession, requestSignOut, sessionQuery, setSession } from './session.ts';
import { api, readJson } from './api.ts';

/** Signs out on the server, then in this browser. */
export async function signOut(client: QueryClient): Promise<void> {
  const member = client.getQueryData(sessionQuery.queryKey)?.member;
  await requestSignOut(() => readJson(api.session.$delete()));
  if (member) clearRecentItems(member.id);
  setSession(client, getEndedSession());
}
