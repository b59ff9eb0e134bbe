import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chown, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { chooseOsAccount, runAs } from '#server/postgres/embedded-account.ts';
import { findFreePort } from './free-port.ts';
import { hasEnded } from './parley-process.ts';

/** The path of PgBouncer as Debian installs it; undefined without it. `npm test` reports that. */
export const pgBouncerPath = ['/usr/sbin/pgbouncer', '/usr/bin/pgbouncer'].find((file) => existsSync(file));

export type Pooler = {
  /** The URL of the database through the pooler, as for DATABASE_URL. */
  url: string;
  end: () => Promise<void>;
};

/**
 * Starts PgBouncer in front of a database.
 * @param settings lines of its section `[pgbouncer]`
 */
export async function startPgBouncer(to: pg.ClientConfig, settings: string): Promise<Pooler> {
  const account = await chooseOsAccount('', () => {});
  const directory = await mkdtemp(path.join(os.tmpdir(), 'parley-pgbouncer-'));
  if (account !== undefined) await chown(directory, account.uid, account.gid);
  const port = await findFreePort();
  const { host, port: toPort, database, user, password } = new pg.Client(to);
  const file = path.join(directory, 'pgbouncer.ini');
  await writeFile(
    file,
    `[databases]
${database} = host=${host} port=${toPort} user=${user} password=${password ?? ''}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
default_pool_size = 4
${settings}
`,
  );
  if (account !== undefined) await chown(file, account.uid, account.gid);
  const child = spawn(pgBouncerPath ?? '', ['-q', file], {
    ...runAs(account),
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = once(child, 'exit');
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  // It must not outlive the test process.
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  const url = `postgres://${user}@127.0.0.1:${port}/${database}`;
  while (!(await acceptsQueries(url))) {
    if (hasEnded(child)) throw new Error(`PgBouncer ended: ${stderr}`);
    await delay(20);
  }
  return {
    url,
    async end() {
      process.off('exit', kill);
      child.kill('SIGTERM');
      await ended;
      await rm(directory, { recursive: true, force: true });
    },
  };
}

async function acceptsQueries(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {});
  try {
    await client.connect();
    await client.query('select 1');
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => {});
  }
}
