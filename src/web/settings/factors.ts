import { t } from '@lingui/core/macro';
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { makePasskey } from '#web/accounts/ways-in.ts';
import { api, read } from '#web/platform/api.ts';
import { ApiError } from '#web/platform/errors.ts';
import { settingsKeys } from './settings.ts';

export const secondFactorQuery = queryOptions({
  queryKey: ['settings', 'second-factor'],
  queryFn: ({ signal }) => read(api['second-factor'].$get({}, { init: { signal } })),
  staleTime: 0,
});

export const passkeysQuery = queryOptions({
  queryKey: ['settings', 'passkeys'],
  queryFn: ({ signal }) => read(api.passkeys.$get({}, { init: { signal } })),
  staleTime: 0,
});

export const providerAccountQuery = queryOptions({
  queryKey: ['settings', 'provider-account'],
  queryFn: ({ signal }) => read(api['provider-account'].$get({}, { init: { signal } })),
  staleTime: 0,
});

/** Who has a password shows by it who they are; the others by having signed in just now. */
const proofOf = (password: string) => (password === '' ? {} : { password });

export const setUpSecondFactor = (password: string) =>
  read(api['second-factor'].setup.$post({ json: proofOf(password) }));

export const renewRecoveryCodes = (password: string) =>
  read(api['second-factor']['recovery-codes'].$post({ json: proofOf(password) }));

export const switchSecondFactorOff = (password: string) =>
  read(api['second-factor'].removal.$post({ json: proofOf(password) }));

export const removePasskey = (id: number, password: string) =>
  read(api.passkeys[':id'].removal.$post({ param: { id: String(id) }, json: proofOf(password) }));

export async function unlinkProvider(password: string): Promise<void> {
  await read(api['provider-account'].removal.$post({ json: proofOf(password) }));
}

/** Leaves for the identity provider, and comes back linked. */
export async function linkProvider(password: string): Promise<void> {
  const { url } = await read(api['provider-account'].$post({ json: proofOf(password) }));
  window.location.assign(url);
}

/** Makes a passkey in this browser, or on a device near it, and adds it. */
export async function addPasskey(name: string, password: string): Promise<void> {
  const options = await read(api.passkeys.options.$post({ json: proofOf(password) }));
  const credential = await makePasskey(options);
  await read(api.passkeys.$post({ json: { name, credential } }));
}

/** Ends the other sessions as well. Answers with the recovery codes. */
export function useSwitchSecondFactorOn() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (start: { setup: string; code: string }) => read(api['second-factor'].$put({ json: start })),
    onSuccess: () => client.invalidateQueries({ queryKey: settingsKeys.own }),
  });
}

/** What one is told of something that did not work. */
export function sentenceFor(error: Error): string {
  return error instanceof ApiError
    ? error.message
    : t`That did not reach the server. Please check your connection and try again.`;
}
