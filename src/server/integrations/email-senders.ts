import type { Context } from 'hono';
import type { Database } from '#server/core/database.ts';
import { ProblemError } from '#server/core/errors.ts';
import { readBearerToken, type Viewer } from '#server/core/http.ts';
import { findViewer } from '#server/identity/index.ts';
import { emailPostingEndpoints, readEmailPostingToken } from '#server/notifications/index.ts';
import { findEndpoint } from './api-tokens.ts';

/**
 * Returns the member in whose name `parley email reply` sends a request; null for every other request.
 * @throws ProblemError 'api-token-not-valid', 'api-token-not-accepted'
 */
export async function findEmailSender(
  c: Context,
  { db, secret }: { db: Database; secret: string },
): Promise<Viewer | null> {
  const token = readBearerToken(c.req.header('authorization'));
  const memberId = token === null ? undefined : readEmailPostingToken(secret, token);
  if (memberId === undefined) return null;
  const viewer =
    memberId === null ? null : await findViewer(db, { id: memberId, sessionId: 0, tokenId: null });
  if (viewer === null) throw new ProblemError('api-token-not-valid');
  const endpoint = findEndpoint(c);
  if (endpoint !== undefined && !emailPostingEndpoints.has(endpoint))
    throw new ProblemError('api-token-not-accepted');
  return viewer;
}
