import { queryOptions, type QueryClient } from '@tanstack/react-query';
import type { RemovedSignInFactors } from '#shared/identity/two-factor.ts';
import { api, readJson } from '#web/core/api.ts';
import { moderationKeys } from './moderation.ts';

const members = api.admin.members[':id'];
const idParam = (id: number) => ({ param: { id: String(id) } });

/** What merging an account into another one would move and drop. */
export const mergePreviewQuery = (fromId: number, intoId: number) =>
  queryOptions({
    queryKey: [...moderationKeys.member(fromId), 'merge', intoId],
    queryFn: ({ signal }) =>
      readJson(
        members['merge-preview'].$get(
          { ...idParam(fromId), query: { into: String(intoId) } },
          { init: { signal } },
        ),
      ),
    staleTime: 0,
    retry: false,
  });

export async function mergeAccount(
  client: QueryClient,
  fromId: number,
  draft: { into: number; name: string; password: string },
): Promise<void> {
  await readJson(members.merge.$post({ ...idParam(fromId), json: draft }));
  void client.invalidateQueries({ queryKey: moderationKeys.all });
}

export async function resetSignInFactors(
  client: QueryClient,
  memberId: number,
  password: string,
): Promise<RemovedSignInFactors> {
  const removed = await readJson(
    members['two-factor-removal'].$post({ ...idParam(memberId), json: { password } }),
  );
  void client.invalidateQueries({ queryKey: moderationKeys.all });
  return removed;
}
