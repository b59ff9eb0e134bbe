import { ProblemError } from '#server/core/errors.ts';
import type { MemberStatus } from '#server/core/http.ts';
import { getActiveSuspension } from './accounts.ts';

/** What concerns nobody but the member: their safety, what they have seen, and what they are told of by mail or push. */
const ownAccountPaths =
  /^\/api\/(sessions|password|second-factor|passkeys|provider-account|address|departure|notifications|notification-settings|push-subscription|notices)(\/|$)/;

export const isOwnAccountPath = (path: string): boolean => ownAccountPaths.test(path);

/**
 * Whoever is suspended reads on and writes nothing.
 * @throws ProblemError 'suspended' with until when (`until`, ISO 8601) and why (`reason`).
 */
export function refuseSuspended(standing: MemberStatus, { method, path }: { method: string; path: string }) {
  if (method === 'GET' || method === 'HEAD' || isOwnAccountPath(path)) return;
  const holds = getActiveSuspension(standing);
  if (holds === null) return;
  const until = `${holds.until.slice(0, 16).replace('T', ' ')} UTC`;
  throw new ProblemError('suspended', `You can read but not write until ${until}: ${holds.reason}`, {
    extension: { until: holds.until, reason: holds.reason },
  });
}
