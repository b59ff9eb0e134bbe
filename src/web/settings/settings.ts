import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import type { MemberSettings, PasswordChange } from '#shared/profiles.ts';
import { api, readJson } from '#web/platform/api.ts';
import { sessionQuery } from '#web/platform/session.ts';

export const settingsKeys = { all: ['settings'], sessions: ['settings', 'sessions'] } as const;

export const settingsQuery = queryOptions({
  queryKey: settingsKeys.all,
  queryFn: ({ signal }) => readJson(api.settings.$get({}, { init: { signal } })),
  staleTime: 0,
});

/** Where the member is signed in. */
export const sessionsQuery = queryOptions({
  queryKey: settingsKeys.sessions,
  queryFn: ({ signal }) => readJson(api.sessions.$get({}, { init: { signal } })),
  staleTime: 0,
});

export function useSaveSettings() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (settings: MemberSettings) => readJson(api.settings.$put({ json: settings })),
    onSuccess: (saved) => {
      client.setQueryData(settingsKeys.all, saved);
      client.setQueryData(sessionQuery.queryKey, (session) =>
        session?.member
          ? { ...session, member: { ...session.member, displayName: saved.displayName, bio: saved.bio } }
          : session,
      );
      // A name stands on every post and card.
      void client.invalidateQueries();
    },
  });
}

/** Ends all other sessions as well. */
export function useChangePassword() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (change: PasswordChange) => readJson(api.password.$put({ json: change })),
    onSuccess: () => client.invalidateQueries({ queryKey: settingsKeys.sessions }),
  });
}

export function useEndSession() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: number) => readJson(api.sessions[':id'].$delete({ param: { id: String(id) } })),
    // Also when it failed: perhaps it had ended by itself.
    onSettled: () => client.invalidateQueries({ queryKey: settingsKeys.sessions }),
  });
}

export function useEndOtherSessions() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => readJson(api.sessions.$delete()),
    onSettled: () => client.invalidateQueries({ queryKey: settingsKeys.sessions }),
  });
}
