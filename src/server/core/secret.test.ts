import { sql } from 'kysely';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '#tests/support/database.ts';
import { type Database, openDatabase } from './database.ts';
import { getOrCreateSecret } from './secret.ts';

let database: TestDatabase;
let db: Database;
beforeEach(async () => {
  database = await createTestDatabase();
  db = openDatabase({ connection: database.connection });
});
afterEach(async () => {
  await db.destroy();
  await database.drop();
});

const given = 'a secret of the environment, long enough for one';

/** The secret that one start uses, and the warnings it logs. */
async function start(configured?: string) {
  const warnings: string[] = [];
  const log = pino({ level: 'warn' }, { write: (line: string) => void warnings.push(line) });
  return { secret: await getOrCreateSecret(db, configured, log), warnings };
}

test('shares one secret between nodes that start at the same time on an empty database', async () => {
  const starts = await Promise.all(Array.from({ length: 8 }, () => start()));
  expect(new Set(starts.map(({ secret }) => secret)).size).toBe(1);
  expect(starts[0]?.secret).toMatch(/^[\w-]{43}$/);
  expect((await start()).secret).toBe(starts[0]?.secret);
  expect(starts.flatMap(({ warnings }) => warnings)).toEqual([]);
});

test('prefers SECRET and does not store it in the database', async () => {
  const made = await start();
  expect((await start(given)).secret).toBe(given);
  const { rows } = await sql`select * from setting`.execute(db);
  expect(JSON.stringify(rows)).not.toContain(given);
  expect((await start()).secret).toBe(made.secret);
});

test('warns once about a secret that differs from the last start', async () => {
  await start();
  const changed = await start(given);
  expect(changed.warnings).toHaveLength(1);
  expect(changed.warnings[0]).toContain(
    'Set the same SECRET on every Parley that shares the database, or on none.',
  );
  for (const affected of ['sign in again', 'authenticator apps', 'web hooks', 'sign-in providers'])
    expect(changed.warnings[0]).toContain(affected);
  expect(changed.warnings[0]).not.toContain(given);
  expect((await start(given)).warnings).toEqual([]);
  expect((await start()).warnings).toHaveLength(1);
});

test('warns on one of two nodes that start at the same time with different secrets', async () => {
  const starts = await Promise.all([start(given), start(`${given}, but another`)]);
  expect(starts.flatMap(({ warnings }) => warnings)).toHaveLength(1);
});
