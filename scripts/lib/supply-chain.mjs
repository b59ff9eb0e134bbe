/**
 * @typedef {{
 *   version?: string, resolved?: string, integrity?: string, license?: string, link?: boolean, name?: string,
 *   hasInstallScript?: boolean
 * }} LockedPackage
 * @typedef {Record<string, string>} Ranges
 * @typedef {{ dependencies?: Ranges, devDependencies?: Ranges, optionalDependencies?: Ranges }} Wishes
 * @typedef {{ lockfileVersion: number, packages: Record<string, LockedPackage & Wishes> }} Lock
 */

/** Licences under which packages may be part of Parley, or help to build it. */
const licences = new Set([
  'MIT',
  'MIT-0',
  'ISC',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'MPL-2.0',
  'OFL-1.1',
  'Python-2.0',
  'CC-BY-4.0',
  'Unlicense',
  '0BSD',
  '(MIT OR CC0-1.0)',
]);

/** Packages that name no licence in a way that programs read; somebody has looked at them. */
const reviewedPackages = new Set(['cli-table', 'xmlhttprequest-ssl']);

/**
 * What is wrong with what Parley is made of, as far as its own files tell: every version exact, every package with the
 * checksum that npm compares, from a registry and nowhere else, under a licence that is known.
 * @param {Wishes} wishes of package.json
 * @param {Lock} lock
 * @param {string} settings of .npmrc
 * @returns {string[]}
 */
export function checkSupplyChain(wishes, lock, settings) {
  const wrong = [];
  const wanted = { ...wishes.dependencies, ...wishes.devDependencies, ...wishes.optionalDependencies };
  for (const [name, range] of Object.entries(wanted)) {
    if (!/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(range))
      wrong.push(`${name} is wanted as ${range}, which is no exact version`);
    const locked = lock.packages[`node_modules/${name}`];
    if (locked?.version !== range)
      wrong.push(`${name} is locked as ${locked?.version ?? 'nothing'}, not ${range}`);
  }
  for (const [place, found] of Object.entries(lock.packages)) {
    if (place === '') continue;
    const name = place.replace(/^.*node_modules\//, '');
    if (found.link) wrong.push(`${name} is a link`);
    if (!found.integrity?.startsWith('sha512-')) wrong.push(`${name} has no checksum`);
    if (found.resolved !== undefined && !found.resolved.startsWith('https:'))
      wrong.push(`${name} is from ${found.resolved}`);
    if (!licences.has(found.license ?? '') && !reviewedPackages.has(name))
      wrong.push(`${name} is under ${found.license ?? 'a licence that it does not name'}`);
  }
  if (!/^ignore-scripts=true$/m.test(settings))
    wrong.push('.npmrc lets packages run programs while they are installed');
  return wrong;
}
