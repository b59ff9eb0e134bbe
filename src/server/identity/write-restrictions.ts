import { ProblemError } from '#server/core/errors.ts';
import type { MemberStatus } from '#server/core/http.ts';
import { getActiveSuspension } from './accounts.ts';

/** Writes that concern only the member: account security, read state, and email and push settings. */
const ownAccountPaths =
  /^\/api\/(sessions|password|two-factor|passkeys|provider-account|email-address|account-deletion|notifications|notification-preferences|push-subscription|moderator-messages)(\/|$)/;

export const isOwnAccountPath = (path: string): boolean => ownAccountPaths.test(path);

/**
 * Suspended members can read but not write.
 * @throws ProblemError 'suspended' with the end (`until`, ISO 8601) and the reason (`reason`).
 */
export function refuseSuspended(
  memberStatus: MemberStatus,
  { method, path }: { method: string; path: string },
) {
  if (method === 'GET' || method === 'HEAD' || isOwnAccountPath(path)) return;
  const holds = getActiveSuspension(memberStatus);
  if (holds === null) return;
  const until = `${holds.until.slice(0, 16).replace('T', ' ')} UTC`;
  throw new ProblemError('suspended', {
    params: { until, reason: holds.reason },
    extension: { until: holds.until, reason: holds.reason },
  });
}
