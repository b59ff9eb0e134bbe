import { infiniteQueryOptions } from '@tanstack/react-query';
import type { ClaimDecision } from '#shared/admin/profile-claims.ts';
import { api, readJson } from '#web/core/api.ts';

export const claimKeys = { all: ['claims'] } as const;

/** The claims of imported profiles that wait for a moderator. */
export const claimsQuery = infiniteQueryOptions({
  queryKey: claimKeys.all,
  queryFn: ({ pageParam, signal }) =>
    readJson(
      api.moderation.claims.$get(
        { query: pageParam === null ? {} : { cursor: pageParam } },
        { init: { signal } },
      ),
    ),
  initialPageParam: null as string | null,
  getNextPageParam: (page) => page.nextCursor,
  staleTime: 0,
});

export function decideClaim(id: number, decision: ClaimDecision): Promise<unknown> {
  return readJson(api.moderation.claims[':id'].decision.$put({ param: { id: String(id) }, json: decision }));
}
