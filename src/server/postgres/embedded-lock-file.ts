import { chmodSync, closeSync, existsSync, openSync, statSync } from 'node:fs';
import { open, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { describeDirectoryError, getErrorMessage, StartupError } from '#server/core/startup-error.ts';
import type { DataDirectory } from './embedded-data-directory.ts';

/** What the running instance of a data directory writes down for other processes. */
const instanceFile = z.object({
  pid: z.number(),
  /** ISO 8601. */
  since: z.string(),
  /** The address where it serves, such as 'http://127.0.0.1:3000'. Set once it serves. */
  address: z.string().optional(),
  /** Set when the instance is stopping. It releases the lock when running requests are finished. */
  stopping: z.boolean().optional(),
  /** The socket directory (or the loopback host) and the port of its PostgreSQL. Set once PostgreSQL runs. */
  postgres: z.object({ host: z.string(), port: z.number() }).optional(),
});
type Instance = z.infer<typeof instanceFile>;

export type InstanceLock = {
  /** The instance that held the lock before, if it did not stop cleanly. */
  readonly previous: Instance | undefined;
  /** Publishes more about this instance to other processes. */
  update: (more: Partial<Pick<Instance, 'address' | 'postgres' | 'stopping'>>) => Promise<void>;
  release: () => Promise<void>;
};

/**
 * Acquires the lock of a data directory. The operating system holds the lock for this process and releases it when the
 * process ends, even after a crash. Child processes do not inherit it. It is the write lock of an SQLite file, because
 * Node has no other way to lock files. Nothing else in this process may open that file: closing it would release the
 * lock (fcntl(2)).
 * @throws StartupError naming the instance that holds the lock
 */
export async function acquireLock(
  data: DataDirectory,
  report: (line: string) => void,
): Promise<InstanceLock> {
  const file = await waitForLock(data, report);
  if (file === undefined) throw new StartupError(describeHolder(data, await readInstance(data)));
  const previous = await readInstance(data);
  let instance: Instance = { pid: process.pid, since: new Date().toISOString() };
  const write = () => writeFileAtomically(data.instance, `${JSON.stringify(instance)}\n`);
  try {
    await write();
  } catch (error) {
    file.close();
    throw new StartupError(describeDirectoryError(data.root, error));
  }
  return {
    previous,
    async update(more) {
      instance = { ...instance, ...more };
      await write();
    },
    async release() {
      await rm(data.instance, { force: true });
      file.close();
    },
  };
}

/**
 * How long to wait for a lock, in milliseconds. During a restart, the next process may start while the last one is
 * still stopping, or before it has received its signal.
 */
const timeoutsMs = { running: 1_500, stopping: 30_000 };

/** Returns undefined if another instance still holds the lock. */
async function waitForLock(
  data: DataDirectory,
  report: (line: string) => void,
): Promise<DatabaseSync | undefined> {
  const start = performance.now();
  for (let hasReported = false; ; await delay(100)) {
    const file = tryLockFile(data);
    if (file !== undefined) return file;
    const isStopping = (await readInstance(data))?.stopping === true;
    if (isStopping && !hasReported) report('Waiting for the previous Parley on this data directory to stop.');
    hasReported ||= isStopping;
    if (performance.now() - start > (isStopping ? timeoutsMs.stopping : timeoutsMs.running)) return undefined;
  }
}

/** The instance that runs on this data directory now, if any. */
export async function findRunningInstance(data: DataDirectory): Promise<Instance | undefined> {
  if (!existsSync(data.lock)) return undefined;
  const file = tryLockFile(data);
  if (file === undefined) return readInstance(data);
  file.close();
  return undefined;
}

function tryLockFile(data: DataDirectory): DatabaseSync | undefined {
  let file: DatabaseSync | undefined;
  try {
    makePrivate(data.lock);
    // Another command may hold the lock for a moment while it checks who holds it.
    file = new DatabaseSync(data.lock, { timeout: 300 });
    file.exec('begin exclusive');
    return file;
  } catch (error) {
    file?.close();
    if (isLockedError(error)) return undefined;
    throw new StartupError(
      `The data directory ${data.root} cannot be locked: ${getErrorMessage(error)}. Choose another with PARLEY_DATA.`,
    );
  }
}

/**
 * Makes the file readable by its owner only. An existing file is not opened, because closing it could release a lock.
 */
function makePrivate(file: string): void {
  if (!existsSync(file)) closeSync(openSync(file, 'a', 0o600));
  else if ((statSync(file).mode & 0o077) !== 0) chmodSync(file, 0o600);
}

/** SQLITE_BUSY: another process holds the lock. */
function isLockedError(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === 5;
}

function describeHolder(data: DataDirectory, holder: Instance | undefined): string {
  const parts = holder
    ? [`process ${holder.pid}`, `since ${holder.since}`, holder.address && `at ${holder.address}`]
    : ['it is just starting'];
  return `Parley already runs on the data directory ${data.root} (${parts.filter(Boolean).join(', ')}). Stop it first, or choose another directory with PARLEY_DATA.`;
}

async function readInstance(data: DataDirectory): Promise<Instance | undefined> {
  try {
    return instanceFile.parse(JSON.parse(await readFile(data.instance, 'utf8')));
  } catch {
    return undefined;
  }
}

/** Readers see either the old text or the complete new one. */
export async function writeFileAtomically(file: string, text: string, mode = 0o600): Promise<void> {
  await rm(`${file}.new`, { force: true });
  await writeFile(`${file}.new`, text, { mode, flush: true });
  await rename(`${file}.new`, file);
}

/** Makes a rename in this directory durable. On Windows, directories cannot be opened. */
export async function syncDirectory(directory: string): Promise<void> {
  if (process.platform === 'win32') return;
  await using handle = await open(directory);
  await handle.sync();
}
