import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { Credentials, Registration } from '#shared/accounts.ts';
import { api, read } from '#web/platform/api.ts';
import { setSession } from '#web/platform/session.ts';
import { keepSession } from './ways-in.ts';

/** Signs in, or says that a second factor is needed; the layout then leads on to the page first asked for. */
export function useSignIn() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (credentials: Credentials) => read(api.session.$post({ json: credentials })),
    onSuccess: (state) => keepSession(queryClient, state),
  });
}

/** Creates the account and signs in. */
export function useRegister() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (registration: Registration) => read(api.members.$post({ json: registration })),
    onSuccess: (state) => setSession(queryClient, state),
  });
}
