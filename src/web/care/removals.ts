import { infiniteQueryOptions, queryOptions, type QueryClient } from '@tanstack/react-query';
import type { RemovalDraft, RemovalSelection } from '#shared/removals.ts';
import { api, readJson } from '#web/platform/api.ts';
import { moderationKeys } from './care.ts';

const removalKey = (...rest: readonly unknown[]) => [...moderationKeys.all, 'registrations', ...rest];

/** From which networks accounts registered in the last hours. */
export const registrationNetworksQuery = (hours: number) =>
  queryOptions({
    queryKey: removalKey('networks', hours),
    queryFn: ({ signal }) =>
      readJson(api.moderation.registrations.$get({ query: { hours: String(hours) } }, { init: { signal } })),
    staleTime: 0,
  });

/** The accounts of one network; null: those that wait and whose network is not stored any more. */
export const registeredAccountsQuery = (network: string | null, hours: number) =>
  infiniteQueryOptions({
    queryKey: removalKey('accounts', network, hours),
    queryFn: ({ pageParam, signal }) =>
      readJson(
        api.moderation.registrations.accounts.$get(
          {
            query: {
              hours: String(hours),
              ...(network !== null && { network }),
              ...(pageParam !== null && { cursor: pageParam }),
            },
          },
          { init: { signal } },
        ),
      ),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.nextCursor,
    staleTime: 0,
  });

/** What a removal would take. */
export const removalPreviewQuery = (selection: RemovalSelection) =>
  queryOptions({
    queryKey: removalKey('preview', selection),
    queryFn: ({ signal }) =>
      readJson(api.moderation.removals.preview.$post({ json: selection }, { init: { signal } })),
    staleTime: 0,
    gcTime: 0,
  });

/** The latest removals; asked again every second while one runs. */
export const removalsQuery = queryOptions({
  queryKey: removalKey('removals'),
  queryFn: ({ signal }) => readJson(api.moderation.removals.$get({}, { init: { signal } })),
  staleTime: 0,
  refetchInterval: ({ state }) =>
    state.data?.items.some((each) => each.state === 'removing' || each.state === 'restoring') === true
      ? 1_000
      : false,
});

export async function startRemoval(client: QueryClient, draft: RemovalDraft): Promise<void> {
  await changeAndRefresh(client, () => readJson(api.moderation.removals.$post({ json: draft })));
}

export async function restoreRemoval(client: QueryClient, id: number, reason: string): Promise<void> {
  const target = { param: { id: String(id) }, json: { reason } };
  await changeAndRefresh(client, () => readJson(api.moderation.removals[':id'].restoration.$post(target)));
}

export async function approveAccounts(client: QueryClient, memberIds: number[]): Promise<void> {
  await changeAndRefresh(client, () => readJson(api.moderation.approvals.$post({ json: { memberIds } })));
}

/** Also where another moderator was faster: then it has changed. */
async function changeAndRefresh(client: QueryClient, change: () => Promise<unknown>): Promise<void> {
  try {
    await change();
  } finally {
    void client.invalidateQueries({ queryKey: moderationKeys.all });
  }
}
