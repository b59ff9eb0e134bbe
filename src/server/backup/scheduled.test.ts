import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pino } from 'pino';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import type { BackupPlan } from '#server/platform/config.ts';
import { migrationsFolder } from '#server/serve.ts';
import { temporaryFolder } from '#server/testing/parley.ts';
import { startTestServer } from '#server/testing/server.ts';
import { scheduledName } from './schedule.ts';
import { backupState, startScheduledBackups } from './scheduled.ts';

const server = await startTestServer();
afterAll(() => server.stop());
const ann = await server.register('Ann');
await ann.answer(await ann.ask());

/** A node that looks when it starts, and what it has said. */
function startNode(node: string, plan: Partial<BackupPlan> & { folder: string }) {
  const lines: string[] = [];
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) });
  const backups = startScheduledBackups({
    plan: { at: 0, keep: { daily: 2, weekly: 0, monthly: 0 }, scratch: undefined, ...plan },
    db: server.db,
    connection: server.database.connection,
    node,
    version: '0.0.0',
    migrationsFolder,
    log,
  });
  onTestFinished(() => backups.stop());
  return { look: backups.look, said: () => lines.join('') };
}

const old = ['2026-01-01', '2026-01-02', '2026-01-03'].map((day) =>
  scheduledName(new Date(`${day}T03:30:00Z`)),
);

async function folderWithOldOnes(): Promise<string> {
  const folder = await temporaryFolder();
  for (const name of [...old, `${old[0]}.partial`]) await writeFile(path.join(folder, name), name);
  return folder;
}

test('a folder that is missing fails loudly and removes nothing; the next quarter of an hour brings no other try', async () => {
  const folder = path.join(await temporaryFolder(), 'not mounted');
  const node = startNode('first', { folder });
  await node.look();
  await node.look();
  expect(node.said().match(/The backup failed/g)).toHaveLength(1);
  expect(node.said()).toContain(`The folder ${folder} (BACKUP_FOLDER) is not there.`);
  expect(await backupState(server.db)).toEqual({ lastGood: null, lastVerified: null, lastFailed: true });
  await server.db.deleteFrom('backup_run').execute();
});

test('of two nodes one makes the backup, which is restored and compared; what is old goes after that', async () => {
  const folder = await folderWithOldOnes();
  const scratch = await temporaryFolder();
  const nodes = ['first', 'second'].map((name) => startNode(name, { folder, scratch }));
  await Promise.all(nodes.map((node) => node.look()));
  const names = await readdir(folder);
  const made = names.find((name) => !old.includes(name));
  expect(names.toSorted()).toEqual([old[2], made]);
  const bytes = await readFile(path.join(folder, made ?? ''));
  expect(await backupState(server.db)).toEqual({
    lastGood: { startedAt: expect.any(Date), bytes: bytes.length },
    lastVerified: expect.any(Date),
    lastFailed: false,
  });
  const said = nodes.map((node) => node.said()).join('');
  expect(said.match(/Backed up to /g)).toHaveLength(1);
  expect(said.match(/it is whole/g)).toHaveLength(1);
  expect(await readdir(scratch)).toEqual([]);
  await server.db.deleteFrom('backup_run').execute();
});

test('while no backup is good, old ones stay', async () => {
  const folder = await folderWithOldOnes();
  const broken = startNode('first', { folder, scratch: path.join(folder, 'nowhere') });
  await broken.look();
  expect(broken.said()).toContain(
    'restoring it showed: There is no such file or folder. Older backups stay.',
  );
  expect(await readdir(folder)).toEqual(expect.arrayContaining(old));
  expect(await backupState(server.db)).toMatchObject({
    lastGood: { bytes: expect.any(Number) },
    lastFailed: true,
  });
});
