import { sql } from 'kysely';
import pg from 'pg';
import { expect, inject, test } from 'vitest';
import { createTestDatabase, runAsAdmin } from '#server/testing/database.ts';
import { eventually } from '#server/testing/parley.ts';
import { openDatabase, type Queryable, transaction } from './database.ts';
import { isUnavailable } from './errors.ts';

test('a connection that breaks between two queries of a transaction fails that transaction and nothing else', async () => {
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
    await expect(broken).rejects.toSatisfy(isUnavailable);
    expect((await sql`select 1`.execute(db)).rows).toHaveLength(1);
  } finally {
    await db.destroy();
    await drop();
  }
});

test('a query that was run often goes on working when a later migration adds a column to its table', async () => {
  const { connection, drop } = await createTestDatabase();
  // One connection, so that it has prepared the query.
  const db = openDatabase({ connection, size: 1 });
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

test('a node reads by an index where PostgreSQL would read the whole table; whoever connects by hand does not', async () => {
  const { connection, drop } = await createTestDatabase();
  const db = openDatabase({ connection });
  const byHand = new pg.Client(connection);
  await byHand.connect();
  try {
    // All of it is one page.
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

async function isGone(pid: number): Promise<boolean> {
  const client = new pg.Client(inject('testServer').admin);
  await client.connect();
  const { rowCount } = await client.query('select from pg_stat_activity where pid = $1', [pid]);
  await client.end();
  return rowCount === 0;
}
