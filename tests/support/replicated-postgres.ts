import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, readdirSync } from 'node:fs';
import { appendFile, chown, mkdtemp, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import { chooseOsAccount, runAs } from '#server/postgres/embedded-account.ts';
import { getErrorCode } from '#server/core/startup-error.ts';
import { findFreePort } from './free-port.ts';
import { hasEnded } from './parley-process.ts';

const run = promisify(execFile);

/** One PostgreSQL server, run from the system's own programs. */
export type TestPostgres = {
  /** The URL as for DATABASE_URL and DATABASE_REPLICA_URLS. */
  url: string;
  sql(statement: string): Promise<pg.QueryResultRow[]>;
  /** The logged statements so far. */
  readStatementLog(): Promise<string>;
  start(): Promise<void>;
  /** SIGINT: fast; SIGQUIT: immediate. Resolves when the server has ended. */
  stop(how: 'SIGINT' | 'SIGQUIT'): Promise<void>;
  /** Pauses or resumes all of its processes, to simulate a machine that hangs. */
  freeze(): Promise<void>;
  resume(): Promise<void>;
  /** The ids of its processes, the postmaster's first. */
  processes(): Promise<number[]>;
};

export type ReplicatedPostgres = { primary: TestPostgres; replica: TestPostgres; remove(): Promise<void> };

/** The directory with initdb, pg_basebackup and postgres; undefined without it. `npm test` reports that. */
export function findPostgresPrograms(): string | undefined {
  const named = process.env['PARLEY_POSTGRES_PROGRAMS'];
  if (named !== undefined && named !== '') return named;
  const debian = '/usr/lib/postgresql';
  const versions = existsSync(debian) ? readdirSync(debian).map(Number) : [];
  return versions
    .filter((version) => version >= 15)
    .toSorted((one, other) => other - one)
    .map((version) => path.join(debian, String(version), 'bin'))
    .find((directory) => existsSync(path.join(directory, 'initdb')));
}

/**
 * Starts a primary and its streaming replica on loopback, with empty data; as root, both run as another user. `logged`
 * logs each statement.
 */
export async function startReplicatedPostgres(
  programs: string,
  { logged = true } = {},
): Promise<ReplicatedPostgres> {
  const account = await chooseOsAccount('', () => {});
  const parent = await mkdtemp(path.join(os.tmpdir(), 'parley-replicated-'));
  if (account !== undefined) await chown(parent, account.uid, account.gid);
  const [primaryPort, replicaPort] = [await findFreePort(), await findFreePort()];
  const tool = (name: string, ...parameters: string[]) =>
    run(path.join(programs, name), parameters, runAs(account));
  const directory = (name: string) => path.join(parent, name);
  await tool(
    'initdb',
    '--username=parley',
    '--auth=trust',
    '--no-sync',
    '--no-locale',
    '-E',
    'UTF8',
    '-D',
    directory('primary'),
  );
  await appendFile(
    path.join(directory('primary'), 'postgresql.conf'),
    logged ? settings + statementLog : settings,
  );
  const at = (name: string, port: number) =>
    server({
      program: path.join(programs, 'postgres'),
      directory: directory(name),
      port,
      as: runAs(account),
    });
  const primary = at('primary', primaryPort);
  await primary.start();
  const from = ['-h', '127.0.0.1', '-p', String(primaryPort), '-U', 'parley'];
  await tool(
    'pg_basebackup',
    ...from,
    '-R',
    '-X',
    'stream',
    '-c',
    'fast',
    '--no-sync',
    '-D',
    directory('replica'),
  );
  const replica = at('replica', replicaPort);
  await replica.start();
  return {
    primary,
    replica,
    async remove() {
      await Promise.all([replica.stop('SIGQUIT'), primary.stop('SIGQUIT')]);
      await rm(parent, { recursive: true, force: true });
    },
  };
}

/** Tests never cut the power. */
const settings = `
listen_addresses = '127.0.0.1'
unix_socket_directories = ''
fsync = off
shared_buffers = 16MB
max_connections = 80
max_wal_senders = 4
wal_retrieve_retry_interval = 200ms
`;

/** Logs each statement with the application name. */
const statementLog = `
log_statement = 'all'
log_line_prefix = '%a: '
`;

type ServerOptions = { program: string; directory: string; port: number; as: ReturnType<typeof runAs> };

function server({ program, directory, port, as }: ServerOptions): TestPostgres {
  const url = `postgres://parley@127.0.0.1:${port}/postgres`;
  const logFile = `${directory}.log`;
  let child: ChildProcess | undefined;
  let frozen = false;

  return {
    url,
    sql,
    start,
    stop: end,
    readStatementLog: () => readFile(logFile, 'utf8'),
    freeze,
    resume: thaw,
    processes,
  };

  async function sql(statement: string): Promise<pg.QueryResultRow[]> {
    const client = new pg.Client({ connectionString: url, application_name: 'the test' });
    client.on('error', () => {});
    await client.connect();
    try {
      const { rows } = await client.query(statement);
      return rows;
    } finally {
      await client.end();
    }
  }

  async function start(): Promise<void> {
    // PostgreSQL writes to the file directly, so the log contains a statement before its response arrives.
    const log = openSync(logFile, 'a');
    const started = spawn(program, ['-D', directory, '-p', String(port)], {
      ...as,
      stdio: ['ignore', log, log],
    });
    closeSync(log);
    child = started;
    // It must not outlive the test process.
    const kill = () => started.kill('SIGQUIT');
    process.once('exit', kill);
    started.once('exit', () => process.off('exit', kill));
    for (;;) {
      const answers = await sql('select 1').catch(() => undefined);
      if (answers !== undefined) return;
      if (hasEnded(started)) throw new Error(`PostgreSQL ended:\n${await readFile(logFile, 'utf8')}`);
      await delay(20);
    }
  }

  async function end(how: 'SIGINT' | 'SIGQUIT'): Promise<void> {
    if (child === undefined || hasEnded(child)) return;
    const ended = once(child, 'exit');
    if (frozen) await thaw();
    child.kill(how);
    await ended;
  }

  /** The postmaster stops last and resumes first, since it would notice the others. */
  async function freeze(): Promise<void> {
    frozen = true;
    for (const pid of (await processes()).toReversed()) signal(pid, 'SIGSTOP');
  }

  async function thaw(): Promise<void> {
    for (const pid of await processes()) signal(pid, 'SIGCONT');
    frozen = false;
  }

  /** A backend may have ended meanwhile. */
  function signal(pid: number, name: NodeJS.Signals): void {
    try {
      process.kill(pid, name);
    } catch (error) {
      if (getErrorCode(error) !== 'ESRCH') throw error;
    }
  }

  async function processes(): Promise<number[]> {
    const first = child?.pid;
    if (first === undefined) throw new Error('PostgreSQL is not running');
    const others = await readFile(`/proc/${first}/task/${first}/children`, 'utf8');
    return [first, ...others.split(' ').filter(Boolean).map(Number)];
  }
}
