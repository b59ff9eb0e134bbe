import { queryOptions } from '@tanstack/react-query';
import { api, readJson } from '#web/core/api.ts';

/** How many members could not sign in without a password. */
export const passwordSignInQuery = queryOptions({
  queryKey: ['admin', 'password-sign-in'],
  queryFn: ({ signal }) => readJson(api.admin['password-sign-in'].$get({}, { init: { signal } })),
  staleTime: 0,
  gcTime: 0,
});
