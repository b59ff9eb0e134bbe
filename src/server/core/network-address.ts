import { isIPv4, isIPv6 } from 'node:net';
import { getConnInfo } from '@hono/node-server/conninfo';
import type { Context } from 'hono';
import { createMiddleware } from 'hono/factory';
import type { Logger } from 'pino';

/**
 * The client's network address. Behind proxies, it is the address seen by the outermost trusted proxy, counted from the
 * right of X-Forwarded-For. Clients can forge the values further left. IPv6 addresses are reduced to their /64 network.
 */
export function getNetworkAddress(c: Context, trustedProxies: number): string {
  const direct = getConnInfo(c).remote.address;
  return findNetworkAddress({ direct, forwardedFor: c.req.header('x-forwarded-for') }, trustedProxies);
}

/**
 * The same from the address of the connection and the header X-Forwarded-For. If the header has fewer addresses than
 * there are trusted proxies, it is the first of them: one proxy replaced the header, or the client bypassed one.
 */
export function findNetworkAddress(
  { direct, forwardedFor }: { direct: string | undefined; forwardedFor: string | undefined },
  trustedProxies: number,
): string {
  const forwarded = trustedProxies === 0 ? undefined : forwardedFor?.split(',').slice(-trustedProxies)[0];
  return parseNetwork(forwarded ?? '') ?? parseNetwork(direct ?? '') ?? 'unknown';
}

/** Warns once if X-Forwarded-For has fewer addresses than there are trusted proxies. */
export function warnOfMissingProxies({ trustedProxies }: { trustedProxies: number }, log: Logger) {
  let hasWarned = false;
  return createMiddleware((c, next) => {
    const count = c.req.header('x-forwarded-for')?.split(',').length;
    if (!hasWarned && count !== undefined && count < trustedProxies) {
      hasWarned = true;
      log.warn(
        `TRUSTED_PROXIES is ${trustedProxies}, but X-Forwarded-For of a request has fewer addresses. A proxy replaces the header instead of adding an address, or a client bypassed a proxy. Limits per network may count all visitors together (docs/operating.md, 'Public reading and a CDN').`,
      );
    }
    return next();
  });
}

/**
 * The network of one IPv6 customer, from the result of `getNetworkAddress`: a /48 (RFC 6177), which contains 65,536
 * networks. An IPv4 address is returned unchanged.
 */
export function toCustomerNetwork(network: string): string {
  return network.includes(':') ? network.split(':').slice(0, 3).join(':') : network;
}

/** The same in the form used for listing accounts: '192.0.2.1' or '2001:db8:1::/48'. Null if the address is unknown. */
export function toRegistrationNetwork(network: string): string | null {
  if (isIPv4(network)) return network;
  return network.includes(':') ? `${toCustomerNetwork(network)}::/48` : null;
}

/**
 * The address of a sign-in as it is stored, and its network: '192.0.2.1' in '192.0.2.0/24', or '2001:db8:1:2::/64' in
 * '2001:db8:1::/48'. Null if the address is unknown.
 * @param address the result of `getNetworkAddress`
 */
export function toSignInNetwork(address: string): { address: string; network: string } | null {
  if (isIPv4(address)) return { address, network: address.replace(/\d+$/u, '0/24') };
  return address.includes(':')
    ? { address: `${address}::/64`, network: `${toCustomerNetwork(address)}::/48` }
    : null;
}

/**
 * Whether a result of `toRegistrationNetwork` is this machine. Limits per network ignore it: behind a proxy on the same
 * machine that TRUSTED_PROXIES does not name, everyone has this address.
 */
export function isLoopbackNetwork(network: string): boolean {
  return network.startsWith('127.') || network === '0:0:0::/48';
}

/**
 * Some proxies add the port: '192.0.2.1:443', '[2001:db8::1]:443'. Returns null for anything that is not an address.
 */
function parseNetwork(text: string): string | null {
  const trimmed = text.trim();
  if (isIPv4(trimmed)) return trimmed;
  const bare = trimmed.replace(/^\[(.*)\](:\d+)?$/, '$1').replace(/^([\d.]+):\d+$/, '$1');
  if (isIPv4(bare)) return bare;
  return isIPv6(bare) ? ipv6Network(bare) : null;
}

function ipv6Network(address: string): string {
  // Normalizes the address as in URLs: short, lower case, IPv4 parts in hexadecimal. URLs do not support zones.
  const { hostname } = new URL(`http://[${address.replace(/%.*$/, '')}]`);
  const [head = '', tail] = hostname.slice(1, -1).split('::');
  const left = head.split(':').filter(Boolean);
  const right = (tail ?? '').split(':').filter(Boolean);
  const parts = [...left, ...Array<string>(8 - left.length - right.length).fill('0'), ...right];
  const [, , , , , mark, high = '', low = ''] = parts;
  if (mark === 'ffff' && parts.slice(0, 5).every((part) => part === '0'))
    return [high, low].flatMap((part) => [parseInt(part, 16) >> 8, parseInt(part, 16) & 255]).join('.');
  return parts.slice(0, 4).join(':');
}
