import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, it, onTestFinished } from 'vitest';
import type { Progress } from '#server/core/progress.ts';
import { createTestCommunity, setupTestDatabase } from '#tests/support/stack-exchange-archive.ts';
import { convertCsv } from './convert-csv.ts';
import { convertDiscourse } from './convert-discourse.ts';
import { convertGithub } from './convert-github.ts';
import type { ConvertOptions, ConvertSummary } from './convert.ts';
import { writeNewDirectory } from './new-directory.ts';

setupTestDatabase();

const mapping = {
  site: 'https://forum.example.org',
  format: 'markdown',
  topics: { file: 'topics.csv', columns: { id: 'id', title: 'title' } },
  posts: { file: 'posts.csv', columns: { id: 'id', topicId: 'topic', content: 'text' } },
};
const dump = `COPY public.users (id, username, created_at) FROM stdin;\n1\tada\t2020-01-01\n\\.
COPY public.topics (id, title, user_id, created_at, archetype, views) FROM stdin;\n1\tTitle\t1\t2020-01-01\tregular\t1\n\\.
COPY public.posts (id, topic_id, user_id, post_number, raw, created_at, version, post_type) FROM stdin;
${Array.from({ length: 3000 }, (_, index) => `${index + 1}\t1\t1\t${index + 1}\tText ${index}\t2020-01-01\t1\t1\n`).join('')}\\.\n`;
const discussion = {
  databaseId: 1,
  url: 'https://github.com/o/r/discussions/1',
  title: 'Title',
  body: 'Text',
  createdAt: '2020-01-01T00:00:00Z',
  upvoteCount: 0,
  author: null,
  category: { name: 'General' },
  comments: { totalCount: 0, nodes: [] },
};

/** Records what is reported. */
function recordProgress() {
  const record = { total: 0, done: 0, rows: 0, parts: new Set<string>(), isStopped: false };
  const progress: Progress = {
    start: (total) => (record.total = total),
    update: (part, done, rows) => {
      expect(done).toBeGreaterThanOrEqual(record.done);
      Object.assign(record, { done, rows });
      record.parts.add(part);
    },
    stop: () => (record.isStopped = true),
  };
  return { record, progress };
}

async function run(
  convert: (options: ConvertOptions) => Promise<ConvertSummary>,
  files: Readonly<Record<string, string | Buffer>>,
  signal?: AbortSignal,
) {
  const { client } = await createTestCommunity();
  const parent = await mkdtemp(path.join(os.tmpdir(), 'parley-files-'));
  onTestFinished(() => rm(parent, { recursive: true }));
  let bytes = 0;
  for (const [name, content] of Object.entries(files)) {
    await writeFile(path.join(parent, name), content);
    if (!name.endsWith('.json'))
      ({ size: bytes } = { size: bytes + (await stat(path.join(parent, name))).size });
  }
  const [reading, writing] = [recordProgress(), recordProgress()];
  const directory = path.join(parent, 'out');
  const { written } = await writeNewDirectory({ directory, isPrivate: true }, (partial) =>
    convert({
      client,
      input: path.join(parent, Object.keys(files)[0] ?? ''),
      directory: partial,
      site: 'https://forum.example.org',
      reading: reading.progress,
      writing: writing.progress,
      ...(signal && { signal }),
    }),
  );
  const rows = Object.values(written).reduce((sum, each) => sum + each, 0);
  return { reading: reading.record, writing: writing.record, bytes, rows };
}

it.each([
  [
    'CSV files',
    convertCsv,
    {
      'mapping.json': JSON.stringify(mapping),
      'topics.csv': 'id,title\n1,Title\n',
      'posts.csv': 'id,topic,text\n1,1,First\n2,1,Second\n',
    },
    3,
    ['topics.csv', 'posts.csv'],
  ],
  ['a compressed dump', convertDiscourse, { 'dump.sql.gz': gzipSync(dump) }, 3002, ['dump.sql.gz']],
  ['JSON lines', convertGithub, { 'all.jsonl': `${JSON.stringify(discussion)}\n` }, 1, ['all.jsonl']],
] as const)(
  'reports the bytes that are read of %s, and then the rows that are written',
  async (_, convert, files, read, names) => {
    const { reading, writing, bytes, rows } = await run(convert, files);
    expect(reading).toEqual({
      total: bytes,
      done: bytes,
      rows: read,
      parts: new Set(names),
      isStopped: true,
    });
    expect(writing).toMatchObject({ total: rows, done: rows, rows, isStopped: true });
    expect(writing.parts).toContain('questions.jsonl');
  },
);

it('ends the reading and writes nothing if it is interrupted', async () => {
  const reason = new Error('stopped');
  await expect(run(convertDiscourse, { 'dump.sql': dump }, AbortSignal.abort(reason))).rejects.toBe(reason);
});
