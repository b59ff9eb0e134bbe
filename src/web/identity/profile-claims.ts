import { queryOptions } from '@tanstack/react-query';
import { api, readJson } from '#web/core/api.ts';

const claimApi = api.members[':id'].claim;
const toIdParam = (id: number) => ({ param: { id: String(id) } });

export const profileClaimKey = (id: number) => ['profile-claims', id] as const;

/** How the member can claim an imported profile. */
export const profileClaimQuery = (id: number) =>
  queryOptions({
    queryKey: profileClaimKey(id),
    queryFn: ({ signal }) => readJson(claimApi.$get(toIdParam(id), { init: { signal } })),
    staleTime: 0,
  });

export const beginClaim = (id: number) => readJson(claimApi.$put(toIdParam(id)));
export const proveClaim = (id: number) => readJson(claimApi.proof.$post(toIdParam(id)));
export const claimByIdentity = (id: number) => readJson(claimApi.identity.$post(toIdParam(id)));
export const withdrawClaim = (id: number) => readJson(claimApi.$delete(toIdParam(id)));

/** Asks the moderators; without a claim, begins one first. */
export async function askModerators(id: number, message: string): Promise<void> {
  await beginClaim(id);
  await readJson(claimApi.request.$put({ ...toIdParam(id), json: { message } }));
}
