import { lookup } from 'node:dns';
import { BlockList, isIP, isIPv4, type LookupFunction } from 'node:net';

/** Whether the server may connect to an IP address. */
export type IsAllowedAddress = (address: string) => boolean;

/** Ranges that are not on the public internet (the IANA registries of special-purpose addresses, RFC 6890). */
const privateIpv4 = `0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24
  192.0.2.0/24 192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/3`;

/** Global unicast. Also all addresses that contain an IPv4 address, such as ::ffff:127.0.0.1, are outside of it. */
const globalIpv6 = '2000::/3';

/** Ranges in it for protocols, documentation and 6to4. */
const privateIpv6 = '2001::/23 2001:db8::/32 2002::/16 3fff::/20';

/**
 * Allows the addresses of the public internet: a link in an archive must not reach services of this machine or its
 * network.
 * @param exceptions IP addresses and ranges such as 10.1.0.0/16 that are allowed as well
 * @throws Error with a sentence if an exception is neither
 */
export function allowPublicAddresses(exceptions: readonly string[] = []): IsAllowedAddress {
  const refused = createList(`${privateIpv4} ${privateIpv6}`.split(/\s+/));
  const global = createList([globalIpv6]);
  const allowed = createList(exceptions);
  return (address) => {
    const family = isIPv4(address) ? 'ipv4' : 'ipv6';
    if (allowed.check(address, family)) return true;
    return !refused.check(address, family) && (family === 'ipv4' || global.check(address, family));
  };
}

function createList(ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [address = '', prefix] = range.split('/');
    const family = isIPv4(address) ? 'ipv4' : 'ipv6';
    const bits = prefix === undefined ? (family === 'ipv4' ? 32 : 128) : Number(prefix);
    if (isIP(address) === 0 || !/^\d*$/.test(prefix ?? '') || bits > (family === 'ipv4' ? 32 : 128))
      throw new Error(`${range} is not an IP address, or a range such as 10.1.0.0/16.`);
    list.addSubnet(address, bits, family);
  }
  return list;
}

/** The host has no address that is allowed. */
export class AddressRefusedError extends Error {}

/** Resolves host names to allowed addresses only. A connection uses what it returns, so no later answer counts. */
export function createSafeLookup(isAllowed: IsAllowedAddress): LookupFunction {
  return (host, options, callback) =>
    lookup(host, { ...options, all: true }, (error, addresses) => {
      if (error !== null) return callback(error, []);
      const found = addresses.filter(({ address }) => isAllowed(address));
      const [first] = found;
      if (first === undefined) return callback(new AddressRefusedError(), []);
      return options.all === true ? callback(null, found) : callback(null, first.address, first.family);
    });
}

/** Refuses an address that is written as such in a URL; no name is resolved then. */
export function refuseLiteralAddress({ hostname }: URL, isAllowed: IsAllowedAddress): void {
  const literal = hostname.replace(/^\[(.*)\]$/, '$1');
  if (isIP(literal) !== 0 && !isAllowed(literal)) throw new AddressRefusedError();
}
