import { readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import { runConvert } from '#tests/support/export-and-convert.ts';
import { databaseFromClient } from '#server/core/database.ts';
import { findViolations } from '#server/operations/integrity-check.ts';
import {
  createTestCommunity,
  setupTestDatabase,
  type TestCommunity,
} from '#tests/support/stack-exchange-archive.ts';
import { importJsonLines } from './jsonl-import.ts';

setupTestDatabase();

const ada = { login: 'ada', url: 'https://github.com/ada', databaseId: 501 };
const ben = { login: 'ben', url: 'https://github.com/ben', databaseId: 502 };
const page = 'https://github.com/o/r/discussions/7';

const reply = (id: number, body: string, more: object = {}) => ({
  databaseId: id,
  url: `${page}#discussioncomment-${id}`,
  body,
  createdAt: '2023-01-02T00:00:00Z',
  lastEditedAt: null,
  upvoteCount: 0,
  author: ben,
  isMinimized: false,
  minimizedReason: null,
  deletedAt: null,
  ...more,
});
const comment = (id: number, body: string, replies: object[] = [], more: object = {}) => ({
  ...reply(id, body, more),
  replies: { totalCount: replies.length, nodes: replies },
});

const discussion = {
  databaseId: 900,
  url: page,
  title: 'How do I build it?',
  body: 'It `fails`.',
  createdAt: '2023-01-01T00:00:00Z',
  lastEditedAt: '2023-01-01T10:00:00Z',
  upvoteCount: 3,
  locked: true,
  author: ada,
  category: { name: 'Q&A', description: 'Ask the community' },
  labels: { nodes: [{ name: 'build' }] },
  answer: { databaseId: 12 },
  comments: {
    totalCount: 5,
    nodes: [
      comment(11, 'First', [
        reply(21, 'x'.repeat(1200), { author: ada }),
        reply(22, 'spam', { isMinimized: true, minimizedReason: 'spam' }),
      ]),
      comment(12, 'Solution', [], { upvoteCount: 2, author: null }),
      comment(13, '', [reply(23, 'Below a deleted one')], { deletedAt: '2023-01-03T00:00:00Z' }),
      comment(14, 'From a bot', [], { author: { login: 'bot', url: 'https://github.com/apps/bot' } }),
    ],
  },
};
const empty = {
  ...discussion,
  databaseId: 901,
  url: 'https://github.com/o/r/discussions/8',
  title: 'Only a title',
  body: '',
  locked: false,
  labels: null,
  answer: null,
  comments: { totalCount: 0, nodes: [] },
};

const convert = (community: TestCommunity, content: string) =>
  runConvert(community.client, { source: 'github', files: { 'd.jsonl': content }, input: 'd.jsonl' });

it('converts discussions, and the import shows their comments as answers with replies', async () => {
  const community = await createTestCommunity();
  const { out, err, directory } = await convert(
    community,
    `${JSON.stringify(discussion)}\n\n${JSON.stringify(empty)}\n`,
  );
  expect(err).toBe('');
  expect(out.replace(directory, 'DIRECTORY')).toBe(`discussions: 2 rows read, 2 converted
comments and replies: 7 rows read, 4 converted
  1 left out: deleted
  1 left out: hidden as spam
  1 left out: replies to comments that are left out
authors: 2 rows read, 2 converted
categories: 1 rows read, 1 converted
Note: 1 comments and replies are not in the file, because the query returns at most 100 of one post.
Written: members 2, tags 1, questions 2, answers 3, replies 1, votes 0, redirects 0.
Import the files with: parley import jsonl DIRECTORY --site https://github.com --license NAME
`);
  // In a community with posts, each shows its original.
  await writeFile(
    path.join(directory, '../questions.jsonl'),
    '{"id": 1, "title": "Here", "content": "Here"}',
  );
  await importJsonLines({
    directory: path.dirname(directory),
    client: community.client,
    site: 'other.example.org',
  });
  await importJsonLines({
    directory,
    client: community.client,
    site: 'https://github.com',
    license: 'CC BY 4.0',
  });
  const author = '(select display_name from member where id = author_id) as author';
  expect(
    await community.rows(
      `select title, content, tag_text, upvotes, lock_reason, source_key, edited_at is not null as edited, ${author},
         (select content from answer where answer.id = accepted_answer_id) as accepted
       from question where source_id is not null order by id`,
    ),
  ).toEqual([
    {
      title: 'How do I build it?',
      content: 'It `fails`.',
      tag_text: 'Q&A, build',
      upvotes: '3',
      lock_reason: 'Locked on github.com',
      source_key: 'o/r/discussions/7',
      edited: true,
      author: 'ada',
      accepted: 'Solution',
    },
    {
      title: 'Only a title',
      content: 'Only a title',
      tag_text: 'Q&A',
      upvotes: '3',
      lock_reason: null,
      source_key: 'o/r/discussions/8',
      edited: true,
      author: 'ada',
      accepted: null,
    },
  ]);
  expect(
    await community.rows(
      `select content, upvotes, imported_author_name, source_key, ${author} from answer order by id`,
    ),
  ).toEqual([
    {
      content: 'First',
      upvotes: '0',
      imported_author_name: null,
      source_key: 'o/r/discussions/7#discussioncomment-11',
      author: 'ben',
    },
    {
      content: 'Solution',
      upvotes: '2',
      imported_author_name: 'Former member',
      source_key: 'o/r/discussions/7#discussioncomment-12',
      author: null,
    },
    {
      content: 'From a bot',
      upvotes: '0',
      imported_author_name: 'bot',
      source_key: 'o/r/discussions/7#discussioncomment-14',
      author: null,
    },
  ]);
  expect(await community.rows(`select length(content) as length, level, ${author} from reply`)).toEqual([
    { length: 1200, level: 0, author: 'ada' },
  ]);
  expect(await community.rows('select name, description from tag order by id')).toContainEqual({
    name: 'Q&A',
    description: 'Ask the community',
  });
  expect(await findViolations(databaseFromClient(community.client))).toEqual([]);
});

it.each([
  ['d.jsonl, line 2: the line is not JSON', `${JSON.stringify(discussion)}\n{"data":`],
  [
    'd.jsonl, line 1: comments: Invalid input: expected object, received undefined',
    JSON.stringify({ ...discussion, comments: undefined }),
  ],
  [
    'd.jsonl, line 1: upvoteCount: Invalid input: expected number, received string',
    JSON.stringify({ ...discussion, upvoteCount: '3' }),
  ],
  ['d.jsonl is empty', ''],
  ['d.jsonl, line 1: the row is longer than 64 MB', `{"body": "${'a'.repeat(140 * 1024 * 1024)}`],
])('refuses a file with: %s', async (problem, content) => {
  const community = await createTestCommunity();
  const { out, err, code, directory } = await convert(community, content);
  expect({ out, err, code }).toEqual({ out: '', err: `${problem}. Nothing was written.\n`, code: 1 });
  expect(await readdir(path.dirname(directory))).not.toContain('lines');
});
