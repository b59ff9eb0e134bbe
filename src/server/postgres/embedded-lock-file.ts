import { chmodSync, closeSync, existsSync, openSync, statSync } from 'node:fs';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { getErrorMessage, StartupError } from '#server/core/startup-error.ts';
import type { DataDirectory } from './embedded-data-directory.ts';

/** The running instance of a data folder, as it writes itself down for others. */
const instanceFile = z.object({
  pid: z.number(),
  /** ISO 8601. */
  since: z.string(),
  /** Where it serves, such as 'http://127.0.0.1:3000', once it does. */
  address: z.string().optional(),
  /** Told to stop: it lets go as soon as running requests are done. */
  stopping: z.boolean().optional(),
  /** The socket folder, or the loopback host, and the port of its PostgreSQL, once it runs. */
  postgres: z.object({ host: z.string(), port: z.number() }).optional(),
});
type Instance = z.infer<typeof instanceFile>;

export type InstanceLock = {
  /** The instance that held the lock before; it did not stop cleanly. */
  readonly previous: Instance | undefined;
  /** Writes down what others may know about this instance. */
  update: (more: Partial<Pick<Instance, 'address' | 'postgres' | 'stopping'>>) => Promise<void>;
  release: () => Promise<void>;
};

/**
 * Takes the lock of a data folder. The operating system holds it for this process alone and lets go when the process
 * ends, however it ends; children do not inherit it. It is the write lock of an SQLite file, because Node can lock
 * files in no other way. Nothing else in this process may open that file: closing it would let the lock go (fcntl(2)).
 * @throws StartupError naming the instance that holds it.
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
  await write();
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
 * How long to wait for a lock, in milliseconds: whoever restarts Parley may start the next one while the last one is
 * still stopping, or has not even noticed yet that it is to stop.
 */
const timeoutsMs = { running: 1_500, stopping: 30_000 };

/** Undefined when another instance goes on holding it. */
async function waitForLock(
  data: DataDirectory,
  report: (line: string) => void,
): Promise<DatabaseSync | undefined> {
  const start = performance.now();
  for (let hasReported = false; ; await delay(100)) {
    const file = tryLockFile(data);
    if (file !== undefined) return file;
    const isStopping = (await readInstance(data))?.stopping === true;
    if (isStopping && !hasReported) report('Waiting for the Parley that ran on this data folder to stop.');
    hasReported ||= isStopping;
    if (performance.now() - start > (isStopping ? timeoutsMs.stopping : timeoutsMs.running)) return undefined;
  }
}

/** The instance that runs on this data folder now; undefined where none does. */
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
    // A command that only asks who holds it does so for a moment.
    file = new DatabaseSync(data.lock, { timeout: 300 });
    file.exec('begin exclusive');
    return file;
  } catch (error) {
    file?.close();
    if (isLockedError(error)) return undefined;
    throw new StartupError(
      `The data folder ${data.root} cannot be locked: ${getErrorMessage(error)}. Choose another with PARLEY_DATA.`,
    );
  }
}

/** Readable by its owner alone. A file that is there is not opened: that could let go of a lock. */
function makePrivate(file: string): void {
  if (!existsSync(file)) closeSync(openSync(file, 'a', 0o600));
  else if ((statSync(file).mode & 0o077) !== 0) chmodSync(file, 0o600);
}

/** SQLITE_BUSY: somebody else holds the lock. */
function isLockedError(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === 5;
}

function describeHolder(data: DataDirectory, holder: Instance | undefined): string {
  const parts = holder
    ? [`process ${holder.pid}`, `since ${holder.since}`, holder.address && `at ${holder.address}`]
    : ['it is just starting'];
  return `Parley already runs on the data folder ${data.root} (${parts.filter(Boolean).join(', ')}). Stop it first, or choose another folder with PARLEY_DATA.`;
}

async function readInstance(data: DataDirectory): Promise<Instance | undefined> {
  try {
    return instanceFile.parse(JSON.parse(await readFile(data.instance, 'utf8')));
  } catch {
    return undefined;
  }
}

/** Readers see the old text or the whole of the new one. */
export async function writeFileAtomically(file: string, text: string, mode = 0o600): Promise<void> {
  await rm(`${file}.new`, { force: true });
  await writeFile(`${file}.new`, text, { mode, flush: true });
  await rename(`${file}.new`, file);
}
