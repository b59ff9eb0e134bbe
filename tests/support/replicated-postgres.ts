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

const run = promisify(execFile);

/** One PostgreSQL server, run from the programs that an operator has as well. */
export type TestPostgres = {
  /** As DATABASE_URL and DATABASE_REPLICA_URLS name it. */
  url: string;
  sql(statement: string): Promise<pg.QueryResultRow[]>;
  /** What it was asked so far, statement by statement. */
  readStatementLog(): Promise<string>;
  start(): Promise<void>;
  /** SIGINT: fast; SIGQUIT: immediate. Resolves when it has ended. */
  stop(how: 'SIGINT' | 'SIGQUIT'): Promise<void>;
  /** Stops every one of its processes where it stands, as a machine that hangs, or lets them go on. */
  freeze(): Promise<void>;
  resume(): Promise<void>;
  /** Its processes' ids, the first one's first. */
  processes(): Promise<number[]>;
};

export type ReplicatedPostgres = { primary: TestPostgres; replica: TestPostgres; remove(): Promise<void> };

/** The folder with initdb, pg_basebackup and postgres; undefined where there is none. `npm test` sees to it. */
export function findPostgresPrograms(): string | undefined {
  const named = process.env['PARLEY_POSTGRES_PROGRAMS'];
  if (named !== undefined && named !== '') return named;
  const debian = '/usr/lib/postgresql';
  const versions = existsSync(debian) ? readdirSync(debian).map(Number) : [];
  return versions
    .filter((version) => version >= 15)
    .toSorted((one, other) => other - one)
    .map((version) => path.join(debian, String(version), 'bin'))
    .find((folder) => existsSync(path.join(folder, 'initdb')));
}

/**
 * A primary and a streaming replica of it on loopback, with empty data; root's run as another user. `logged`: each
 * statement is.
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
  const folder = (name: string) => path.join(parent, name);
  await tool(
    'initdb',
    '--username=parley',
    '--auth=trust',
    '--no-sync',
    '--no-locale',
    '-E',
    'UTF8',
    '-D',
    folder('primary'),
  );
  await appendFile(
    path.join(folder('primary'), 'postgresql.conf'),
    logged ? settings + statementLog : settings,
  );
  const at = (name: string, port: number) =>
    server({ program: path.join(programs, 'postgres'), folder: folder(name), port, as: runAs(account) });
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
    folder('replica'),
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

/** No test here cuts the power. */
const settings = `
listen_addresses = '127.0.0.1'
unix_socket_directories = ''
fsync = off
shared_buffers = 16MB
max_connections = 80
max_wal_senders = 4
wal_retrieve_retry_interval = 200ms
`;

/** Tells who was asked what. */
const statementLog = `
log_statement = 'all'
log_line_prefix = '%a: '
`;

type ServerOptions = { program: string; folder: string; port: number; as: ReturnType<typeof runAs> };

function server({ program, folder, port, as }: ServerOptions): TestPostgres {
  const url = `postgres://parley@127.0.0.1:${port}/postgres`;
  const logFile = `${folder}.log`;
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
    // Written by PostgreSQL itself: what an answer tells of is in the log before it.
    const log = openSync(logFile, 'a');
    const started = spawn(program, ['-D', folder, '-p', String(port)], {
      ...as,
      stdio: ['ignore', log, log],
    });
    closeSync(log);
    child = started;
    // It must not outlive who tries it, whatever happens to them.
    const kill = () => started.kill('SIGQUIT');
    process.once('exit', kill);
    started.once('exit', () => process.off('exit', kill));
    for (;;) {
      const answers = await sql('select 1').catch(() => undefined);
      if (answers !== undefined) return;
      if (started.exitCode !== null) throw new Error(`It ended:\n${await readFile(logFile, 'utf8')}`);
      await delay(20);
    }
  }

  async function end(how: 'SIGINT' | 'SIGQUIT'): Promise<void> {
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    if (frozen) await thaw();
    child.kill(how);
    await ended;
  }

  /** The first process last to stop, first to go on: it is the one that would notice. */
  async function freeze(): Promise<void> {
    frozen = true;
    for (const pid of (await processes()).toReversed()) signal(pid, 'SIGSTOP');
  }

  async function thaw(): Promise<void> {
    for (const pid of await processes()) signal(pid, 'SIGCONT');
    frozen = false;
  }

  /** One that serves a connection may have ended meanwhile. */
  function signal(pid: number, name: NodeJS.Signals): void {
    try {
      process.kill(pid, name);
    } catch (error) {
      if (getErrorCode(error) !== 'ESRCH') throw error;
    }
  }

  async function processes(): Promise<number[]> {
    const first = child?.pid;
    if (first === undefined) throw new Error('it does not run');
    const others = await readFile(`/proc/${first}/task/${first}/children`, 'utf8');
    return [first, ...others.split(' ').filter(Boolean).map(Number)];
  }
}
