import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import type { SignUpAnswer } from '#shared/identity/sign-up-questions.ts';
import { api, readJson } from '#web/core/api.ts';
import { completeSignIn } from './sign-in.ts';

/** The application of the account that is signed in. */
export const ownApplicationQuery = queryOptions({
  queryKey: ['application'],
  queryFn: ({ signal }) => readJson(api.application.$get({}, { init: { signal } })),
  staleTime: 0,
  retry: false,
});

export function useChangeSignUpAnswers() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (signUpAnswers: SignUpAnswer[]) =>
      readJson(api.application.$put({ json: { signUpAnswers } })),
    onSuccess: (state) => client.setQueryData(ownApplicationQuery.queryKey, state),
  });
}

/** Registers someone who returned from the sign-in provider, with the answers to the questions. */
export function useRegisterWithProvider() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (signUpAnswers: SignUpAnswer[]) =>
      readJson(api.session.provider.registration.$post({ json: { signUpAnswers } })),
    onSuccess: (state) => completeSignIn(client, state),
  });
}
