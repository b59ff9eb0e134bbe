import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pino } from 'pino';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import type { BackupSchedule } from '#server/core/config.ts';
import { migrationsDirectory } from '#server/serve.ts';
import { createTemporaryDirectory } from '#tests/support/parley.ts';
import { startTestServer } from '#tests/support/server.ts';
import { scheduledFileName } from './backup-schedule.ts';
import { getBackupMetrics, startBackupScheduler } from './backup-scheduler.ts';

const server = await startTestServer();
afterAll(() => server.stop());
const ann = await server.register('Ann');
await ann.answer(await ann.ask());

/** A node that looks when it starts, and what it has said. */
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
  return { look: backups.runIfDue, said: () => lines.join('') };
}

const old = ['2026-01-01', '2026-01-02', '2026-01-03'].map((day) =>
  scheduledFileName(new Date(`${day}T03:30:00Z`)),
);

async function folderWithOldOnes(): Promise<string> {
  const directory = await createTemporaryDirectory();
  for (const name of [...old, `${old[0]}.partial`]) await writeFile(path.join(directory, name), name);
  return directory;
}

test('a directory that is missing fails loudly and removes nothing; the next quarter of an hour brings no other try', async () => {
  const directory = path.join(await createTemporaryDirectory(), 'not mounted');
  const node = startNode('first', { directory });
  await node.look();
  await node.look();
  expect(node.said().match(/The backup failed/g)).toHaveLength(1);
  expect(node.said()).toContain(`The folder ${directory} (BACKUP_FOLDER) is not there.`);
  expect(await getBackupMetrics(server.db)).toEqual({
    lastSuccess: null,
    lastVerified: null,
    isLastFailed: true,
  });
  await server.db.deleteFrom('backup_run').execute();
});

test('of two nodes one makes the backup, which is restored and compared; what is old goes after that', async () => {
  const directory = await folderWithOldOnes();
  const scratchDirectory = await createTemporaryDirectory();
  const nodes = ['first', 'second'].map((name) => startNode(name, { directory, scratchDirectory }));
  await Promise.all(nodes.map((node) => node.look()));
  const names = await readdir(directory);
  const made = names.find((name) => !old.includes(name));
  expect(names.toSorted()).toEqual([old[2], made]);
  const bytes = await readFile(path.join(directory, made ?? ''));
  expect(await getBackupMetrics(server.db)).toEqual({
    lastSuccess: { startedAt: expect.any(Date), bytes: bytes.length },
    lastVerified: expect.any(Date),
    isLastFailed: false,
  });
  const said = nodes.map((node) => node.said()).join('');
  expect(said.match(/Backed up to /g)).toHaveLength(1);
  expect(said.match(/it is whole/g)).toHaveLength(1);
  expect(await readdir(scratchDirectory)).toEqual([]);
  await server.db.deleteFrom('backup_run').execute();
});

test('while no backup is good, old ones stay', async () => {
  const directory = await folderWithOldOnes();
  const broken = startNode('first', { directory, scratchDirectory: path.join(directory, 'nowhere') });
  await broken.look();
  expect(broken.said()).toContain(
    'restoring it showed: There is no such file or folder. Older backups stay.',
  );
  expect(await readdir(directory)).toEqual(expect.arrayContaining(old));
  expect(await getBackupMetrics(server.db)).toMatchObject({
    lastSuccess: { bytes: expect.any(Number) },
    isLastFailed: true,
  });
});
