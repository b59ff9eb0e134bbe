import { queryOptions } from '@tanstack/react-query';
import type { ApplicationStatus } from '#shared/identity/applications.ts';
import type { ApplicationDecision } from '#shared/moderation/applications.ts';
import { api, readJson } from '#web/core/api.ts';
import { pagedQuery } from '#web/core/paged-query.ts';

export const applicationKeys = {
  all: ['applications'],
  list: (status: ApplicationStatus) => ['applications', 'list', status],
  count: ['applications', 'count'],
} as const;

const applicationsApi = api.moderation.applications;
const toIdParam = (id: number) => ({ param: { id: String(id) } });

/** Accounts that wait for approval, or that were refused. */
export const applicationsQuery = (status: ApplicationStatus) =>
  pagedQuery(applicationKeys.list(status), (page, options) =>
    readJson(applicationsApi.$get({ query: { status, ...page } }, options)),
  );

/** How many accounts wait for approval. */
export const applicationCountQuery = queryOptions({
  queryKey: applicationKeys.count,
  queryFn: ({ signal }) => readJson(applicationsApi.count.$get({}, { init: { signal } })),
  staleTime: 0,
});

export function decideApplication(id: number, decision: ApplicationDecision): Promise<unknown> {
  return readJson(applicationsApi[':id'].decision.$put({ ...toIdParam(id), json: decision }));
}

/** Claims an account for the moderator, or prolongs the claim. */
export function claimApplication(id: number, { takeOver }: { takeOver: boolean }): Promise<unknown> {
  return readJson(applicationsApi[':id'].claim.$put({ ...toIdParam(id), json: { takeOver } }));
}

/** Ends the claim, also while the page is being left. */
export function releaseApplication(id: number): Promise<unknown> {
  return readJson(applicationsApi[':id'].claim.$delete(toIdParam(id), { init: { keepalive: true } }));
}
