import { sql } from 'kysely';
import { pino } from 'pino';
import { afterAll, expect, test } from 'vitest';
import packageJson from '#package.json' with { type: 'json' };
import { nodeApplicationPrefix } from '#server/core/database-listen.ts';
import { followEventStream } from '#server/core/event-stream.ts';
import { setRole } from '#server/admin/roles.ts';
import type { SystemState } from '#shared/admin/system.ts';
import { eventually } from '#tests/support/parley.ts';
import { startTestServer } from '#tests/support/server.ts';
import { recordBackupFailure, recordBackupSuccess, startBackupRun } from './backup-queries.ts';

const server = await startTestServer();
afterAll(() => server.stop());
const { db } = server;
const admin = await server.register('Ann');
await setRole(db, { email: admin.email, role: 'admin' });

const readState = async () => (await admin.get<SystemState>('/admin/system')).body;

test('admins see the versions and the state of the migrations', async () => {
  const { rows } = await sql<{ count: number; last: string; version: string }>`
    select count(*)::int as count, max(name) as last, current_setting('server_version') as version from migration`.execute(
    db,
  );
  const [known] = rows;
  expect(await readState()).toMatchObject({
    version: packageJson.version,
    migrations: { applied: known?.count, latest: known?.last, pending: [], unknown: [] },
    postgresql: known?.version,
    backups: { scheduled: false, lastSuccess: null, problem: null },
    exports: { scheduled: false, lastSuccess: null, problem: null },
    pictures: { store: 'database', waiting: 0 },
    email: false,
  });
});

test('migrations of a newer version, and those that are not applied, are listed', async () => {
  const { latest } = (await readState()).migrations;
  await sql`update migration set name = '9999_later.sql' where name = ${latest}`.execute(db);
  try {
    expect((await readState()).migrations).toMatchObject({ pending: [latest], unknown: ['9999_later.sql'] });
  } finally {
    await sql`update migration set name = ${latest} where name = '9999_later.sql'`.execute(db);
  }
});

test('nodes are listed with their versions while they are connected', async () => {
  const log = pino({ level: 'silent' });
  const ignore = () => {};
  const { connection } = server.database;
  const application = `${nodeApplicationPrefix}9.8.7 second node`;
  const stream = await followEventStream({
    db,
    connection,
    application,
    log,
    onEvents: ignore,
    onGap: ignore,
  });
  const node = { name: 'second node', version: '9.8.7' };
  await eventually(async () => (await readState()).nodes.some((each) => each.name === node.name));
  expect((await readState()).nodes).toContainEqual(node);
  await stream.stop();
  await eventually(async () => !(await readState()).nodes.some((each) => each.name === node.name));
});

test('the latest successful backup and a later failure are shown', async () => {
  const first = await startBackupRun(db, { node: 'a', file: 'first.tar' });
  await recordBackupSuccess(db, first.id, 1_000);
  const { backups } = await readState();
  expect(backups).toMatchObject({ lastSuccess: expect.any(String), problem: null });
  const second = await startBackupRun(db, { node: 'a', file: 'second.tar' });
  await recordBackupFailure(db, second.id, 'disk full');
  expect((await readState()).backups).toMatchObject({
    lastSuccess: backups.lastSuccess,
    problem: 'disk full',
  });
});
