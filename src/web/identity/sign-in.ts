import { t } from '@lingui/core/macro';
import { type QueryClient, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { ProviderCallback, ProviderSignInRequest } from '#shared/identity/sign-in-providers.ts';
import type { SignInState } from '#shared/identity/two-factor.ts';
import { api, readJson } from '#web/core/api.ts';
import { ApiError } from '#web/core/errors.ts';
import { paths } from '#web/core/paths.ts';
import { setSession } from '#web/core/session.ts';
import { adoptVisitorDrafts } from '#web/posts/index.ts';
import type { Credentials, Registration } from '#shared/identity/accounts.ts';

/**
 * Sets the session only once the member is signed in, or the account that is not a member's yet. A further step, such as
 * the second factor, comes first.
 */
export function completeSignIn(client: QueryClient, state: SignInState): void {
  if (state.account !== undefined) return setSession(client, { member: null, account: state.account });
  if (state.member === null) return;
  adoptVisitorDrafts(state.member.id);
  setSession(client, { member: state.member });
}

/** The sign-in methods of the site besides passkeys. */
export const signInMethodsQuery = queryOptions({
  queryKey: ['sign-in'],
  queryFn: ({ signal }) => readJson(api['sign-in'].$get({}, { init: { signal } })),
  staleTime: Infinity,
});

/** Whether the community still has to be set up. */
export const setupStateQuery = queryOptions({
  queryKey: ['setup'],
  queryFn: ({ signal }) => readJson(api.setup.$get({}, { init: { signal } })),
  staleTime: Infinity,
});

/** Whether the site sends links to set a new password. */
export const resetMethodQuery = queryOptions({
  queryKey: ['password-resets'],
  queryFn: ({ signal }) => readJson(api['password-resets'].$get({}, { init: { signal } })),
  staleTime: Infinity,
});

/** Loads what the forms of the sign-in pages need. */
export async function prefetchSignInPage(client: QueryClient, pathname: string): Promise<void> {
  if (pathname === '/setup') return client.prefetchQuery({ ...setupStateQuery, retry: false });
  if (pathname === paths.forgotPassword) return client.prefetchQuery({ ...resetMethodQuery, retry: false });
  await Promise.all([
    client.prefetchQuery({ ...signInMethodsQuery, retry: false }),
    pathname === '/login' && client.prefetchQuery({ ...setupStateQuery, retry: false }),
  ]);
}

/** Sends the code of an authenticator app or a recovery code. */
export function useVerifyTwoFactorCode() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (code: string) => readJson(api.session['two-factor'].$post({ json: { code } })),
    onSuccess: (state) => completeSignIn(client, state),
  });
}

/** Whether passkeys work in this browser at this address (public/theme.js). */
export function canUsePasskeys(): boolean {
  return !document.documentElement.hasAttribute('data-no-passkeys');
}

/** Whether the browser offers passkeys in a field. The library is loaded only in that case. */
async function canAutofillPasskeys(): Promise<boolean> {
  return (await window.PublicKeyCredential.isConditionalMediationAvailable?.()) ?? false;
}

const loadWebauthn = () => import('@simplewebauthn/browser');

type Webauthn = Awaited<ReturnType<typeof loadWebauthn>>;
type AuthenticationOptions = Parameters<Webauthn['startAuthentication']>[0]['optionsJSON'];
type RegistrationOptions = Parameters<Webauthn['startRegistration']>[0]['optionsJSON'];

/**
 * Lets the member choose a passkey. Returns the browser's response.
 * @param quiet offers passkeys in the email field's autofill until the signal aborts; if omitted, the browser's dialog
 * opens.
 */
async function choosePasskey(quiet?: AbortSignal) {
  const { startAuthentication, WebAuthnAbortService } = await loadWebauthn();
  const options = await readJson(api.session.passkey.options.$post());
  quiet?.throwIfAborted();
  quiet?.addEventListener('abort', () => WebAuthnAbortService.cancelCeremony());
  // The options are those of WebAuthn, which the API schema does not repeat.
  const optionsJSON = options as unknown as AuthenticationOptions;
  return startAuthentication({ optionsJSON, useBrowserAutofill: quiet !== undefined });
}

const sendPasskey = (credential: Awaited<ReturnType<typeof choosePasskey>>): Promise<SignInState> =>
  readJson(api.session.passkey.$post({ json: { credential: toCredentialJson(credential) } }));

/** Creates a passkey with the server's options and returns the browser's response. */
export async function createPasskey(options: object) {
  const { startRegistration } = await loadWebauthn();
  const credential = await startRegistration({ optionsJSON: options as RegistrationOptions });
  return toCredentialJson(credential);
}

/** The response in the shape that the API accepts. */
function toCredentialJson<Answer extends { clientExtensionResults: object }>(answer: Answer) {
  const clientExtensionResults: Record<string, unknown> = { ...answer.clientExtensionResults };
  return { ...answer, clientExtensionResults, type: 'public-key' as const };
}

export function usePasskeySignIn() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async () => sendPasskey(await choosePasskey()),
    onSuccess: (state) => completeSignIn(client, state),
  });
}

/**
 * Lets the browser offer passkeys in the email field, if it can.
 * @param onRefused must be the same function on every render.
 * @param hasField whether the page has the field
 */
export function usePasskeyAutofill(onRefused: (message: string) => void, hasField: boolean): void {
  const client = useQueryClient();
  useEffect(() => {
    if (!hasField) return undefined;
    const unmounted = new AbortController();
    async function offer() {
      if (!canUsePasskeys() || !(await canAutofillPasskeys())) return;
      // After a refusal, passkeys are offered again, with a new challenge.
      for (let tries = 0; tries < 5 && !unmounted.signal.aborted; tries++) {
        const credential = await choosePasskey(unmounted.signal);
        try {
          return completeSignIn(client, await sendPasskey(credential));
        } catch (error) {
          if (!(error instanceof ApiError)) throw error;
          if (!unmounted.signal.aborted) onRefused(error.message);
        }
      }
    }
    offer().catch((error: unknown) => {
      // Ignores cancellation: no passkey was chosen, or the button was pressed meanwhile. Errors of the server are
      // shown.
      if (error instanceof ApiError && !unmounted.signal.aborted) onRefused(error.message);
    });
    return () => unmounted.abort();
  }, [client, onRefused, hasField]);
}

/** The error message for a failed passkey. */
export function passkeyErrorMessage(error: Error): string {
  return error instanceof ApiError ? error.message : t`Could not use the passkey. Please try again.`;
}

/** Who invites with a link. */
export const openInvitationQuery = (token: string) =>
  queryOptions({
    queryKey: ['invitation', token],
    queryFn: ({ signal }) => readJson(api.invitation.$post({ json: { token } }, { init: { signal } })),
    staleTime: Infinity,
    retry: false,
  });

/** Navigates to the identity provider. */
export function useStartProviderSignIn() {
  return useMutation({
    mutationFn: (wanted: ProviderSignInRequest) => readJson(api.session.provider.$post({ json: wanted })),
    onSuccess: ({ url }) => window.location.assign(url),
  });
}

/** Completes the sign-in with the parameters from the identity provider. */
export function useFinishProviderSignIn() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (callback: ProviderCallback) =>
      readJson(api.session.provider.callback.$post({ json: callback })),
    onSuccess: (state) => completeSignIn(client, state),
  });
}

export function useLinkProvider() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (password: string) => readJson(api.session.provider.link.$post({ json: { password } })),
    onSuccess: (state) => completeSignIn(client, state),
  });
}

/**
 * Signs in or reports that a second factor is needed. The layout then navigates to the page that was requested first.
 */
export function useSignIn() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (credentials: Credentials) => readJson(api.session.$post({ json: credentials })),
    onSuccess: (state) => completeSignIn(queryClient, state),
  });
}

/** Creates the account and signs in. */
export function useRegister() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (registration: Registration) => readJson(api.members.$post({ json: registration })),
    onSuccess: (state) => completeSignIn(queryClient, state),
  });
}
