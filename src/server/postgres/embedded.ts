import net from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { Logger } from 'pino';
import { getErrorMessage, StartupError } from '#server/core/startup-error.ts';
import { chooseOsAccount } from './embedded-account.ts';
import { prepareBinaries } from './embedded-binaries.ts';
import { type Passwords, readPasswords, prepareCluster } from './embedded-cluster.ts';
import {
  removeSocketFiles,
  type DataDirectory,
  resolveDataDirectory,
  defaultDataDirectory,
  createSocketDirectory,
  prepareDataDirectory,
  removeSocketDirectory,
} from './embedded-data-directory.ts';
import { cleanUpOrphans } from './embedded-orphan-cleanup.ts';
import { type InstanceLock, findRunningInstance, acquireLock } from './embedded-lock-file.ts';
import {
  type ConnectionSettings,
  type LaunchOptions,
  launchPostgres,
  type Postmaster,
} from './embedded-postmaster.ts';

/** Parley's embedded PostgreSQL, running and supervised. */
export type EmbeddedPostgres = {
  connection: ConnectionSettings;
  /** Connects to the database 'postgres' as superuser. */
  superuser: ConnectionSettings;
  /** An absolute path. */
  dataDirectory: string;
  /** The process id of the postmaster. Changes when PostgreSQL restarts. */
  readonly pid: number;
  /** False from the moment PostgreSQL ends until it accepts connections again. */
  readonly isUp: boolean;
  /**
   * Publishes the address of this instance, or that it is stopping, to other processes that start on this data
   * directory.
   */
  updateInstance(what: { address: string } | { stopping: true }): Promise<void>;
  /** Fast shutdown. Afterwards the data directory is unlocked. */
  stop(): Promise<void>;
};

export type EmbeddedOptions = {
  /** Default: `data` in the project directory. */
  dataDirectory?: string | undefined;
  /**
   * Lets settings of PostgreSQL turn fsync off, for data that does not outlive this process, as in tests. Default: false.
   */
  isTemporary?: boolean;
  log: Logger;
  /** Stops waiting for PostgreSQL. */
  signal?: AbortSignal | undefined;
};

/**
 * Starts the PostgreSQL of a data directory, creates the cluster if there is none, and restarts PostgreSQL whenever it
 * ends.
 * @throws StartupError with a message for the operator
 */
export async function startEmbeddedPostgres({
  dataDirectory,
  isTemporary = false,
  log,
  signal,
}: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const report = (line: string) => log.info(line);
  const account = await chooseOsAccount(
    resolveDataDirectory(dataDirectory ?? defaultDataDirectory()).cluster,
    report,
  );
  const data = await prepareDataDirectory(dataDirectory, account, report);
  const lock = await acquireLock(data, report);
  const cleanups: (() => Promise<void>)[] = [lock.release];
  try {
    const binaries = await prepareBinaries(account, data.root, report);
    const passwords = await prepareCluster(data, binaries, account);
    const { stopped } = await cleanUpOrphans(data.cluster, account);
    if (stopped)
      log.warn('The last Parley was killed, but its PostgreSQL kept running. It has been stopped.');
    if (lock.previous?.postgres) await removeSocketDirectory(lock.previous.postgres.host);
    const address = await chooseAddress(data, account);
    cleanups.unshift(() => removeSocketDirectory(address.host));
    const superuser = { ...address, user: 'postgres', password: passwords.postgres, database: 'postgres' };
    const plan = { data, isTemporary, binaries, account, ...address, superuser };
    const postmaster = await launchPostgres(plan, report, signal);
    cleanups.unshift(postmaster.stop);
    const connection = parleyConnection(address, passwords);
    await ensureDatabase(superuser, connection);
    await lock.update({ postgres: address });
    return supervise(plan, postmaster, connection, lock, log);
  } catch (error) {
    for (const step of cleanups) await step();
    throw error;
  }
}

/** The database of the Parley that runs on a data directory now, for other commands. Undefined if none runs. */
export async function findRunningConnection(
  directory: string | undefined,
): Promise<ConnectionSettings | undefined> {
  const data = resolveDataDirectory(directory ?? defaultDataDirectory());
  const instance = await findRunningInstance(data);
  if (instance?.postgres === undefined) return undefined;
  return parleyConnection(instance.postgres, await readPasswords(data));
}

async function chooseAddress(
  data: DataDirectory,
  account: LaunchOptions['account'],
): Promise<{ host: string; port: number }> {
  if (process.platform === 'win32') return { host: '127.0.0.1', port: await freePort() };
  return { host: await createSocketDirectory(data, account), port: 5432 };
}

async function freePort(): Promise<number> {
  const server = net.createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string')
    throw new StartupError('There is no free port on 127.0.0.1.');
  return address.port;
}

function supervise(
  plan: LaunchOptions,
  first: Postmaster,
  connection: ConnectionSettings,
  lock: InstanceLock,
  log: Logger,
): EmbeddedPostgres {
  const { data, account, host, superuser } = plan;
  let postmaster = first;
  let startedAt = Date.now();
  let isUp = true;
  const stopping = new AbortController();
  const watching = watch();

  async function watch(): Promise<void> {
    for (;;) {
      await postmaster.ended;
      if (stopping.signal.aborted) return;
      isUp = false;
      log.error('PostgreSQL has ended unexpectedly and is being restarted.');
      const next = await startAgain();
      if (next === undefined) return;
      postmaster = next;
      startedAt = Date.now();
      if (stopping.signal.aborted) return postmaster.stop();
      isUp = true;
      log.info('PostgreSQL accepts connections again.');
    }
  }

  /**
   * Retries until PostgreSQL runs: immediately, unless it ended soon after its start; then after waits from 0.5 s to 10
   * s.
   */
  async function startAgain(): Promise<Postmaster | undefined> {
    const soon = Date.now() - startedAt < 1_000;
    for (
      let wait = soon ? 500 : 0;
      !stopping.signal.aborted;
      wait = Math.min(10_000, Math.max(500, wait * 2))
    ) {
      try {
        await delay(wait, undefined, { signal: stopping.signal });
        // Its other processes hold the shared memory, which prevents the next postmaster from starting.
        await cleanUpOrphans(data.cluster, account);
        await removeSocketFiles(host);
        return await launchPostgres(plan, (line) => log.info(line), stopping.signal);
      } catch (error) {
        if (!stopping.signal.aborted)
          log.error(`PostgreSQL cannot be restarted yet: ${getErrorMessage(error)}`);
      }
    }
    return undefined;
  }

  return {
    connection,
    superuser,
    dataDirectory: data.root,
    get pid() {
      return postmaster.pid;
    },
    get isUp() {
      return isUp;
    },
    updateInstance: (what) => lock.update(what),
    async stop() {
      if (stopping.signal.aborted) return watching;
      stopping.abort();
      if (isUp) await postmaster.stop();
      await watching;
      isUp = false;
      await removeSocketDirectory(host);
      await lock.release();
    },
  };
}

function parleyConnection(address: { host: string; port: number }, passwords: Passwords): ConnectionSettings {
  const { host, port } = address;
  return { host, port, user: 'parley', password: passwords.parley, database: 'parley' };
}

/** Creates Parley's role, which owns its database and has no rights outside it. */
async function ensureDatabase(
  superuser: ConnectionSettings,
  { user, password, database }: ConnectionSettings,
): Promise<void> {
  const client = new pg.Client(superuser);
  await client.connect();
  try {
    const { rows } = await client.query<{ role: boolean; database: boolean }>(
      `select exists (select from pg_roles where rolname = $1) as role,
              exists (select from pg_database where datname = $2) as database`,
      [user, database],
    );
    if (rows[0]?.role === false)
      await client.query(`create role ${user} login password ${pg.escapeLiteral(password)}`);
    if (rows[0]?.database === false) await client.query(`create database ${database} owner ${user}`);
  } catch (error) {
    throw new StartupError(`Parley's database could not be created: ${getErrorMessage(error)}.`);
  } finally {
    await client.end();
  }
}
