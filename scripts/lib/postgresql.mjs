import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { runCaptured } from './child-process.mjs';

/** Where Debian and its kin put the programs of each version. */
const debian = '/usr/lib/postgresql';

/**
 * The folder with the programs of a PostgreSQL of the system (version 15 or newer), for the tests with a streaming
 * replica, which the embedded one has no programs for: the folder named by PARLEY_POSTGRES_PROGRAMS, Debian's, and where
 * there is none, one installed now. Undefined where that is not possible: then those tests are skipped, which is said.
 * @returns {Promise<string | undefined>}
 */
export async function findPostgresPrograms() {
  const named = process.env['PARLEY_POSTGRES_PROGRAMS'];
  return named ? named : (newest() ?? (await installed()));
}

function newest() {
  const versions = existsSync(debian) ? readdirSync(debian).map(Number) : [];
  const folders = versions
    .filter((version) => version >= 15)
    .toSorted((one, other) => other - one)
    .map((version) => path.join(debian, String(version), 'bin'));
  // Debian's package of the client alone has pg_basebackup, but no server.
  return folders.find((folder) => existsSync(path.join(folder, 'initdb')));
}

async function installed() {
  if (!canInstall())
    return missing('Install PostgreSQL 15 or newer, or name its programs in PARLEY_POSTGRES_PROGRAMS.');
  console.log("There is no PostgreSQL for the tests with replicas. Installing Debian's package postgresql …");
  const failure = await installPackage('postgresql');
  if (failure !== undefined) return missing(failure);
  return newest() ?? missing('The PostgreSQL that was installed is older than 15.');
}

/** Installs Debian's PgBouncer for the tests behind one, where it is not here and can be had. */
export async function ensurePgBouncer() {
  if (existsSync('/usr/sbin/pgbouncer') || existsSync('/usr/bin/pgbouncer')) return;
  console.log("There is no PgBouncer for the tests behind one. Installing Debian's package pgbouncer …");
  const failure = canInstall() ? await installPackage('pgbouncer') : 'Install it.';
  if (failure !== undefined) console.log(`PgBouncer is NOT TRIED. ${failure}`);
}

const canInstall = () => process.getuid?.() === 0 && existsSync('/usr/bin/apt-get');

/**
 * Returns what went wrong, if anything.
 * @param {string} name
 */
async function installPackage(name) {
  // On run level 1, Debian's packages do not start what they install.
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' };
  for (const parameters of [['update'], ['install', '-y', '--no-install-recommends', name]]) {
    const { code, output } = await runCaptured('apt-get', parameters, { env });
    if (code !== 0) return output.trim();
  }
  return undefined;
}

/** @param {string} why */
function missing(why) {
  console.log(`Streaming replicas are NOT TRIED, for want of a PostgreSQL of the system. ${why}`);
  return undefined;
}
