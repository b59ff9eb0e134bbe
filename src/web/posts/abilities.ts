import { queryOptions } from '@tanstack/react-query';
import { api, readJson } from '#web/core/api.ts';

/** What the member may do with posts of others. */
export const abilitiesQuery = queryOptions({
  queryKey: ['abilities'],
  queryFn: ({ signal }) => readJson(api.abilities.$get({}, { init: { signal } })),
  staleTime: 60_000,
});
