import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { sql } from 'kysely';
import { pino } from 'pino';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { type BackupSchedule, readConfig } from '#server/core/config.ts';
import { migrationsDirectory } from '#server/core/paths.ts';
import { createTemporaryDirectory } from '#tests/support/parley.ts';
import { startTestServer } from '#tests/support/server.ts';
import { checkBackups } from './doctor-check-services.ts';
import { scheduledFileName } from './backup-schedule.ts';
import { getBackupMetrics, startBackupScheduler } from './backup-scheduler.ts';

const server = await startTestServer();
afterAll(() => server.stop());
const ann = await server.register('Ann');
await ann.answer(await ann.ask());

/** Starts a node that checks on start whether a backup is due. `text` returns its log. */
function startNode(node: string, plan: Partial<BackupSchedule> & { directory: string }) {
  const lines: string[] = [];
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) });
  const backups = startBackupScheduler({
    schedule: {
      minuteOfDay: 0,
      retention: { daily: 2, weekly: 0, monthly: 0 },
      scratchDirectory: undefined,
      ...plan,
    },
    db: server.db,
    connection: server.database.connection,
    node,
    version: '0.0.0',
    migrationsDirectory,
    log,
  });
  onTestFinished(() => backups.stop());
  return { runIfDue: backups.runIfDue, text: () => lines.join('') };
}

const old = ['2026-01-01', '2026-01-02', '2026-01-03'].map((day) =>
  scheduledFileName(new Date(`${day}T03:30:00Z`)),
);

/** Also leaves the file of a run whose node was killed. */
async function createDirectoryWithOldBackups(): Promise<string> {
  const directory = await createTemporaryDirectory();
  for (const name of old) {
    await writeFile(path.join(directory, name), name);
    await sql`insert into backup_run (node, file, started_at, outcome, bytes)
      values ('earlier', ${path.join('/elsewhere', name)}, '2026-01-01', 'succeeded', ${name.length})`.execute(
      server.db,
    );
  }
  await writeFile(path.join(directory, `${old[0]}.partial`), '');
  await sql`insert into backup_run (node, file, started_at) values ('earlier', ${old[0]}, '2026-01-04')`.execute(
    server.db,
  );
  return directory;
}

test('logs an error for a missing directory, removes nothing, and does not retry for a quarter of an hour', async () => {
  const directory = path.join(await createTemporaryDirectory(), 'not mounted');
  const node = startNode('first', { directory });
  await node.runIfDue();
  await node.runIfDue();
  expect(node.text().match(/The backup failed/g)).toHaveLength(1);
  expect(node.text()).toContain(`The directory ${directory} (BACKUP_DIRECTORY) does not exist.`);
  expect(await getBackupMetrics(server.db)).toEqual({
    lastSuccess: null,
    lastVerified: null,
    isLastFailed: true,
  });
  await sql`delete from backup_run`.execute(server.db);
});

test('makes the backup on one of two nodes, verifies it, and then removes old ones', async () => {
  const directory = await createDirectoryWithOldBackups();
  const scratchDirectory = await createTemporaryDirectory();
  const nodes = ['first', 'second'].map((name) => startNode(name, { directory, scratchDirectory }));
  await Promise.all(nodes.map((node) => node.runIfDue()));
  const names = await readdir(directory);
  const made = names.find((name) => !old.includes(name));
  expect(names.toSorted()).toEqual([old[2], made]);
  const bytes = await readFile(path.join(directory, made ?? ''));
  expect(await getBackupMetrics(server.db)).toEqual({
    lastSuccess: { startedAt: expect.any(Date), bytes: bytes.length },
    lastVerified: expect.any(Date),
    isLastFailed: false,
  });
  const text = nodes.map((node) => node.text()).join('');
  expect(text.match(/Backed up to /g)).toHaveLength(1);
  expect(text.match(/was verified/g)).toHaveLength(1);
  expect(await readdir(scratchDirectory)).toEqual([]);
  await sql`delete from backup_run`.execute(server.db);
});

test('removes no backup that this database did not make, as after a restore, and the doctor reports them', async () => {
  const directory = await createDirectoryWithOldBackups();
  await sql`delete from backup_run`.execute(server.db);
  // Another community has a file of the same name.
  await sql`insert into backup_run (node, file, started_at, outcome, bytes)
    values ('first', ${old[0]}, '2026-01-01', 'succeeded', 1)`.execute(server.db);
  const retention = { daily: 1, weekly: 0, monthly: 0 };
  const node = startNode('first', { directory, retention });
  await node.runIfDue();
  expect(node.text()).toContain('Backed up to ');
  const names = await readdir(directory);
  expect(names).toEqual(expect.arrayContaining([...old, `${old[0]}.partial`]));
  const env = { DATABASE_URL: 'postgres://unused', BACKUP_DIRECTORY: directory };
  expect(await checkBackups(readConfig(env, '/nowhere/.env'), server.db)).toContainEqual(
    expect.objectContaining({
      level: 'hint',
      what: `${directory} has 3 scheduled backups that this database did not make, the newest ${old[2]}.`,
    }),
  );
  await sql`delete from backup_run`.execute(server.db);
});

test('does not replace a backup of the same minute of another community', async () => {
  const directory = await createTemporaryDirectory();
  const taken = [0, 1].map((minutes) => scheduledFileName(new Date(Date.now() + minutes * 60_000)));
  for (const name of taken) await writeFile(path.join(directory, name), name);
  const node = startNode('first', { directory });
  await node.runIfDue();
  expect(node.text()).toContain('already exists.');
  for (const name of taken) expect(await readFile(path.join(directory, name), 'utf8')).toBe(name);
  expect((await readdir(directory)).toSorted()).toEqual(taken);
  await sql`delete from backup_run`.execute(server.db);
});

test('keeps old backups while none succeeds', async () => {
  const directory = await createDirectoryWithOldBackups();
  const broken = startNode('first', { directory, scratchDirectory: path.join(directory, 'nowhere') });
  await broken.runIfDue();
  expect(broken.text()).toContain(
    'its verification failed: The file or directory does not exist. Older backups are kept.',
  );
  expect(await readdir(directory)).toEqual(expect.arrayContaining(old));
  expect(await getBackupMetrics(server.db)).toMatchObject({
    lastSuccess: { bytes: expect.any(Number) },
    isLastFailed: true,
  });
});
