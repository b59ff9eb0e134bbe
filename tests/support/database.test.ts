import type pg from 'pg';
import { expect, test } from 'vitest';
import { withClient } from './database-client.ts';
import { createTestDatabase } from './database.ts';

test('each test file gets its own migrated database', async () => {
  const [one, other] = await Promise.all([createTestDatabase(), createTestDatabase()]);
  try {
    expect(await insertMember(one.connection)).toBe(1);
    expect(await insertMember(other.connection)).toBe(1);
  } finally {
    await Promise.all([one.drop(), other.drop()]);
  }
});

async function insertMember(connection: pg.ClientConfig): Promise<number> {
  return withClient(connection, async (client) => {
    await client.query(`insert into member (display_name) values ('Ada')`);
    const { rows } = await client.query<{ count: string }>('select count(*) from member');
    return Number(rows[0]?.count);
  });
}
