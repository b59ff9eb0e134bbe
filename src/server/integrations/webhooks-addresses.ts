import { isIP } from 'node:net';
import { invalidFieldError } from '#server/core/errors.ts';
import type { ReachableHosts } from '#server/core/outgoing-request.ts';
import {
  AddressRefusedError,
  allowPublicAddresses,
  refuseLiteralAddress,
} from '#server/core/public-addresses.ts';

/** Which hosts web hooks may reach: those on the public internet by https, and those that the operator allows. */
export type WebhookHosts = ReachableHosts & {
  /** @throws ProblemError 'invalid' for an address that can never be delivered to */
  check: (address: string) => void;
};

/**
 * @param allowed host names, IP addresses and ranges such as 10.1.0.0/16 that the operator allows (WEBHOOK_HOSTS).
 * They need neither https nor an address on the public internet.
 * @throws Error with a sentence if an entry is none of them
 */
export function createWebhookHosts(allowed: readonly string[]): WebhookHosts {
  const isRange = (entry: string) => isIP(entry.split('/')[0] ?? '') !== 0;
  const ranges = allowed.filter(isRange);
  const names = new Set(allowed.filter((entry) => !isRange(entry)).map((name) => name.toLowerCase()));
  const isAllowed = allowPublicAddresses(ranges);
  const isPublic = allowPublicAddresses();
  const isAllowedHost = ({ hostname }: URL) => {
    const literal = hostname.replace(/^\[(.*)\]$/, '$1');
    return names.has(hostname) || (isIP(literal) !== 0 && isAllowed(literal) && !isPublic(literal));
  };
  return {
    addressesOf: (url) => (names.has(url.hostname) ? () => true : isAllowed),
    check(address) {
      const url = new URL(address);
      if (url.protocol !== 'https:' && !isAllowedHost(url))
        throw invalidFieldError('address', 'webhook-address-not-https');
      try {
        if (!names.has(url.hostname)) refuseLiteralAddress(url, isAllowed);
      } catch (error) {
        if (error instanceof AddressRefusedError)
          throw invalidFieldError('address', 'webhook-address-private');
        throw error;
      }
    },
  };
}
