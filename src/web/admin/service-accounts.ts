import { type QueryClient, queryOptions } from '@tanstack/react-query';
import type {
  ServiceAccountDeletion,
  ServiceAccountDraft,
  ServiceAccountTokenDraft,
} from '#shared/integrations/service-accounts.ts';
import { api, readJson } from '#web/core/api.ts';
import { change } from './change.ts';

const accountApi = api.admin['service-accounts'];
const paramOf = (id: number) => ({ param: { id: String(id) } });

export const serviceAccountsQuery = queryOptions({
  queryKey: ['admin', 'service-accounts'],
  queryFn: ({ signal }) => readJson(accountApi.$get({}, { init: { signal } })),
  staleTime: 0,
});

export const addServiceAccount = (client: QueryClient, json: ServiceAccountDraft) =>
  change(client, serviceAccountsQuery.queryKey, readJson(accountApi.$post({ json })));

export const changeServiceAccount = (client: QueryClient, id: number, json: ServiceAccountDraft) =>
  change(client, serviceAccountsQuery.queryKey, readJson(accountApi[':id'].$put({ ...paramOf(id), json })));

export const setServiceAccountActive = (client: QueryClient, id: number, active: boolean) =>
  change(
    client,
    serviceAccountsQuery.queryKey,
    readJson(accountApi[':id'].active.$put({ ...paramOf(id), json: { active } })),
  );

export const deleteServiceAccount = (client: QueryClient, id: number, json: ServiceAccountDeletion) =>
  change(
    client,
    serviceAccountsQuery.queryKey,
    readJson(accountApi[':id'].deletion.$post({ ...paramOf(id), json })),
  );

export const createServiceAccountToken = (client: QueryClient, id: number, json: ServiceAccountTokenDraft) =>
  change(
    client,
    serviceAccountsQuery.queryKey,
    readJson(accountApi[':id'].tokens.$post({ ...paramOf(id), json })),
  );

export async function revokeServiceAccountToken(
  client: QueryClient,
  id: number,
  tokenId: number,
): Promise<void> {
  const param = { id: String(id), tokenId: String(tokenId) };
  await change(
    client,
    serviceAccountsQuery.queryKey,
    readJson(accountApi[':id'].tokens[':tokenId'].$delete({ param })),
  );
}
