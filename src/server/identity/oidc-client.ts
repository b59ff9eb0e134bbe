import {
  allowInsecureRequests,
  authorizationCodeGrant,
  AuthorizationResponseError,
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  type ClientAuth,
  ClientSecretBasic,
  ClientSecretPost,
  type Configuration,
  customFetch,
  discovery,
  fetchUserInfo,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
} from 'openid-client';
import type { Logger } from 'pino';
import { z } from 'zod';
import { ProblemError } from '#server/core/errors.ts';
import type { IssuerCheckResult } from '#shared/admin/sign-in-providers.ts';

/** A person's identity at the provider. */
export type ProviderIdentity = {
  /** The provider's id of the account. It never changes; the address may. */
  subject: string;
  /**
   * Returns the address and the names, for someone whose account here is not known by the subject. Asks the provider if
   * its token does not have them.
   */
  readPerson: () => Promise<ProviderPerson>;
};

/** What a provider says about a person. */
export type ProviderPerson = {
  /** Null if the provider has not verified an address, and is not trusted with it. */
  email: string | null;
  /** Whether the provider itself said that the address is verified. */
  isVerified: boolean;
  /** Names from the provider, best first. */
  names: string[];
};

/** The state of an authorization request, which is needed when the browser returns. */
export type AuthorizationRequest = { state: string; nonce: string; verifier: string; redirectUri: string };

/** What a provider is asked for, and how. */
export type IdentityProviderOptions = {
  issuer: string;
  clientId: string;
  clientSecret: string;
  /** Separated by spaces. */
  scopes: string;
  /** Whether an address counts as verified if the provider does not say whether it is. */
  trustsEmail: boolean;
};

export type IdentityProvider = ReturnType<typeof createIdentityProvider>;

/** Largest response that is read, in bytes; keys and claims are a few thousand. */
const maxResponseBytes = 256 * 1024;

/** Seconds to wait for a response. */
const timeoutSeconds = 10;

/** Milliseconds for which the provider's metadata is cached. */
const metadataCacheMs = 60 * 60 * 1_000;

/**
 * An OpenID Connect provider. These are the only requests that sign-in sends to other servers. They go to an issuer
 * that the operator or an admin configured and to the addresses in its metadata (OpenID Connect Discovery 1.0), without
 * redirects, and with limits on time and size. openid-client, certified by the OpenID Foundation, checks the responses:
 * signature, issuer, audience, times, nonce, state, PKCE.
 */
export function createIdentityProvider(settings: IdentityProviderOptions, log: Logger) {
  let cachedMetadata: { configuration: Promise<Configuration>; until: number } | undefined;
  return { begin, finish };

  /** Returns the URL to send the browser to, and the state for its return. */
  async function begin(redirectUri: string): Promise<{ url: string; visit: AuthorizationRequest }> {
    const configuration = await callProvider(describe);
    const [state, nonce, verifier] = [randomState(), randomNonce(), randomPKCECodeVerifier()];
    const url = buildAuthorizationUrl(configuration, {
      redirect_uri: redirectUri,
      scope: settings.scopes,
      code_challenge: await calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      state,
      nonce,
    });
    return { url: url.href, visit: { state, nonce, verifier, redirectUri } };
  }

  /**
   * Returns the identity of the person who returned.
   * @param query of the address that the provider sent the browser to, with its code
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
    if (claims === undefined) throw new ProblemError('provider-refused');
    const { trustsEmail } = settings;
    const hasEmail = claims['email'] !== undefined && (trustsEmail || claims['email_verified'] !== undefined);
    const readPerson = async () => {
      if (hasEmail || configuration.serverMetadata().userinfo_endpoint === undefined)
        return toPerson(claims, trustsEmail);
      const more = await callProvider(
        () => fetchUserInfo(configuration, tokens.access_token, claims.sub),
        isInvalidTokenError,
      );
      return toPerson(more, trustsEmail);
    };
    return { subject: claims.sub, readPerson };
  }

  function describe(): Promise<Configuration> {
    if (cachedMetadata === undefined || cachedMetadata.until < Date.now()) {
      const configuration = discover(settings.issuer, settings.clientId, chooseClientAuth(settings));
      cachedMetadata = { configuration, until: Date.now() + metadataCacheMs };
      configuration.catch(() => (cachedMetadata = undefined));
    }
    return cachedMetadata.configuration;
  }

  /**
   * Turns a failed call into one error sentence for the member, and logs the reason.
   * @param isRefusal whether an error means that sign-in is refused, not that the provider failed
   */
  async function callProvider<Answer>(
    request: () => Promise<Answer>,
    isRefusal: (error: unknown) => boolean = () => false,
  ): Promise<Answer> {
    try {
      return await request();
    } catch (error) {
      // The person refused at the provider, or returned with forged values. The operator can do nothing about either.
      if (error instanceof AuthorizationResponseError || isForgedResponseError(error))
        throw new ProblemError('provider-refused');
      log.warn(
        { err: error, issuer: settings.issuer },
        'the identity provider failed or sent an invalid response',
      );
      if (isRefusal(error)) throw new ProblemError('provider-refused');
      throw new ProblemError('provider-unreachable', { retryAfter: 60 });
    }
  }
}

function discover(issuer: string, clientId: string, clientAuth?: ClientAuth): Promise<Configuration> {
  const url = new URL(issuer);
  return discovery(url, clientId, undefined, clientAuth, {
    [customFetch]: fetchBounded,
    timeout: timeoutSeconds,
    // http is allowed for a provider on the same machine (config.ts, shared/admin/sign-in-providers.ts).
    execute: url.protocol === 'http:' ? [allowInsecureRequests] : [],
  });
}

/** Sends the secret in the body, or in a header to a provider that accepts it only there. */
function chooseClientAuth({ clientSecret }: Pick<IdentityProviderOptions, 'clientSecret'>): ClientAuth {
  const [post, basic] = [ClientSecretPost(clientSecret), ClientSecretBasic(clientSecret)];
  return (server, ...request) => {
    const accepted = server.token_endpoint_auth_methods_supported ?? ['client_secret_post'];
    const acceptsOnlyBasic =
      accepted.includes('client_secret_basic') && !accepted.includes('client_secret_post');
    (acceptsOnlyBasic ? basic : post)(server, ...request);
  };
}

/** Reads the metadata of an issuer as sign-in does, and says what is wrong with it. */
export async function checkIssuer(issuer: string): Promise<IssuerCheckResult> {
  try {
    const metadata = (await discover(issuer, 'check')).serverMetadata();
    const hasCode = metadata.response_types_supported?.includes('code') ?? true;
    // Of a directory with several tenants, whose issuer is a template.
    if (metadata.issuer.includes('{')) return { outcome: 'other-issuer', detail: metadata.issuer };
    if (!hasCode || metadata.authorization_endpoint === undefined || metadata.token_endpoint === undefined)
      return { outcome: 'not-supported', detail: '' };
    return { outcome: 'ok', detail: '' };
  } catch (error) {
    return describeDiscoveryError(error);
  }
}

function describeDiscoveryError(error: unknown): IssuerCheckResult {
  const causes = listCauses(error);
  for (const cause of causes) {
    if (cause instanceof Response) return { outcome: 'no-metadata', detail: `HTTP ${cause.status}` };
    const found = readIssuer(cause);
    if (found !== null) return { outcome: 'other-issuer', detail: found };
  }
  if (causes.some((cause) => cause instanceof DOMException && cause.name === 'TimeoutError'))
    return { outcome: 'unreachable', detail: 'timeout' };
  // The innermost code is that of the connection.
  const code = causes.map(errorCodeOf).findLast((text) => text !== '' && !text.startsWith('OAUTH_')) ?? '';
  if (/CERT|SIGNATURE|ISSUER|ALTNAME|SSL|TLS/u.test(code)) return { outcome: 'certificate', detail: code };
  return code === '' ? { outcome: 'no-metadata', detail: '' } : { outcome: 'unreachable', detail: code };
}

/** The error, its cause, the cause of that, and so on. */
function listCauses(error: unknown): unknown[] {
  const causes: unknown[] = [];
  for (let cause = error; cause !== undefined && causes.length < 10;) {
    causes.push(cause);
    cause = cause instanceof Error ? cause.cause : undefined;
  }
  return causes;
}

/** The issuer of metadata that is not that of the address. */
function readIssuer(cause: unknown): string | null {
  const parsed = z
    .object({ attribute: z.literal('issuer'), body: z.object({ issuer: z.string().max(500) }) })
    .safeParse(cause);
  return parsed.success ? parsed.data.body.issuer : null;
}

/** Codes of openid-client for a token with a wrong audience, nonce, issuer, key or time, or of another member. */
const invalidTokenCodes = new Set([
  'OAUTH_JWT_CLAIM_COMPARISON_FAILED',
  'OAUTH_JWT_TIMESTAMP_CHECK_FAILED',
  'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED',
  'OAUTH_KEY_SELECTION_FAILED',
]);

const errorCodeOf = (error: unknown) => (error instanceof Error && 'code' in error ? String(error.code) : '');

const isInvalidTokenError = (error: unknown) => invalidTokenCodes.has(errorCodeOf(error));

/** Whether the browser's values are wrong: the state, or a code that the provider does not know. */
function isForgedResponseError(error: unknown): boolean {
  return (
    errorCodeOf(error) === 'OAUTH_INVALID_RESPONSE' ||
    (error instanceof Error && 'error' in error && error.error === 'invalid_grant')
  );
}

type Claims = Readonly<Record<string, unknown>>;

function toPerson(claims: Claims, trustsEmail: boolean): ProviderPerson {
  const texts = ['name', 'nickname', 'preferred_username'].map((claim) => claims[claim]);
  const { email, email_verified: verified } = claims;
  // Some providers send the boolean as a text.
  const isVerified = verified === true || verified === 'true';
  const counts = isVerified || (trustsEmail && verified === undefined);
  return {
    isVerified,
    email: counts && typeof email === 'string' ? email : null,
    names: texts.filter((text) => typeof text === 'string'),
  };
}

/** `fetch` without redirects that reads at most `maxResponseBytes`. openid-client's signal limits the time. */
async function fetchBounded(url: string, options: object): Promise<Response> {
  const response = await fetch(url, { ...options, redirect: 'manual' });
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of response.body ?? []) {
    length += piece.length;
    if (length > maxResponseBytes) throw new Error('the response of the identity provider is too large');
    pieces.push(piece);
  }
  const { status, headers } = response;
  return new Response(status === 204 || status === 304 ? null : Buffer.concat(pieces), { status, headers });
}
