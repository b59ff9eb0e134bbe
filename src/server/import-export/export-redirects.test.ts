import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { exportAs } from '#tests/support/export-and-convert.ts';
import { createTestCommunity, setupTestDatabase } from '#tests/support/stack-exchange-archive.ts';
import { importJsonLines } from './jsonl-import.ts';

setupTestDatabase();

const site = 'https://forum.example.org';

const files = {
  members: [{ id: 1, name: 'Bea' }],
  questions: [
    { id: 12, title: 'First', content: 'Text', tags: ['Trips & tours'], authorId: 1 },
    { id: 13, title: 'Second', content: 'Text' },
  ],
  answers: [{ id: 34, questionId: 12, content: 'Answer' }],
  replies: [{ id: 35, questionId: 12, answerId: 34, content: 'Reply' }],
  redirects: [
    { from: '/viewtopic.php?t=12', questionId: 12 },
    { from: '/viewtopic.php?start=10&t=12', answerId: 34 },
    { from: '/viewtopic.php?p=35', replyId: 35 },
    { from: '/viewtopic.php?q=a%26b%3Fc%3D1&t=12', questionId: 12 },
    { from: '/showthread.php?12-first', questionId: 12 },
    { from: '/t/caf%C3%A9%20/100%25%23what%3F%5C', questionId: 12 },
    { from: '/what%3F?t=12', questionId: 12 },
    { from: '/u/bea', memberId: 1 },
    { from: '/f/2', tag: 'trips & tours' },
    { from: '/deleted', questionId: 13 },
  ],
};

async function writeLines(): Promise<string> {
  const directory = await mkdtemp(path.join(os.tmpdir(), 'parley-lines-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  for (const [kind, rows] of Object.entries(files))
    await writeFile(path.join(directory, `${kind}.jsonl`), rows.map((row) => JSON.stringify(row)).join('\n'));
  return directory;
}

const readRedirects = async (directory: string) =>
  (await readFile(path.join(directory, 'redirects.jsonl'), 'utf8')).trimEnd().split('\n');

const stored = `
  select site, address, kind, coalesce(tag.name, member.display_name, target_id::text) as target
  from imported_redirect redirect join import_source on import_source.id = source_id
  left join tag on redirect.kind = 'tag' and tag.id = target_id
  left join member on redirect.kind = 'member' and member.id = target_id
  where target_id <> 13 order by address`;

it('exports the addresses of old sites, and an import of the export has the same', async () => {
  const first = await createTestCommunity();
  await importJsonLines({ client: first.client, directory: await writeLines(), site });
  await first.rows('delete from question where id = 13');
  const exported = await exportAs(first.client, 'jsonl');
  expect((await readRedirects(exported)).map((line) => JSON.parse(line) as unknown)).toContainEqual({
    from: '/t/café%20/100%25%23what%3F%5C',
    site: 'forum.example.org',
    questionId: 12,
  });
  const before = await first.rows(stored);
  // Empties the database.
  const second = await createTestCommunity();
  const summary = await importJsonLines({ client: second.client, directory: exported });
  expect(summary.added).toMatchObject({ redirects: files.redirects.length - 1 });
  expect(await second.rows(stored)).toEqual(before);
  expect(await readRedirects(await exportAs(second.client, 'jsonl'))).toEqual(await readRedirects(exported));
  const repeated = await importJsonLines({ client: second.client, directory: exported });
  expect(repeated).toMatchObject({ isUnchanged: true });
});

it('skips no address that two old sites have', async () => {
  const community = await createTestCommunity();
  const directory = await writeLines();
  const rows = [
    { from: '/t/1', questionId: 12 },
    { from: '/t/1', questionId: 13, site: 'older.example.org' },
  ];
  await writeFile(path.join(directory, 'redirects.jsonl'), rows.map((row) => JSON.stringify(row)).join('\n'));
  await importJsonLines({ client: community.client, directory, site });
  expect(await community.rows(stored.replace('where target_id <> 13', ''))).toEqual([
    { site: 'forum.example.org', address: '/t/1', kind: 'question', target: '12' },
    { site: 'older.example.org', address: '/t/1', kind: 'question', target: '13' },
  ]);
});
