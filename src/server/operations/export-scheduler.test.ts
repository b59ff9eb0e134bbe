import { mkdir, readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { sql } from 'kysely';
import { pino } from 'pino';
import { afterAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import type { ExportSchedule } from '#server/core/config.ts';
import { createTemporaryDirectory } from '#tests/support/parley.ts';
import { startTestServer } from '#tests/support/server.ts';
import { getExportStatus } from './export-queries.ts';
import { isExportDue, listOutdatedExports, startExportScheduler } from './export-scheduler.ts';

const server = await startTestServer();
afterAll(() => server.stop());
const ann = await server.register('Ann');
await ann.answer(await ann.ask());
beforeEach(async () => void (await sql`delete from export_run`.execute(server.db)));

/** Starts a node that checks on start whether an export is due. `text` returns its log. */
function startNode(node: string, plan: Partial<ExportSchedule> & { directory: string }) {
  const lines: string[] = [];
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) });
  const scheduled = startExportScheduler({
    schedule: { license: 'CC BY-SA 4.0', days: 7, retention: 2, ...plan },
    db: server.db,
    connection: server.database.connection,
    origin: 'https://ask.example.org',
    node,
    log,
  });
  onTestFinished(() => scheduled.stop());
  return { runIfDue: scheduled.runIfDue, text: () => lines.join('') };
}

test('one of two nodes exports what members can see under the licence, and removes old exports', async () => {
  const directory = await createTemporaryDirectory();
  const old = ['2026-01-01', '2026-01-02', '2026-01-03'].map((day) => `parley-export-${day}-033000`);
  for (const name of [...old, `${old[0]}.partial-aB3xYz`, 'notes']) await mkdir(path.join(directory, name));
  const nodes = ['first', 'second'].map((name) => startNode(name, { directory }));
  await Promise.all(nodes.map((node) => node.runIfDue()));
  const made = (await readdir(directory)).find((name) => !old.includes(name) && name !== 'notes') ?? '';
  expect((await readdir(directory)).toSorted()).toEqual(['notes', old[2] ?? '', made].toSorted());
  const manifest = JSON.parse(await readFile(path.join(directory, made, 'export.json'), 'utf8')) as unknown;
  expect(manifest).toMatchObject({
    license: 'CC BY-SA 4.0',
    origin: 'https://ask.example.org',
    withPrivateData: false,
    rows: { questions: 1, answers: 1 },
  });
  expect(await readFile(path.join(directory, made, 'members.jsonl'), 'utf8')).not.toContain('@');
  expect(
    nodes
      .map((node) => node.text())
      .join('')
      .match(/Exported what members can see/gu),
  ).toHaveLength(1);
  expect(await getExportStatus(server.db)).toMatchObject({
    lastSuccess: expect.any(Date) as Date,
    problem: null,
  });
});

test('stores and logs why it failed, removes nothing, and does not retry for an hour', async () => {
  const directory = path.join(await createTemporaryDirectory(), 'not mounted');
  const node = startNode('first', { directory });
  await node.runIfDue();
  await node.runIfDue();
  expect(node.text().match(/The export failed/gu)).toHaveLength(1);
  const problem = `The directory ${directory} (EXPORT_DIRECTORY) does not exist.`;
  expect(await getExportStatus(server.db)).toMatchObject({ lastSuccess: null, problem });
});

test('an export is due after its days, and an hour after one failed', () => {
  const now = new Date('2026-03-08T12:00:00Z');
  const hoursAgo = (hours: number) => new Date(now.getTime() - hours * 3_600_000);
  const isDue = (lastSuccess: Date | null, lastAttempt: Date | null) =>
    isExportDue({ now, lastSuccess, lastAttempt }, 2);
  expect(isDue(null, null)).toBe(true);
  expect(isDue(hoursAgo(47), hoursAgo(47))).toBe(false);
  expect(isDue(hoursAgo(48), hoursAgo(48))).toBe(true);
  expect(isDue(hoursAgo(49), hoursAgo(0.5))).toBe(false);
  expect(isDue(hoursAgo(49), hoursAgo(1))).toBe(true);
});

test('only directories of scheduled exports are removed', () => {
  expect(
    listOutdatedExports(
      ['parley-export-2026-01-02-033000', 'parley-export-2026-01-01-033000', 'parley-export-mine', 'a'],
      1,
    ),
  ).toEqual(['parley-export-2026-01-01-033000']);
});
