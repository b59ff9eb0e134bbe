import { expect, test } from 'vitest';
import { createTestCommunity, setupTestDatabase } from '#tests/support/stack-exchange-archive.ts';
import { runInImportSession } from './import-session.ts';

setupTestDatabase();

test('PostgreSQL ends the session of an import whose host is gone, and the settings of the connection are restored', async () => {
  const { client } = await createTestCommunity();
  const readSettings = async () => {
    const { rows } = await client.query<{ name: string; setting: string }>(`
      select name, setting from pg_settings
      where name in ('client_connection_check_interval', 'idle_in_transaction_session_timeout', 'statement_timeout')
        or name like 'tcp\\_keepalives%' and inet_server_addr() is not null
      order by name`);
    return Object.fromEntries(rows.map(({ name, setting }) => [name, Number(setting)]));
  };
  const before = await readSettings();
  const during = await runInImportSession({ client }, readSettings);
  // Sockets have no keepalives.
  const keepalives = { tcp_keepalives_count: 6, tcp_keepalives_idle: 60, tcp_keepalives_interval: 10 };
  expect(during).toEqual({
    client_connection_check_interval: 5_000,
    idle_in_transaction_session_timeout: 600_000,
    statement_timeout: 0,
    ...('tcp_keepalives_idle' in before && keepalives),
  });
  expect(await readSettings()).toEqual(before);
});
