import { t } from '@lingui/core/macro';
import { queryOptions, useMutation, useQueryClient, type QueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { SignInState } from '#shared/second-factor.ts';
import { api, read } from '#web/platform/api.ts';
import { ApiError } from '#web/platform/errors.ts';
import { setSession } from '#web/platform/session.ts';

/** Only whoever is signed in afterwards changes anything: what is needed besides is asked for first. */
export function keepSession(client: QueryClient, state: SignInState): void {
  if (state.member !== null) setSession(client, { member: state.member });
}

/** How one may sign in here, besides a password and passkeys. */
export const waysInQuery = queryOptions({
  queryKey: ['sign-in'],
  queryFn: ({ signal }) => read(api['sign-in'].$get({}, { init: { signal } })),
  staleTime: Infinity,
});

/** Sends the code of an authenticator app, or a recovery code. */
export function useSendCode() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (code: string) => read(api.session['second-factor'].$post({ json: { code } })),
    onSuccess: (state) => keepSession(client, state),
  });
}

/** Whether passkeys can be used at this address: they are for names, over https, and for localhost. */
export function canUsePasskeys(): boolean {
  return window.PublicKeyCredential !== undefined && !/^[\d.]+$|:/u.test(window.location.hostname);
}

/** Whether the browser offers passkeys in a field; the library is loaded only then. */
async function offersInFields(): Promise<boolean> {
  return (await window.PublicKeyCredential.isConditionalMediationAvailable?.()) ?? false;
}

const webauthn = () => import('@simplewebauthn/browser');

type Webauthn = Awaited<ReturnType<typeof webauthn>>;
type AskedForOptions = Parameters<Webauthn['startAuthentication']>[0]['optionsJSON'];
type NewOptions = Parameters<Webauthn['startRegistration']>[0]['optionsJSON'];

/**
 * @param quiet the browser offers passkeys among the addresses it knows, until the signal; absent: it asks at once.
 */
async function signInWithPasskey({ quiet }: { quiet?: AbortSignal }): Promise<SignInState> {
  const { startAuthentication, WebAuthnAbortService } = await webauthn();
  const options = await read(api.session.passkey.options.$post());
  quiet?.throwIfAborted();
  quiet?.addEventListener('abort', () => WebAuthnAbortService.cancelCeremony());
  // The options are those of WebAuthn, which the API does not describe again.
  const optionsJSON = options as unknown as AskedForOptions;
  const credential = await startAuthentication({ optionsJSON, useBrowserAutofill: quiet !== undefined });
  return read(api.session.passkey.$post({ json: { credential: answerOf(credential) } }));
}

/** Makes a passkey by the options the server gave, and says what the browser answered. */
export async function makePasskey(options: object) {
  const { startRegistration } = await webauthn();
  const made = await startRegistration({ optionsJSON: options as NewOptions });
  return answerOf(made);
}

/** As the API takes it. */
function answerOf<Answer extends { clientExtensionResults: object }>(answer: Answer) {
  const clientExtensionResults: Record<string, unknown> = { ...answer.clientExtensionResults };
  return { ...answer, clientExtensionResults, type: 'public-key' as const };
}

export function usePasskeySignIn() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: signInWithPasskey,
    onSuccess: (state) => keepSession(client, state),
  });
}

/**
 * Lets the browser offer passkeys in the field for the address, where it can.
 * @param onRefused the same function each time
 */
export function useOfferedPasskeys(onRefused: (message: string) => void): void {
  const client = useQueryClient();
  useEffect(() => {
    const leaving = new AbortController();
    async function offer() {
      if (!canUsePasskeys() || !(await offersInFields()) || leaving.signal.aborted) return;
      keepSession(client, await signInWithPasskey({ quiet: leaving.signal }));
    }
    offer().catch((error: unknown) => {
      // Nobody chose one, or the button was pressed meanwhile; what the server refused is told.
      if (error instanceof ApiError && !leaving.signal.aborted) onRefused(error.message);
    });
    return () => leaving.abort();
  }, [client, onRefused]);
}

/** What went wrong with a passkey, in a sentence. */
export function passkeyProblem(error: Error): string {
  return error instanceof ApiError ? error.message : t`The passkey was not used. Please try again.`;
}

/** Leaves for the identity provider. */
export function useLeaveForProvider() {
  return useMutation({
    mutationFn: (next: string | undefined) =>
      read(api.session.provider.$post({ json: next === undefined ? {} : { next } })),
    onSuccess: ({ url }) => window.location.assign(url),
  });
}

/** Goes on with what the identity provider sent the browser back with. */
export function useReturnFromProvider() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (query: string) => read(api.session.provider.return.$post({ json: { query } })),
    onSuccess: (state) => keepSession(client, state),
  });
}

export function useLinkProvider() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (password: string) => read(api.session.provider.link.$post({ json: { password } })),
    onSuccess: (state) => keepSession(client, state),
  });
}
