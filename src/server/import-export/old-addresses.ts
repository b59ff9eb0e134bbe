/** An address on an old site: its decoded path without a trailing slash, and its parameters in order. */
export type OldAddress = { path: string; parameters: [name: string, value: string][] };

const base = 'https://old-site.invalid';

/** More parameters than these are ignored, because each doubles the number of lookups. */
const maxParameters = 6;

/**
 * Reads an address such as '/viewtopic.php?t=12'. Returns null if it is not a path, or not decodable. A fragment is left
 * out: no server receives it.
 */
export function parseOldAddress(address: string): OldAddress | null {
  const url = URL.parse(address, base);
  if (url === null || url.origin !== base) return null;
  let path: string;
  try {
    path = decodeURIComponent(url.pathname).normalize('NFC');
  } catch {
    return null;
  }
  if (/\p{Cc}/u.test(path)) return null;
  const parameters = [...url.searchParams].toSorted(
    ([a, aValue], [b, bValue]) => compare(a, b) || compare(aValue, bValue),
  );
  return { path: path.replace(/\/+$/u, '') || '/', parameters };
}

const compare = (a: string, b: string) => (a < b ? -1 : Number(a > b));

/** The address as it is stored and compared. */
export function formatOldAddress({ path, parameters }: OldAddress): string {
  return parameters.length === 0 ? path : `${path}?${new URLSearchParams(parameters).toString()}`;
}

/**
 * Returns the stored addresses that a requested one matches, each with a number that is higher for what matches more of it:
 * the same path with all of its parameters, or with some of them, and '*' instead of the last part of the path.
 * '/viewtopic.php?f=2&t=12' also matches '/viewtopic.php?t=12', and '/12/how-to' matches '/12/*'.
 */
export function listMatchingAddresses({ path, parameters }: OldAddress): {
  addresses: string[];
  sizes: number[];
} {
  const known = parameters.slice(0, maxParameters);
  const addresses: string[] = [];
  const sizes: number[] = [];
  const below = path.replace(/\/[^/]+$/u, '/*');
  for (let chosen = 0; chosen < 2 ** known.length; chosen++) {
    const some = known.filter((_, index) => Math.floor(chosen / 2 ** index) % 2 === 1);
    addresses.push(formatOldAddress({ path, parameters: some }));
    sizes.push(2 * some.length + 1);
    addresses.push(formatOldAddress({ path: below, parameters: some }));
    sizes.push(2 * some.length);
  }
  return { addresses, sizes };
}
