import { createHash, randomBytes } from 'node:crypto';
import type { Context } from 'hono';
import { matchedRoutes } from 'hono/route';
import { databaseNowMs } from '#server/core/database-clock.ts';
import { type Database, transaction, type Tx } from '#server/core/database.ts';
import { ProblemError } from '#server/core/errors.ts';
import { readBearerToken, type Viewer } from '#server/core/http.ts';
import type { SiteSettings } from '#server/core/site-settings.ts';
import {
  findViewer,
  recordSecurityEvent,
  requireSession,
  type RequirePassword,
} from '#server/identity/index.ts';
import { serverLimits } from '#shared/core/limits.ts';
import {
  type ApiScope,
  type ApiToken,
  apiScope,
  type ApiTokenDraft,
} from '#shared/integrations/api-tokens.ts';
import {
  deleteApiToken,
  findApiToken,
  insertApiToken,
  listApiTokens,
  lockApiTokens,
  recordApiTokenUse,
} from './api-tokens-queries.ts';
import { apiTokenScopes } from './api-token-scopes.ts';
import { consumeServiceAccountRequest } from './service-accounts-limits.ts';

export { deleteApiToken, deleteInvalidApiTokens } from './api-tokens-queries.ts';

export type ApiTokens = ReturnType<typeof createApiTokens>;

/** Before a token, so that programs that search for leaked secrets recognize it. */
const prefix = 'parley_';

/** Milliseconds between two updates of the last use. */
const useIntervalMs = 60_000;

/** Tokens with which programs use the API in the name of a member (docs/decisions/100). */
export function createApiTokens(deps: {
  db: Database;
  siteSettings: SiteSettings;
  requirePassword: RequirePassword;
}) {
  const { db, siteSettings, requirePassword } = deps;
  return { list, create, revoke, findViewer: findTokenViewer, findFileViewer, authenticate };

  async function list(memberId: number): Promise<{ items: ApiToken[]; enabled: boolean }> {
    const rows = await listApiTokens(db, memberId);
    return { items: rows.map(toApiToken), enabled: siteSettings.get('apiTokens') };
  }

  /**
   * Creates a token and returns it. Only its hash is stored.
   * @throws ProblemError 'api-tokens-disabled', 'too-many-api-tokens', or those of RequirePassword
   */
  async function create(viewer: Viewer, draft: ApiTokenDraft): Promise<ApiToken & { token: string }> {
    if (!siteSettings.get('apiTokens')) throw new ProblemError('api-tokens-disabled');
    await requirePassword(viewer, draft);
    return transaction(db, async (tx) => {
      await requireSession(tx, viewer);
      const token = await issueApiToken(tx, { memberId: viewer.id, draft });
      await recordSecurityEvent(tx, { memberId: viewer.id, event: 'api-token-created' });
      return token;
    });
  }

  /** @throws ProblemError 'api-token-not-found' */
  async function revoke(viewer: Viewer, id: number): Promise<void> {
    if ((await deleteApiToken(db, { id, memberId: viewer.id })) === undefined)
      throw new ProblemError('api-token-not-found');
  }

  /**
   * Returns the scopes of the token in an Authorization header.
   * @throws ProblemError 'api-token-not-valid' also without a token, 'service-account-deactivated', 'api-tokens-disabled'
   */
  async function authenticate(authorization: string | undefined): Promise<ReadonlySet<ApiScope>> {
    const { scopes } = await requireToken(readBearerToken(authorization) ?? '');
    return new Set(toScopes(scopes));
  }

  async function requireToken(token: string) {
    if (!siteSettings.get('apiTokens')) throw new ProblemError('api-tokens-disabled');
    const row = token.startsWith(prefix) ? await findApiToken(db, hashToken(token)) : undefined;
    if (row === undefined) throw new ProblemError('api-token-not-valid');
    if (row.deactivated_at !== null) throw new ProblemError('service-account-deactivated');
    return row;
  }

  /**
   * Returns the viewer of a request with a token; null without one. A cookie beside a token is ignored.
   * @throws ProblemError 'api-token-not-valid', 'api-tokens-disabled', 'api-token-scope-missing',
   * 'api-token-not-accepted', 'service-account-deactivated', or those of consumeServiceAccountRequest
   */
  function findTokenViewer(c: Context): Promise<Viewer | null> {
    const endpoint = findEndpoint(c);
    return findAllowedViewer(c, endpoint, (scopes) => requireScopeOf(endpoint, scopes));
  }

  /** The same for a file outside the API, such as a picture, which needs the scope `read`. */
  function findFileViewer(c: Context): Promise<Viewer | null> {
    return findAllowedViewer(c, undefined, (scopes) => requireScope('read', scopes));
  }

  async function findAllowedViewer(
    c: Context,
    endpoint: string | undefined,
    requireAllowed: (scopes: readonly string[]) => void,
  ): Promise<Viewer | null> {
    const token = readBearerToken(c.req.header('authorization'));
    if (token === null) return null;
    const row = await requireToken(token);
    requireAllowed(row.scopes);
    const { requests_per_minute: requestsPerMinute, posts_per_hour: postsPerHour } = row;
    if (requestsPerMinute !== null && postsPerHour !== null)
      await consumeServiceAccountRequest(
        db,
        { memberId: row.member_id, requestsPerMinute, postsPerHour },
        endpoint,
      );
    const viewer = await findViewer(db, { id: row.member_id, sessionId: 0, tokenId: row.id });
    if (viewer === null) throw new ProblemError('api-token-not-valid');
    const lastUsedAt = row.last_used_at?.getTime() ?? 0;
    if (databaseNowMs() - lastUsedAt > useIntervalMs) await recordApiTokenUse(db, row.id);
    return viewer;
  }
}

/**
 * Creates a token of a member and returns it. Only its hash is stored.
 * @throws ProblemError 'too-many-api-tokens'
 */
export async function issueApiToken(
  tx: Tx,
  { memberId, draft }: { memberId: number; draft: Omit<ApiTokenDraft, 'password'> },
): Promise<ApiToken & { token: string }> {
  const token = prefix + randomBytes(32).toString('base64url');
  const { name, scopes, expiresInDays: days } = draft;
  if ((await lockApiTokens(tx, memberId)) >= serverLimits.apiTokens)
    throw new ProblemError('too-many-api-tokens', { params: { max: serverLimits.apiTokens } });
  const row = await insertApiToken(tx, { memberId, name, hash: hashToken(token), scopes, days });
  return { ...toApiToken(row), token };
}

function requireScopeOf(endpoint: string | undefined, scopes: readonly string[]): void {
  // No endpoint has this path; the router answers.
  if (endpoint === undefined) return;
  const scope = apiTokenScopes.get(endpoint);
  if (scope === undefined) throw new ProblemError('api-token-not-accepted');
  requireScope(scope, scopes);
}

function requireScope(scope: ApiScope, scopes: readonly string[]): void {
  if (!scopes.includes(scope)) throw new ProblemError('api-token-scope-missing', { params: { scope } });
}

/** Returns the endpoint of a request as in the OpenAPI document, such as 'GET /questions/{id}'. */
export function findEndpoint(c: Context): string | undefined {
  const method = c.req.method === 'HEAD' ? 'GET' : c.req.method;
  // The first one handles the request. Later ones are for pages, whose paths include those of the API.
  const route = matchedRoutes(c).find((each) => each.method === method && !each.path.includes('*'));
  if (route === undefined) return undefined;
  return `${method} ${route.path.replace(/^\/api/u, '').replaceAll(/:(\w+)(?:\{[^}]*\})?/gu, '{$1}')}`;
}

/** A token has 256 random bits, so a fast hash is enough. */
const hashToken = (token: string): Uint8Array => createHash('sha256').update(token).digest();

const toScopes = (scopes: readonly string[]) =>
  scopes.filter((scope): scope is ApiScope => apiScope.safeParse(scope).success);

export const toApiToken = (row: Awaited<ReturnType<typeof listApiTokens>>[number]): ApiToken => ({
  id: row.id,
  name: row.name,
  scopes: toScopes(row.scopes),
  createdAt: row.created_at.toISOString(),
  expiresAt: row.expires_at.toISOString(),
  lastUsedAt: row.last_used_at?.toISOString() ?? null,
});
