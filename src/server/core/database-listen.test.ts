import { pino } from 'pino';
import { afterAll, expect, test } from 'vitest';
import { createTestDatabase } from '#tests/support/database.ts';
import { withClient } from '#tests/support/database-client.ts';
import { listenToChannels } from './database-listen.ts';

const database = await createTestDatabase();
afterAll(() => database.drop());

test('closes a connection on which LISTEN fails before it opens the next one', async () => {
  let failures = 0;
  const listener = listenToChannels({
    connection: database.connection,
    application: 'failing listener',
    // LISTEN fails on an open connection, as on a standby.
    channels: [''],
    onMessage: () => {},
    log: pino({ level: 'debug' }, { write: () => (failures += 1) }),
  });
  await expect.poll(() => failures, { timeout: 30_000 }).toBeGreaterThanOrEqual(3);
  await expect.poll(countConnections).toBeLessThanOrEqual(1);
  await listener.stop();
  await expect.poll(countConnections).toBe(0);
});

async function countConnections(): Promise<number> {
  const { rows } = await withClient(database.connection, (client) =>
    client.query(`select from pg_stat_activity where application_name = 'failing listener'`),
  );
  return rows.length;
}
