import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { createPasskey } from './sign-in.ts';
import { api, readJson } from '#web/core/api.ts';
import { settingsKeys } from './settings.ts';

export const twoFactorQuery = queryOptions({
  queryKey: ['settings', 'two-factor'],
  queryFn: ({ signal }) => readJson(api['two-factor'].$get({}, { init: { signal } })),
  staleTime: 0,
});

export const passkeysQuery = queryOptions({
  queryKey: ['settings', 'passkeys'],
  queryFn: ({ signal }) => readJson(api.passkeys.$get({}, { init: { signal } })),
  staleTime: 0,
});

export const providerAccountsQuery = queryOptions({
  queryKey: ['settings', 'provider-accounts'],
  queryFn: ({ signal }) => readJson(api['provider-accounts'].$get({}, { init: { signal } })),
  staleTime: 0,
});

/** Members with a password confirm with it; others by a recent sign-in. */
const toReauthentication = (password: string) => (password === '' ? {} : { password });

export const startTwoFactorSetup = (password: string) =>
  readJson(api['two-factor'].setup.$post({ json: toReauthentication(password) }));

export const regenerateRecoveryCodes = (password: string) =>
  readJson(api['two-factor']['recovery-codes'].$post({ json: toReauthentication(password) }));

export const disableTwoFactor = (password: string) =>
  readJson(api['two-factor'].removal.$post({ json: toReauthentication(password) }));

export const removePasskey = (id: number, password: string) =>
  readJson(
    api.passkeys[':id'].removal.$post({ param: { id: String(id) }, json: toReauthentication(password) }),
  );

export async function unlinkProvider(id: string, password: string): Promise<void> {
  const json = toReauthentication(password);
  await readJson(api['provider-accounts'][':id'].removal.$post({ param: { id }, json }));
}

/** Navigates to the identity provider, which redirects back and links the account. */
export async function linkProvider(id: string, password: string): Promise<void> {
  const json = toReauthentication(password);
  const { url } = await readJson(api['provider-accounts'][':id'].$post({ param: { id }, json }));
  window.location.assign(url);
}

/** Creates a passkey in this browser or on a nearby device and adds it. */
export async function addPasskey(name: string, password: string): Promise<void> {
  const options = await readJson(api.passkeys.options.$post({ json: toReauthentication(password) }));
  const credential = await createPasskey(options);
  await readJson(api.passkeys.$post({ json: { name, credential } }));
}

/**
 * Also ends all other sessions.
 * @param onDone gets the recovery codes, which are not shown again: also if the dialog was closed meanwhile
 */
export function useEnableTwoFactor(onDone: (recoveryCodes: string[]) => void) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (start: { setup: string; code: string }) => readJson(api['two-factor'].$put({ json: start })),
    onSuccess: ({ recoveryCodes }) => {
      onDone(recoveryCodes);
      void client.invalidateQueries({ queryKey: settingsKeys.all });
    },
  });
}
