import {
  allowInsecureRequests,
  authorizationCodeGrant,
  AuthorizationResponseError,
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  type Configuration,
  customFetch,
  discovery,
  fetchUserInfo,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
} from 'openid-client';
import type { Logger } from 'pino';
import { providerMessages } from '#shared/identity/sign-in-providers.ts';
import { ProblemError } from '#server/core/errors.ts';
import type { IdentityProviderSettings } from '#server/core/site-settings.ts';

/** Who somebody is at the provider. */
export type ProviderIdentity = {
  /** The provider's own name of the account, which never changes; the address may. */
  subject: string;
  /** Null where the provider does not say that it has verified one. */
  email: string | null;
  /** Names the provider gives, the best first. */
  names: string[];
};

/** What of a visit to the provider must be known when the browser comes back. */
export type AuthorizationRequest = { state: string; nonce: string; verifier: string; redirectUri: string };

export type IdentityProvider = ReturnType<typeof createIdentityProvider>;

/** The largest answer that is read, in bytes; keys and claims are a few thousand. */
const maxResponseBytes = 256 * 1024;

/** Seconds after which an answer is no longer waited for. */
const timeoutSeconds = 10;

/** For how long what the provider says of itself is kept, in milliseconds. */
const metadataCacheMs = 60 * 60 * 1_000;

/**
 * An OpenID Connect provider: the only place that Parley sends requests to of its own. Only the issuer that the operator
 * has set is asked, and what it names in its own description (OpenID Connect Discovery 1.0); no redirect is followed, and
 * neither time nor size is unbounded. openid-client, certified by the OpenID Foundation, checks what is answered:
 * signature, issuer, audience, times, nonce, state, PKCE.
 */
export function createIdentityProvider(settings: IdentityProviderSettings, log: Logger) {
  const issuer = new URL(settings.issuer);
  let cachedMetadata: { configuration: Promise<Configuration>; until: number } | undefined;
  return { begin, finish };

  /** Where to send the browser to, and what is needed when it comes back. */
  async function begin(redirectUri: string): Promise<{ url: string; visit: AuthorizationRequest }> {
    const configuration = await callProvider(describe);
    const [state, nonce, verifier] = [randomState(), randomNonce(), randomPKCECodeVerifier()];
    const url = buildAuthorizationUrl(configuration, {
      redirect_uri: redirectUri,
      scope: 'openid email profile',
      code_challenge: await calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      state,
      nonce,
    });
    return { url: url.href, visit: { state, nonce, verifier, redirectUri } };
  }

  /**
   * Who came back. @param query of the address the provider sent the browser to, with its code
   * @throws ProblemError 'provider-refused', 'unavailable'
   */
  async function finish(query: string, visit: AuthorizationRequest): Promise<ProviderIdentity> {
    const configuration = await callProvider(describe);
    const address = new URL(visit.redirectUri);
    address.search = query;
    const tokens = await callProvider(
      () =>
        authorizationCodeGrant(configuration, address, {
          pkceCodeVerifier: visit.verifier,
          expectedState: visit.state,
          expectedNonce: visit.nonce,
          idTokenExpected: true,
        }),
      isInvalidTokenError,
    );
    const claims = tokens.claims();
    if (claims === undefined) throw new ProblemError('provider-refused', providerMessages.refused);
    if (claims['email'] !== undefined && claims['email_verified'] !== undefined)
      return toIdentity(claims.sub, claims);
    return toIdentity(
      claims.sub,
      await callProvider(
        () => fetchUserInfo(configuration, tokens.access_token, claims.sub),
        isInvalidTokenError,
      ),
    );
  }

  function describe(): Promise<Configuration> {
    if (cachedMetadata === undefined || cachedMetadata.until < Date.now()) {
      const configuration = discovery(issuer, settings.clientId, settings.clientSecret, undefined, {
        [customFetch]: fetchBounded,
        timeout: timeoutSeconds,
        // http is for a provider on the same machine (config.ts).
        execute: issuer.protocol === 'http:' ? [allowInsecureRequests] : [],
      });
      cachedMetadata = { configuration, until: Date.now() + metadataCacheMs };
      configuration.catch(() => (cachedMetadata = undefined));
    }
    return cachedMetadata.configuration;
  }

  /**
   * What the provider does not answer well is told in one sentence, and logged with its reason.
   * @param isRefusal whether an answer is one that signs nobody in, rather than none
   */
  async function callProvider<Answer>(
    ask: () => Promise<Answer>,
    isRefusal: (error: unknown) => boolean = () => false,
  ): Promise<Answer> {
    try {
      return await ask();
    } catch (error) {
      // Somebody said no there, or came back with what was made up; neither is the operator's to mend.
      if (error instanceof AuthorizationResponseError || isForgedResponseError(error))
        throw new ProblemError('provider-refused', providerMessages.refused);
      log.warn({ err: error }, 'the identity provider did not answer as it should');
      if (isRefusal(error)) throw new ProblemError('provider-refused', providerMessages.refused);
      throw new ProblemError('unavailable', providerMessages.unreachable, { retryAfter: 60 });
    }
  }
}

/** What openid-client says of a token for another audience, nonce, issuer, key or time, or about another member. */
const invalidTokenCodes = new Set([
  'OAUTH_JWT_CLAIM_COMPARISON_FAILED',
  'OAUTH_JWT_TIMESTAMP_CHECK_FAILED',
  'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED',
  'OAUTH_KEY_SELECTION_FAILED',
]);

const errorCodeOf = (error: unknown) => (error instanceof Error && 'code' in error ? String(error.code) : '');

const isInvalidTokenError = (error: unknown) => invalidTokenCodes.has(errorCodeOf(error));

/** What the browser brought is wrong: the state, or a code that the provider does not know. */
function isForgedResponseError(error: unknown): boolean {
  return (
    errorCodeOf(error) === 'OAUTH_INVALID_RESPONSE' ||
    (error instanceof Error && 'error' in error && error.error === 'invalid_grant')
  );
}

type Claims = Readonly<Record<string, unknown>>;

function toIdentity(subject: string, claims: Claims): ProviderIdentity {
  const texts = ['name', 'nickname', 'preferred_username'].map((claim) => claims[claim]);
  const isVerified = claims['email_verified'] === true && typeof claims['email'] === 'string';
  return {
    subject,
    email: isVerified ? String(claims['email']) : null,
    names: texts.filter((text) => typeof text === 'string'),
  };
}

/** `fetch` without redirects, reading no more than `maxAnswer`. The time is limited by openid-client's signal. */
async function fetchBounded(url: string, options: object): Promise<Response> {
  const response = await fetch(url, { ...options, redirect: 'manual' });
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of response.body ?? []) {
    length += piece.length;
    if (length > maxResponseBytes) throw new Error('the answer of the identity provider is too large');
    pieces.push(piece);
  }
  const { status, headers } = response;
  return new Response(status === 204 || status === 304 ? null : Buffer.concat(pieces), { status, headers });
}
