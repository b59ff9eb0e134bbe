import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import { StartupError } from '#server/core/startup-error.ts';
import { type OsAccount, runAs } from './embedded-account.ts';
import { type PostgresBinaries, programPath } from './embedded-binaries.ts';
import type { DataDirectory } from './embedded-data-directory.ts';

const run = promisify(execFile);

/** How to connect to a database. */
export type ConnectionSettings = {
  host: string;
  port: number;
  user: string;
  password: string;
  database: string;
};

/** The options of one run of PostgreSQL. `host` is the socket directory, or the loopback address on Windows. */
export type LaunchOptions = {
  data: DataDirectory;
  isTemporary: boolean;
  binaries: PostgresBinaries;
  account: OsAccount | undefined;
  host: string;
  port: number;
  superuser: ConnectionSettings;
};

/** A running postmaster. */
export type Postmaster = {
  pid: number;
  /** Settles when the postmaster has ended, for any reason. */
  ended: Promise<void>;
  /** Fast shutdown: open transactions are rolled back, all committed data is on disk. */
  stop: () => Promise<void>;
};

/**
 * Starts PostgreSQL and waits until it accepts connections, including crash recovery.
 * @throws StartupError with PostgreSQL's own message if it does not start
 */
export async function launchPostgres(
  launch: LaunchOptions,
  report: (line: string) => void,
  signal?: AbortSignal,
): Promise<Postmaster> {
  const child = spawn(programPath(launch.binaries, 'postgres'), parameters(launch), {
    ...runAs(launch.account),
    // Uses its own process group: Ctrl-C in a terminal signals Parley only, which stops PostgreSQL after running
    // requests.
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
    windowsHide: true,
  });
  const stderrLines = captureLastLines(child);
  const ended = new Promise<void>((resolve) => {
    child.once('error', (error) => {
      stderrLines.push(error.message);
      resolve();
    });
    child.once('exit', () => resolve());
  });
  const giveUp = () => void child.kill('SIGINT');
  signal?.addEventListener('abort', giveUp);
  let over = false;
  void ended.then(() => (over = true));
  try {
    await waitUntilReady(launch, () => over, report);
  } catch (error) {
    await stop(launch, child, ended);
    throw error;
  } finally {
    signal?.removeEventListener('abort', giveUp);
  }
  if (over) throw new StartupError(await findFailureReason(launch.data, stderrLines));
  return { pid: child.pid ?? 0, ended, stop: () => stop(launch, child, ended) };
}

function parameters({ data, isTemporary, host, port }: LaunchOptions): string[] {
  const socket = process.platform !== 'win32';
  const settings = {
    listen_addresses: socket ? '' : host,
    unix_socket_directories: socket ? `"${host.replaceAll('"', '""')}"` : '',
    unix_socket_permissions: '0700',
    // Overrides every settings file: acknowledged data is on disk.
    ...(!isTemporary && { fsync: 'on' }),
    full_page_writes: 'on',
    synchronous_commit: 'on',
  };
  const options = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  return ['-D', data.cluster, '-p', String(port), ...options];
}

/** The last lines of standard error, where PostgreSQL writes until its log file is open. */
function captureLastLines(child: ChildProcess): string[] {
  const lines: string[] = [];
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    lines.push(...text.split('\n').filter(Boolean));
    lines.splice(0, lines.length - 20);
  });
  return lines;
}

async function waitUntilReady(
  launch: LaunchOptions,
  isOver: () => boolean,
  report: (line: string) => void,
): Promise<void> {
  let nextReportAt = Date.now() + 5_000;
  while (!isOver() && !(await acceptsConnections(launch.superuser))) {
    if (Date.now() > nextReportAt) {
      report('PostgreSQL is still starting: it is recovering from the write-ahead log.');
      nextReportAt += 10_000;
    }
    await delay(20);
  }
}

async function acceptsConnections(connection: ConnectionSettings): Promise<boolean> {
  const client = new pg.Client({ ...connection, connectionTimeoutMillis: 5_000 });
  client.on('error', () => {});
  try {
    await client.connect();
    return true;
  } catch (error) {
    // Any error except 'cannot connect now' (57P03) and 'too many connections' (53300) is permanent.
    if (error instanceof pg.DatabaseError && error.code !== '57P03' && error.code !== '53300')
      throw new StartupError(`The embedded PostgreSQL refuses Parley: ${error.message}.`);
    return false;
  } finally {
    await client.end().catch(() => {});
  }
}

async function stop(
  { data, binaries }: LaunchOptions,
  child: ChildProcess,
  ended: Promise<void>,
): Promise<void> {
  if (process.platform === 'win32')
    await run(programPath(binaries, 'pg_ctl'), ['stop', '-D', data.cluster, '-m', 'fast']).catch(() => {});
  else child.kill('SIGINT');
  const abortTimeout = new AbortController();
  const tooLong = delay(20_000, 'too long', { signal: abortTimeout.signal }).catch(() => 'ended');
  if ((await Promise.race([ended, tooLong])) === 'too long') child.kill('SIGQUIT');
  await ended;
  abortTimeout.abort();
}

/** PostgreSQL's last message, from standard error or from its log file. */
async function findFailureReason(data: DataDirectory, stderrLines: string[]): Promise<string> {
  const log = await readFile(path.join(data.cluster, 'current_logfiles'), 'utf8').catch(() => '');
  const file = /^stderr (.+)$/m.exec(log)?.[1];
  const logged =
    file === undefined ? '' : await readFile(path.resolve(data.cluster, file), 'utf8').catch(() => '');
  const lines = [...stderrLines, ...logged.split('\n').slice(-50)];
  const fatal =
    lines.findLast((line) => /FATAL|PANIC/.test(line)) ?? stderrLines.at(-1) ?? 'it gave no reason';
  return `PostgreSQL could not be started: ${fatal.replace(/^.*?(FATAL|PANIC): +/, '')}. Its log is in ${data.log}.`;
}
