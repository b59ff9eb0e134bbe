import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import type { Departure } from '#shared/departure.ts';
import type { AddressChange } from '#shared/recovery.ts';
import { api, read } from '#web/platform/api.ts';
import { forgetRecent } from '#web/platform/recent.ts';
import { sessionQuery, setSession, useMember } from '#web/platform/session.ts';

/** The member's address, and the one it is to become. */
export const addressQuery = queryOptions({
  queryKey: ['settings', 'address'],
  queryFn: ({ signal }) => read(api.address.$get({}, { init: { signal } })),
  staleTime: 0,
});

export function useChangeAddress() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (change: AddressChange) => read(api.address.$put({ json: change })),
    onSuccess: (state) => {
      client.setQueryData(addressQuery.queryKey, state);
      void client.invalidateQueries({ queryKey: sessionQuery.queryKey });
    },
  });
}

export function useKeepAddress() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => read(api.address.change.$delete()),
    onSuccess: (state) => client.setQueryData(addressQuery.queryKey, state),
    onError: () => client.invalidateQueries({ queryKey: addressQuery.queryKey }),
  });
}

/** Deletes the account; then nobody is signed in here. */
export function useLeave() {
  const client = useQueryClient();
  const id = useMember()?.id;
  return useMutation({
    mutationFn: (departure: Departure) => read(api.departure.$post({ json: departure })),
    onSuccess: () => {
      if (id !== undefined) forgetRecent(id);
      setSession(client, { member: null, left: true });
    },
  });
}
