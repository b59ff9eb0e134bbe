import net from 'node:net';
import { sql } from 'kysely';
import pg from 'pg';
import { expect, inject, onTestFinished, test, vi } from 'vitest';
import { createTestDatabase, runAsAdmin } from '#tests/support/database.ts';
import { eventually } from '#tests/support/parley.ts';
import {
  type Database,
  openDatabase,
  type Queryable,
  removeStatementTimeout,
  transaction,
  type Tx,
} from './database.ts';
import { planOnceHint } from './database-prepared-statements.ts';
import { isUnavailableError } from './errors.ts';

test('fails only the transaction whose connection breaks between two queries', async () => {
  const { connection, drop } = await createTestDatabase();
  const db = openDatabase({ connection });
  try {
    const broken = transaction(db, async (tx) => {
      const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(tx);
      const pid = rows[0]?.pid ?? 0;
      await runAsAdmin(inject('testServer').admin, `select pg_terminate_backend(${pid})`);
      await eventually(() => isGone(pid));
      await sql`select 1`.execute(tx);
    });
    await expect(broken).rejects.toSatisfy(isUnavailableError);
    expect((await sql`select 1`.execute(db)).rows).toHaveLength(1);
  } finally {
    await db.destroy();
    await drop();
  }
});

test('fails statements and transactions whose server vanishes, and uses a new connection then', async () => {
  const { connection, drop } = await createTestDatabase();
  onTestFinished(drop);
  const network = await startNetwork(connection);
  const through = { ...connection, host: '127.0.0.1', port: network.port, statement_timeout: 1_000 };
  const select = (on: Queryable) => sql`select 1`.execute(on);
  const cases = [false, true].flatMap((isPooled) =>
    [select, (db: Database) => transaction(db, select)].map((work) => {
      const db = openDatabase({ connection: through, isPooled, maxConnections: 1 });
      onTestFinished(() => db.destroy());
      return { db, work };
    }),
  );
  // Runs before the connections are closed, which waits for their statements.
  onTestFinished(() => network.end());
  await Promise.all(cases.map(({ db, work }) => work(db)));
  network.dropPackets();
  await Promise.all(
    cases.map(async ({ db, work }) => {
      await expect(work(db)).rejects.toSatisfy(isUnavailableError);
      await work(db);
    }),
  );
});

test('waits for a transaction without statement timeout', async () => {
  const { connection, drop } = await createTestDatabase();
  onTestFinished(drop);
  const db = openDatabase({ connection: { ...connection, statement_timeout: 1_000 }, maxConnections: 1 });
  onTestFinished(() => db.destroy());
  const holder = new pg.Client(connection);
  await holder.connect();
  onTestFinished(() => holder.end());
  await holder.query('select pg_advisory_lock(1)');
  onTestFinished(() => void vi.useRealTimers());
  const work = async (tx: Tx) => {
    await removeStatementTimeout(tx);
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    return sql`select pg_advisory_xact_lock(1)`.execute(tx);
  };
  const waiting = transaction(db, work, { lockTimeoutMs: 0 }).then(
    () => 'done',
    (error: unknown) => error,
  );
  await eventually(async () => {
    const { rowCount } = await holder.query(
      `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );
    return rowCount === 1;
  });
  // With the statement timeout, Parley would wait for one second and five more for the response.
  vi.advanceTimersByTime(60_000);
  await holder.query('select pg_advisory_unlock(1)');
  expect(await waiting).toBe('done');
});

/**
 * A network between Parley and PostgreSQL. `dropPackets` loses everything on the connections that are open, as when a
 * machine is lost; new ones work.
 */
async function startNetwork(to: pg.ClientConfig) {
  const { host, port } = new pg.Client(to);
  const sockets: net.Socket[] = [];
  const server = net.createServer((client) => {
    const database = host.startsWith('/') ? net.connect(`${host}/.s.PGSQL.${port}`) : net.connect(port, host);
    for (const socket of [client, database]) socket.on('error', () => {});
    client.pipe(database).pipe(client);
    sockets.push(client, database);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as net.AddressInfo).port,
    dropPackets: () => sockets.forEach((socket) => socket.unpipe().resume()),
    end() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

test('writes nothing when the transaction cannot begin', async () => {
  const { connection, drop } = await createTestDatabase();
  const db = openDatabase({ connection });
  const query = Object.getOwnPropertyDescriptor(pg.Client.prototype, 'query')
    ?.value as typeof pg.Client.prototype.query;
  const refusing = function refused(this: pg.Client, ...given: unknown[]) {
    const [first] = given as [string | pg.QueryConfig];
    const begins = (typeof first === 'string' ? first : first.text).startsWith('begin');
    return Reflect.apply(query, this, begins ? ['select 1 / 0'] : given);
  } as typeof query;
  try {
    pg.Client.prototype.query = refusing;
    const writing = transaction(db, async (tx) => {
      await sql`select 1`.execute(tx);
      await sql`insert into setting (name, value) values ('alone', 'stored')`.execute(tx);
    });
    await expect(writing).rejects.toMatchObject({ code: '22012' });
    pg.Client.prototype.query = query;
    expect((await sql`select from setting where name = 'alone'`.execute(db)).rows).toEqual([]);
  } finally {
    pg.Client.prototype.query = query;
    await db.destroy();
    await drop();
  }
});

test('prepares frequent statements, on connections for searches only those that ask for it', async () => {
  const { connection, drop } = await createTestDatabase();
  const db = openDatabase({ connection, maxConnections: 1 });
  const searchDb = openDatabase({ connection, maxConnections: 1, prepares: 'marked' });
  const listPrepared = async (on: Queryable) => {
    const { rows } = await sql<{
      text: string;
    }>`select statement as text from pg_prepared_statements`.execute(on);
    return rows
      .map(({ text }) => text.replace(/^\W*planned once\W*/, ''))
      .filter((text) => text.includes('tag'));
  };
  try {
    for (const on of [db, searchDb])
      for (let times = 0; times < 10; times++) {
        await sql`select id from tag where name = ${String(times)}`.execute(on);
        await sql`${planOnceHint}select name from tag where id = ${times}`.execute(on);
      }
    expect(await listPrepared(db)).toHaveLength(2);
    expect(await listPrepared(searchDb)).toEqual(['select name from tag where id = $1']);
  } finally {
    await db.destroy();
    await searchDb.destroy();
    await drop();
  }
});

test('keeps running a prepared query after a migration adds a column to its table', async () => {
  const { connection, drop } = await createTestDatabase();
  // A single connection, so that it has prepared the query.
  const db = openDatabase({ connection, maxConnections: 1 });
  const read = (on: Queryable) => sql`select * from setting where name = ${'none'}`.execute(on);
  try {
    for (let times = 0; times < 20; times++) await read(db);
    const { rows } =
      await sql`select from pg_prepared_statements where statement like ${'%from setting%'}`.execute(db);
    expect(rows).toHaveLength(1);
    await sql`alter table setting add column more text`.execute(db);
    await transaction(db, read);
    await sql`alter table setting add column yet_more text`.execute(db);
    await read(db);
  } finally {
    await db.destroy();
    await drop();
  }
});

test('uses an index where PostgreSQL would scan the table, but only on connections of a node', async () => {
  const { connection, drop } = await createTestDatabase();
  const db = openDatabase({ connection });
  const byHand = new pg.Client(connection);
  await byHand.connect();
  try {
    // All rows fit on one page.
    await sql`insert into tag (name, key) select 'tag-' || n, 'tag-' || n from generate_series(1, 30) n`.execute(
      db,
    );
    await sql`analyze tag`.execute(db);
    const explained = "explain (costs off) select from tag where key = 'tag-7'";
    const { rows } = await sql<{ 'QUERY PLAN': string }>`${sql.raw(explained)}`.execute(db);
    expect(rows[0]?.['QUERY PLAN']).toContain('Index');
    const whole = await byHand.query<{ 'QUERY PLAN': string }>(explained);
    expect(whole.rows[0]?.['QUERY PLAN']).toContain('Seq Scan');
  } finally {
    await byHand.end();
    await db.destroy();
    await drop();
  }
});

test.each([
  ['directly', false],
  ['through a pooler', true],
])('connects %s without compiling statements, where PostgreSQL would', async (_, isPooled) => {
  const { connection, drop } = await createTestDatabase();
  const byHand = new pg.Client(connection);
  await byHand.connect();
  const { rows: names } = await byHand.query<{ name: string }>('select current_database() as name');
  await byHand.query(`alter database ${names[0]?.name} set jit = on`);
  await byHand.end();
  const db = openDatabase({ connection, isPooled });
  try {
    const { rows } = await sql<{ jit: string }>`select current_setting('jit') as jit`.execute(db);
    expect(rows).toEqual([{ jit: 'off' }]);
  } finally {
    await db.destroy();
    await drop();
  }
});

async function isGone(pid: number): Promise<boolean> {
  const client = new pg.Client(inject('testServer').admin);
  await client.connect();
  const { rowCount } = await client.query('select from pg_stat_activity where pid = $1', [pid]);
  await client.end();
  return rowCount === 0;
}
