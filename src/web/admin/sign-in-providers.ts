import { t } from '@lingui/core/macro';
import { type QueryClient, queryOptions } from '@tanstack/react-query';
import type {
  IssuerCheckResult,
  SignInProviderChange,
  SignInProviderDraft,
} from '#shared/admin/sign-in-providers.ts';
import { api, readJson } from '#web/core/api.ts';
import { change } from './change.ts';

const providersKey = ['admin', 'sign-in-providers'];
const providerApi = api.admin['sign-in-providers'];

export const signInProvidersQuery = queryOptions({
  queryKey: providersKey,
  queryFn: ({ signal }) => readJson(providerApi.$get({}, { init: { signal } })),
  staleTime: 0,
});

/** How many members could not sign in without the provider. */
export const providerMembersQuery = (id: string) =>
  queryOptions({
    queryKey: [...providersKey, id, 'members'],
    queryFn: ({ signal }) =>
      readJson(providerApi[':id'].members.$get({ param: { id } }, { init: { signal } })),
    staleTime: 0,
    gcTime: 0,
  });

export const addProvider = (client: QueryClient, draft: SignInProviderDraft) =>
  changeProviders(client, providerApi.$post({ json: draft }));

export const changeProvider = (client: QueryClient, id: string, changed: SignInProviderChange) =>
  changeProviders(client, providerApi[':id'].$put({ param: { id }, json: changed }));

export const setProviderEnabled = (client: QueryClient, id: string, enabled: boolean) =>
  changeProviders(client, providerApi[':id'].enabled.$put({ param: { id }, json: { enabled } }));

export const deleteProvider = (client: QueryClient, id: string) =>
  changeProviders(client, providerApi[':id'].$delete({ param: { id } }));

export const orderProviders = (client: QueryClient, ids: string[]) =>
  changeProviders(client, api.admin['sign-in-provider-order'].$put({ json: { ids } }));

export const checkIssuer = (issuer: string) => readJson(providerApi.checks.$post({ json: { issuer } }));

/** What a check found out about the metadata of an issuer. */
export function describeCheck({ outcome, detail }: IssuerCheckResult): string {
  switch (outcome) {
    case 'ok':
      return t`The provider responds, and its metadata is valid. Sign in with it to check the client ID and the secret.`;
    case 'unreachable':
      return t`The provider could not be reached (${detail}). Check the address.`;
    case 'certificate':
      return t`The certificate of the provider is not valid (${detail}).`;
    case 'no-metadata':
      return t`There is no OpenID Connect metadata at this address. Check the issuer.`;
    case 'other-issuer':
      return t`The metadata at this address is of another issuer: ${detail}`;
    case 'not-supported':
      return t`The provider does not support the authorization code flow.`;
  }
}

async function changeProviders(client: QueryClient, pending: Parameters<typeof readJson>[0]): Promise<void> {
  await change(client, providersKey, readJson(pending));
  void client.invalidateQueries({ queryKey: ['sign-in'] });
}
