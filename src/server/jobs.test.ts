import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { eventually } from '#tests/support/parley.ts';
import { startTestServer } from '#tests/support/server.ts';

const server = await startTestServer();
const node = await server.startSecondNode({}, {});
afterAll(async () => {
  await node.stop();
  await server.stop();
});
const { db } = server;

test('queues and deletes the rest of what is due although one step fails', async () => {
  await sql`alter table registration rename to registration_elsewhere`.execute(db);
  try {
    await sql`insert into email_failure (hour, reason)
      values (date_trunc('hour', now() - interval '1 year'), 'mail server was off')`.execute(db);
    await expect(node.backgroundJobs?.enqueueDueJobs()).rejects.toThrow('1 of 7 steps failed');
    expect((await sql`select from email_failure`.execute(db)).rows).toEqual([]);
  } finally {
    await sql`alter table registration_elsewhere rename to registration`.execute(db);
  }
});

test('deletes what has expired by a job that one of the nodes runs every hour', async () => {
  const { rows } = await sql<{ name: string; cron: string }>`
    select name, cron from parley_jobs.schedule where name = 'delete-expired'`.execute(db);
  expect(rows).toEqual([{ name: 'delete-expired', cron: '0 * * * *' }]);
  await sql`insert into rate_limit (key, points, expire) values ('old', 1, 0)`.execute(db);
  await sql`insert into parley_jobs.job (name, singleton_key) values ('delete-expired', 'delete-expired')`.execute(
    db,
  );
  await eventually(async () => {
    const left = await sql`select from rate_limit where key = 'old'`.execute(db);
    return left.rows.length === 0;
  });
});
