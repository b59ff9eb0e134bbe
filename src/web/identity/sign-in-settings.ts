import { t } from '@lingui/core/macro';
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { createPasskey } from './sign-in.ts';
import { api, readJson } from '#web/core/api.ts';
import { ApiError } from '#web/core/errors.ts';
import { settingsKeys } from './settings.ts';

export const twoFactorQuery = queryOptions({
  queryKey: ['settings', 'second-factor'],
  queryFn: ({ signal }) => readJson(api['second-factor'].$get({}, { init: { signal } })),
  staleTime: 0,
});

export const passkeysQuery = queryOptions({
  queryKey: ['settings', 'passkeys'],
  queryFn: ({ signal }) => readJson(api.passkeys.$get({}, { init: { signal } })),
  staleTime: 0,
});

export const providerAccountQuery = queryOptions({
  queryKey: ['settings', 'provider-account'],
  queryFn: ({ signal }) => readJson(api['provider-account'].$get({}, { init: { signal } })),
  staleTime: 0,
});

/** Who has a password shows by it who they are; the others by having signed in just now. */
const toReauthentication = (password: string) => (password === '' ? {} : { password });

export const startTwoFactorSetup = (password: string) =>
  readJson(api['second-factor'].setup.$post({ json: toReauthentication(password) }));

export const regenerateRecoveryCodes = (password: string) =>
  readJson(api['second-factor']['recovery-codes'].$post({ json: toReauthentication(password) }));

export const disableTwoFactor = (password: string) =>
  readJson(api['second-factor'].removal.$post({ json: toReauthentication(password) }));

export const removePasskey = (id: number, password: string) =>
  readJson(
    api.passkeys[':id'].removal.$post({ param: { id: String(id) }, json: toReauthentication(password) }),
  );

export async function unlinkProvider(password: string): Promise<void> {
  await readJson(api['provider-account'].removal.$post({ json: toReauthentication(password) }));
}

/** Leaves for the identity provider, and comes back linked. */
export async function linkProvider(password: string): Promise<void> {
  const { url } = await readJson(api['provider-account'].$post({ json: toReauthentication(password) }));
  window.location.assign(url);
}

/** Makes a passkey in this browser, or on a device near it, and adds it. */
export async function addPasskey(name: string, password: string): Promise<void> {
  const options = await readJson(api.passkeys.options.$post({ json: toReauthentication(password) }));
  const credential = await createPasskey(options);
  await readJson(api.passkeys.$post({ json: { name, credential } }));
}

/** Ends the other sessions as well. Answers with the recovery codes. */
export function useEnableTwoFactor() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (start: { setup: string; code: string }) =>
      readJson(api['second-factor'].$put({ json: start })),
    onSuccess: () => client.invalidateQueries({ queryKey: settingsKeys.all }),
  });
}

/** What one is told of something that did not work. */
export function errorMessage(error: Error): string {
  return error instanceof ApiError
    ? error.message
    : t`That did not reach the server. Please check your connection and try again.`;
}
