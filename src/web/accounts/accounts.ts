import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { Credentials, Registration, SessionState } from '#shared/accounts.ts';
import { api } from '#web/platform/api.ts';
import { setSession } from '#web/platform/session.ts';

/** Signs in; the layout then leads on to the page first asked for. */
export function useSignIn() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (credentials: Credentials) => api.post<SessionState>('/api/session', { body: credentials }),
    onSuccess: (state) => setSession(queryClient, state),
  });
}

/** Creates the account and signs in. */
export function useRegister() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (registration: Registration) =>
      api.post<SessionState>('/api/members', { body: registration }),
    onSuccess: (state) => setSession(queryClient, state),
  });
}
