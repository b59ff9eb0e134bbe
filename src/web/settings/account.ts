import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import type { AccountDeletion } from '#shared/departure.ts';
import type { EmailChange } from '#shared/recovery.ts';
import { api, readJson } from '#web/platform/api.ts';
import { clearRecentItems } from '#web/platform/recent.ts';
import { sessionQuery, setSession, useMember } from '#web/platform/session.ts';

/** The member's address, and the one it is to become. */
export const emailQuery = queryOptions({
  queryKey: ['settings', 'address'],
  queryFn: ({ signal }) => readJson(api.address.$get({}, { init: { signal } })),
  staleTime: 0,
});

export function useChangeEmail() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (change: EmailChange) => readJson(api.address.$put({ json: change })),
    onSuccess: (state) => {
      client.setQueryData(emailQuery.queryKey, state);
      void client.invalidateQueries({ queryKey: sessionQuery.queryKey });
    },
  });
}

export function useCancelEmailChange() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => readJson(api.address.change.$delete()),
    onSuccess: (state) => client.setQueryData(emailQuery.queryKey, state),
    onError: () => client.invalidateQueries({ queryKey: emailQuery.queryKey }),
  });
}

/** Deletes the account; then nobody is signed in here. */
export function useDeleteAccount() {
  const client = useQueryClient();
  const id = useMember()?.id;
  return useMutation({
    mutationFn: (deletion: AccountDeletion) => readJson(api.departure.$post({ json: deletion })),
    onSuccess: () => {
      if (id !== undefined) clearRecentItems(id);
      setSession(client, { member: null, hasSignedOut: true });
    },
  });
}
