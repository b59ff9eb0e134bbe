import { t } from '@lingui/core/macro';
import { type QueryClient, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { SignInState } from '#shared/identity/two-factor.ts';
import { api, readJson } from '#web/core/api.ts';
import { ApiError } from '#web/core/errors.ts';
import { setSession } from '#web/core/session.ts';
import type { Credentials, Registration } from '#shared/identity/accounts.ts';

/** Only whoever is signed in afterwards changes anything: what is needed besides is asked for first. */
export function completeSignIn(client: QueryClient, state: SignInState): void {
  if (state.member !== null) setSession(client, { member: state.member });
}

/** How one may sign in here, besides a password and passkeys. */
export const signInMethodsQuery = queryOptions({
  queryKey: ['sign-in'],
  queryFn: ({ signal }) => readJson(api['sign-in'].$get({}, { init: { signal } })),
  staleTime: Infinity,
});

/** Sends the code of an authenticator app, or a recovery code. */
export function useVerifyTwoFactorCode() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (code: string) => readJson(api.session['second-factor'].$post({ json: { code } })),
    onSuccess: (state) => completeSignIn(client, state),
  });
}

/** Whether passkeys can be used at this address: they are for names, over https, and for localhost. */
export function canUsePasskeys(): boolean {
  return window.PublicKeyCredential !== undefined && !/^[\d.]+$|:/u.test(window.location.hostname);
}

/** Whether the browser offers passkeys in a field; the library is loaded only then. */
async function canAutofillPasskeys(): Promise<boolean> {
  return (await window.PublicKeyCredential.isConditionalMediationAvailable?.()) ?? false;
}

const loadWebauthn = () => import('@simplewebauthn/browser');

type Webauthn = Awaited<ReturnType<typeof loadWebauthn>>;
type AuthenticationOptions = Parameters<Webauthn['startAuthentication']>[0]['optionsJSON'];
type RegistrationOptions = Parameters<Webauthn['startRegistration']>[0]['optionsJSON'];

/**
 * @param quiet the browser offers passkeys among the addresses it knows, until the signal; absent: it asks at once.
 */
async function signInWithPasskey({ quiet }: { quiet?: AbortSignal }): Promise<SignInState> {
  const { startAuthentication, WebAuthnAbortService } = await loadWebauthn();
  const options = await readJson(api.session.passkey.options.$post());
  quiet?.throwIfAborted();
  quiet?.addEventListener('abort', () => WebAuthnAbortService.cancelCeremony());
  // The options are those of WebAuthn, which the API does not describe again.
  const optionsJSON = options as unknown as AuthenticationOptions;
  const credential = await startAuthentication({ optionsJSON, useBrowserAutofill: quiet !== undefined });
  return readJson(api.session.passkey.$post({ json: { credential: toCredentialJson(credential) } }));
}

/** Makes a passkey by the options the server gave, and says what the browser answered. */
export async function createPasskey(options: object) {
  const { startRegistration } = await loadWebauthn();
  const credential = await startRegistration({ optionsJSON: options as RegistrationOptions });
  return toCredentialJson(credential);
}

/** As the API takes it. */
function toCredentialJson<Answer extends { clientExtensionResults: object }>(answer: Answer) {
  const clientExtensionResults: Record<string, unknown> = { ...answer.clientExtensionResults };
  return { ...answer, clientExtensionResults, type: 'public-key' as const };
}

export function usePasskeySignIn() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: signInWithPasskey,
    onSuccess: (state) => completeSignIn(client, state),
  });
}

/**
 * Lets the browser offer passkeys in the field for the address, where it can.
 * @param onRefused the same function each time
 */
export function usePasskeyAutofill(onRefused: (message: string) => void): void {
  const client = useQueryClient();
  useEffect(() => {
    const unmounted = new AbortController();
    async function offer() {
      if (!canUsePasskeys() || !(await canAutofillPasskeys()) || unmounted.signal.aborted) return;
      completeSignIn(client, await signInWithPasskey({ quiet: unmounted.signal }));
    }
    offer().catch((error: unknown) => {
      // Nobody chose one, or the button was pressed meanwhile; what the server refused is told.
      if (error instanceof ApiError && !unmounted.signal.aborted) onRefused(error.message);
    });
    return () => unmounted.abort();
  }, [client, onRefused]);
}

/** What went wrong with a passkey, in a sentence. */
export function passkeyErrorMessage(error: Error): string {
  return error instanceof ApiError ? error.message : t`The passkey was not used. Please try again.`;
}

/** Leaves for the identity provider. */
export function useStartProviderSignIn() {
  return useMutation({
    mutationFn: (next: string | undefined) =>
      readJson(api.session.provider.$post({ json: next === undefined ? {} : { next } })),
    onSuccess: ({ url }) => window.location.assign(url),
  });
}

/** Goes on with what the identity provider sent the browser back with. */
export function useFinishProviderSignIn() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (query: string) => readJson(api.session.provider.return.$post({ json: { query } })),
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

/** Signs in, or says that a second factor is needed; the layout then leads on to the page first asked for. */
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
    onSuccess: (state) => setSession(queryClient, state),
  });
}
