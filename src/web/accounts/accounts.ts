import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { Credentials, Registration } from '#shared/accounts.ts';
import { api, readJson } from '#web/platform/api.ts';
import { setSession } from '#web/platform/session.ts';
import { completeSignIn } from './ways-in.ts';

/** Signs in, or says that a second factor is needed; the layout then leads on to the page first asked for. */
export function useSignIn() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (credentials: Credentials) => readJson(api.session.$post({ json: credentials })),
    onSuccess: (state) => completeSignIn(queryClient, state),
  });
}

/** Creates the account and signs in. */
export function useRegister() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (registration: Registration) => readJson(api.members.$post({ json: registration })),
    onSuccess: (state) => setSession(queryClient, state),
  });
}
