import type { ClaimDecision } from '#shared/admin/profile-claims.ts';
import { api, readJson } from '#web/core/api.ts';
import { pagedQuery } from '#web/core/paged-query.ts';

export const claimKeys = { all: ['claims'] } as const;

/** The claims of imported profiles that wait for a moderator. */
export const claimsQuery = pagedQuery(claimKeys.all, (page, options) =>
  readJson(api.moderation.claims.$get({ query: page }, options)),
);

export function decideClaim(id: number, decision: ClaimDecision): Promise<unknown> {
  return readJson(api.moderation.claims[':id'].decision.$put({ param: { id: String(id) }, json: decision }));
}
