/**
 * @typedef {{
 *   version?: string, resolved?: string, integrity?: string, license?: string, link?: boolean, name?: string,
 *   hasInstallScript?: boolean
 * }} LockedPackage
 * @typedef {Record<string, string>} Ranges
 * @typedef {{ dependencies?: Ranges, devDependencies?: Ranges, optionalDependencies?: Ranges }} Manifest
 * @typedef {{ lockfileVersion: number, packages: Record<string, LockedPackage & Manifest> }} Lock
 */

/** The allowed licences of packages that are part of Parley or of its build. */
const licences = new Set([
  'MIT',
  'MIT-0',
  'ISC',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'PSF-2.0',
  'MPL-2.0',
  'OFL-1.1',
  'MIT AND OFL-1.1',
  'Python-2.0',
  'CC-BY-4.0',
  'Unlicense',
  '0BSD',
  '(MIT AND Zlib)',
  '(MIT OR CC0-1.0)',
  '(MIT OR GPL-3.0-or-later)',
]);

/**
 * Packages without a machine-readable licence, which were reviewed manually, and libvips, a library under the LGPL that
 * sharp loads unchanged at run time.
 */
const reviewedPackages =
  /^(?:busboy|cli-table|humanize-number|only|streamsearch|xmlhttprequest-ssl|@img\/sharp-.*)$/;

/**
 * Checks the dependencies by the project's own files: every version is exact, and every package has a checksum that npm
 * verifies, comes from a registry and has a known licence. Returns the violations.
 * @param {Manifest} manifest of package.json
 * @param {Lock} lock
 * @param {string} settings of .npmrc
 * @returns {string[]}
 */
export function checkSupplyChain(manifest, lock, settings) {
  const wrong = [];
  const ranges = { ...manifest.dependencies, ...manifest.devDependencies, ...manifest.optionalDependencies };
  for (const [name, range] of Object.entries(ranges)) {
    if (!/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(range))
      wrong.push(`${name} has the range ${range}, which is not an exact version`);
    const locked = lock.packages[`node_modules/${name}`];
    if (locked?.version !== range)
      wrong.push(`${name} is locked as ${locked?.version ?? 'nothing'}, not ${range}`);
  }
  for (const [place, entry] of Object.entries(lock.packages)) {
    if (place === '') continue;
    const name = place.replace(/^.*node_modules\//, '');
    if (entry.link) wrong.push(`${name} is a link`);
    if (!entry.integrity?.startsWith('sha512-')) wrong.push(`${name} has no checksum`);
    if (entry.resolved !== undefined && !entry.resolved.startsWith('https:'))
      wrong.push(`${name} is from ${entry.resolved}`);
    if (!licences.has(entry.license ?? '') && !reviewedPackages.test(name))
      wrong.push(`${name} is under ${entry.license ?? 'no declared licence'}`);
  }
  if (!/^ignore-scripts=true$/m.test(settings)) wrong.push('.npmrc lets packages run install scripts');
  return wrong;
}
