import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { sql } from 'kysely';
import { pino } from 'pino';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import type { BackupSchedule } from '#server/core/config.ts';
import { migrationsDirectory } from '#server/core/paths.ts';
import { createTemporaryDirectory } from '#tests/support/parley.ts';
import { startTestServer } from '#tests/support/server.ts';
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

async function createDirectoryWithOldBackups(): Promise<string> {
  const directory = await createTemporaryDirectory();
  for (const name of [...old, `${old[0]}.partial`]) await writeFile(path.join(directory, name), name);
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
