import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { canInstall, installDebianPackages } from './debian.mjs';

/** Where Debian and its derivatives install the programs of each version. */
const debian = '/usr/lib/postgresql';

/**
 * Finds the programs of a system PostgreSQL (version 15 or newer) for the tests with streaming replicas, which the
 * embedded one lacks: the directory in PARLEY_POSTGRES_PROGRAMS, Debian's, or one installed now. Undefined if that
 * fails: the tests are then skipped with a notice.
 * @returns {Promise<string | undefined>}
 */
export async function findPostgresPrograms() {
  const named = process.env['PARLEY_POSTGRES_PROGRAMS'];
  return named ? named : (newest() ?? (await installed()));
}

function newest() {
  const versions = existsSync(debian) ? readdirSync(debian).map(Number) : [];
  const directories = versions
    .filter((version) => version >= 15)
    .toSorted((one, other) => other - one)
    .map((version) => path.join(debian, String(version), 'bin'));
  // Debian's client package has pg_basebackup but no server.
  return directories.find((directory) => existsSync(path.join(directory, 'initdb')));
}

async function installed() {
  if (!canInstall())
    return missing('Install PostgreSQL 15 or newer, or name its programs in PARLEY_POSTGRES_PROGRAMS.');
  console.log("PostgreSQL for the tests with replicas is missing. Installing Debian's package postgresql …");
  const failure = await installDebianPackages('--no-install-recommends', 'postgresql');
  if (failure !== undefined) return missing(failure);
  return newest() ?? missing('The PostgreSQL that was installed is older than 15.');
}

/** Installs Debian's PgBouncer for its tests, if it is missing and available. */
export async function ensurePgBouncer() {
  if (existsSync('/usr/sbin/pgbouncer') || existsSync('/usr/bin/pgbouncer')) return;
  console.log("PgBouncer for its tests is missing. Installing Debian's package pgbouncer …");
  const failure = canInstall()
    ? await installDebianPackages('--no-install-recommends', 'pgbouncer')
    : 'Install it.';
  if (failure !== undefined) console.log(`PgBouncer is NOT TESTED. ${failure}`);
}

/** @param {string} why */
function missing(why) {
  console.log(`Streaming replicas are NOT TESTED, because there is no system PostgreSQL. ${why}`);
  return undefined;
}
