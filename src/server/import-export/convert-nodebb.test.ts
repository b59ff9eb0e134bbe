import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { databaseFromClient } from '#server/core/database.ts';
import { findViolations } from '#server/operations/integrity-check.ts';
import { runConvert } from '#tests/support/export-and-convert.ts';
import {
  createTestCommunity,
  setupTestDatabase,
  type TestCommunity,
} from '#tests/support/stack-exchange-archive.ts';
import { convertNodebbText } from './convert-nodebb.ts';
import { importJsonLines } from './jsonl-import.ts';

setupTestDatabase();

const site = 'https://forum.example.org';
const start = Date.UTC(2022, 0, 1, 10);

type Fields = Record<string, string | number>;
const post = (pid: number, content: string, more: Fields = {}): [string, Fields] => [
  `post:${pid}`,
  { pid, uid: 1, tid: 5, content, timestamp: start + pid * 60_000, votes: 0, ...more },
];
const topic = (tid: number, title: string, more: Fields = {}): [string, Fields] => [
  `topic:${tid}`,
  {
    tid,
    uid: 1,
    cid: 2,
    mainPid: tid * 10,
    title,
    slug: `${tid}/slug-${tid}`,
    timestamp: start,
    viewcount: 12,
    postcount: 1,
    deleted: 0,
    locked: 0,
    ...more,
  },
];

/** Objects by their keys, with fields as NodeBB stores them: numbers or texts. */
const hashes: [string, Fields][] = [
  ['global', { nextPid: 60, userCount: 2 }],
  [
    'user:1',
    {
      uid: 1,
      username: 'ada',
      userslug: 'ada',
      email: 'ada@example.org',
      joindate: start,
      aboutme: 'I *glue*.',
      location: 'Bern',
      website: 'https://ada.example.org/',
      password: '$2a$12$x',
    },
  ],
  ['user:2', { uid: 2, username: 'Ben B', userslug: 'ben-b', joindate: String(start) }],
  ['user:1:settings', { showemail: 1 }],
  ['category:2', { cid: 2, name: 'Wood', description: 'All about wood', slug: '2/wood', disabled: 0 }],
  ['category:3', { cid: 3, name: 'Staff', slug: '3/staff', disabled: 0 }],
  ['category:4', { cid: 4, name: 'Old', slug: '4/old', disabled: 1 }],
  topic(5, 'How do I glue oak?', { tags: 'glue,wood glue', isQuestion: 1, isSolved: 1, solvedPid: '53' }),
  topic(6, 'Staff only', { cid: 3 }),
  topic(7, 'Deleted', { deleted: 1 }),
  topic(8, 'Locked', { locked: 1, uid: 0 }),
  topic(10, 'Offline', { cid: 4 }),
  topic(9, 'Later', { timestamp: Date.UTC(2900, 0, 1) }),
  post(50, 'How?\n![a](/assets/uploads/files/a.png)', { edited: start + 7_200_000 }),
  post(51, 'Like this.', { uid: 2, edited: 0 }),
  post(52, 'Thanks!', { toPid: '51' }),
  post(53, 'The solution.', { uid: '2', toPid: 51 }),
  post(54, 'Gone', { deleted: 1 }),
  post(55, 'By a guest', { uid: 0, handle: 'Joe' }),
  post(60, 'Secret', { tid: 6 }),
  post(70, 'Deleted topic', { tid: 7 }),
  post(80, 'Locked', { tid: 8, uid: 0 }),
  [
    'post:https://other.example/1',
    { pid: 'https://other.example/1', uid: 'https://other.example/u', tid: 5, content: 'Remote' },
  ],
];
const privilege = (cid: number) => `group:cid:${cid}:privileges:groups:topics:read:members`;
const zsets: [key: string, value: string, score: number][] = [
  [privilege(2), 'registered-users', start],
  [privilege(3), 'administrators', start],
  [privilege(4), 'guests', start],
  ['uid:1:upvote', '51', start + 3_600_000],
  ['uid:2:upvote', '50', start + 3_600_000],
  ['uid:2:downvote', '52', start + 3_600_000],
  ['uid:2:upvote', '54', start],
  ['topics:tid', '5', start],
];
/** Before version 2, tags were sets. */
const sets: [key: string, members: string[]][] = [
  ['topic:8:tags', ['oak', 'elm']],
  ['pid:51:upvote', ['1']],
];

const toCopy = (text: string) => text.replaceAll('\\', '\\\\').replaceAll('\n', String.raw`\n`);
const copy = (table: string, columns: string, rows: readonly string[][]) =>
  `COPY public.${table} (${columns}) FROM stdin;\n${rows.map((row) => `${row.map(toCopy).join('\t')}\n`).join('')}\\.\n\n`;

const dumps: Record<string, string | Buffer> = {
  mongoexport: [
    ...hashes.map(([_key, fields], index) => ({ _id: { $oid: String(index) }, _key, ...fields })),
    ...zsets.map(([_key, value, score]) => ({ _key, value, score: { $numberLong: String(score) } })),
    ...sets.map(([_key, members]) => ({ _key, members })),
    { _id: { $oid: 'x' }, other: true },
  ]
    .map((document) => `${JSON.stringify(document)}\n`)
    .join(''),
  pg_dump: gzipSync(
    "--\n-- PostgreSQL database dump\n--\n\nCREATE FUNCTION public.f(text) RETURNS text[]\n    LANGUAGE sql\n    AS $_$\n    SELECT 'it''s';\n$_$;\n\n" +
      copy(
        'legacy_hash',
        '_key, data, type',
        hashes.map(([key, fields]) => [key, JSON.stringify(fields), 'hash']),
      ) +
      copy(
        'legacy_object',
        '_key, type, "expireAt"',
        hashes.map(([key]) => [key, 'hash', 'x']),
      ) +
      copy(
        'legacy_set',
        '_key, member, type',
        sets.flatMap(([key, members]) => members.map((member) => [key, member, 'set'])),
      ) +
      copy(
        'legacy_zset',
        '_key, value, score, type',
        zsets.map(([key, value, score]) => [key, value, String(score), 'zset']),
      ),
  ),
};

const convert = (community: TestCommunity, content: string | Buffer, args: string[] = []) => {
  const input = typeof content === 'string' ? 'objects.json' : 'dump.sql.gz';
  return runConvert(community.client, {
    source: 'nodebb',
    files: { [input]: content },
    input,
    args: ['--site', site, ...args],
  });
};

const author = '(select display_name from member where id = author_id) as author';

it.each(Object.entries(dumps))(
  'converts the output of %s, and the import shows its topics, posts and votes',
  async (_, dump) => {
    const community = await createTestCommunity();
    const { out, err, directory } = await convert(community, dump);
    expect(err).toBe('');
    expect(out.replace(directory, 'DIRECTORY')).toBe(`users: 2 rows read, 2 converted
categories: 3 rows read, 1 converted
  1 left out: disabled
  1 left out: private
topics: 6 rows read, 2 converted
  1 left out: deleted
  1 left out: in disabled categories
  1 left out: in private categories
  1 left out: scheduled
posts: 9 rows read, 6 converted
  2 left out: in topics that are left out
  1 left out: deleted
votes: 4 rows read, 3 converted
  1 left out: on posts that are left out
Written: members 2, tags 5, questions 2, answers 3, replies 1, votes 3, redirects 24.
Import the files with: parley import jsonl DIRECTORY --site ${site} --license NAME
`);
    await importJsonLines({ directory, client: community.client, site });
    expect(await findViolations(databaseFromClient(community.client))).toEqual([]);
    expect(
      await community.rows(
        `select id, title, content, views, tag_text, lock_reason, accepted_answer_id, upvotes, created_at, edited_at, ${author}
       from question order by id`,
      ),
    ).toEqual([
      {
        id: '5',
        title: 'How do I glue oak?',
        content: `How?\n![a](${site}/assets/uploads/files/a.png)`,
        views: '12',
        tag_text: 'Wood, glue, wood glue',
        lock_reason: null,
        accepted_answer_id: '53',
        upvotes: '1',
        created_at: new Date(start),
        edited_at: new Date(start + 7_200_000),
        author: 'ada',
      },
      expect.objectContaining({
        id: '8',
        lock_reason: 'Closed on forum.example.org',
        tag_text: 'Wood, elm, oak',
        author: null,
      }),
    ]);
    expect(
      await community.rows(
        `select id, content, upvotes, edited_at, imported_author_name, ${author} from answer order by id`,
      ),
    ).toEqual([
      {
        id: '51',
        content: 'Like this.',
        upvotes: '1',
        edited_at: null,
        imported_author_name: null,
        author: 'Ben B',
      },
      {
        id: '53',
        content: 'The solution.',
        upvotes: '0',
        edited_at: null,
        imported_author_name: null,
        author: 'Ben B',
      },
      {
        id: '55',
        content: 'By a guest',
        upvotes: '0',
        edited_at: null,
        imported_author_name: 'Joe',
        author: null,
      },
    ]);
    expect(await community.rows(`select id, answer_id, content, downvotes, ${author} from reply`)).toEqual([
      { id: '52', answer_id: '51', content: 'Thanks!', downvotes: '1', author: 'ada' },
    ]);
    expect(
      await community.rows('select display_name, bio, location, website, email from member order by id'),
    ).toEqual([
      {
        display_name: 'ada',
        bio: 'I *glue*.',
        location: 'Bern',
        website: 'https://ada.example.org/',
        email: 'ada@example.org',
      },
      { display_name: 'Ben B', bio: null, location: null, website: null, email: null },
    ]);
    expect(
      await community.rows(
        `select address, kind from imported_redirect where address ~ '^/(topic/5|post/5|category|user)' order by kind, address collate "C"`,
      ),
    ).toEqual([
      { address: '/post/51', kind: 'answer' },
      { address: '/post/53', kind: 'answer' },
      { address: '/post/55', kind: 'answer' },
      { address: '/user/ada', kind: 'member' },
      { address: '/user/ben-b', kind: 'member' },
      { address: '/post/50', kind: 'question' },
      { address: '/topic/5', kind: 'question' },
      { address: '/topic/5/*', kind: 'question' },
      { address: '/topic/5/slug-5', kind: 'question' },
      { address: '/topic/5/slug-5/*', kind: 'question' },
      { address: '/post/52', kind: 'reply' },
      { address: '/category/2', kind: 'tag' },
      { address: '/category/2/wood', kind: 'tag' },
    ]);
  },
);

it('takes texts as HTML if the forum stores HTML', async () => {
  const community = await createTestCommunity();
  const lines = String(dumps['mongoexport']).replace('Like this.', '<p>Like <strong>this</strong>.</p>');
  const { directory } = await convert(community, lines, ['--format', 'html']);
  await importJsonLines({ directory, client: community.client, site });
  expect(await community.rows('select content from answer where id = 51')).toEqual([
    { content: 'Like **this**.' },
  ]);
});

it.each<[string, string]>([
  ['objects.json, line 2: the line is not JSON', '{"_key": "post:1"}\n{"_key": '],
  ['objects.json, line 2: the line is not a JSON object', '{"_key": "post:1"}\n[1]\n'],
  ['objects.json is one JSON array. Run mongoexport without --jsonArray', '[{"_key": "post:1"}]\n'],
  ['objects.json is not an export of NodeBB: no object has a "_key"', '{"a": 1}\n'],
  ['objects.json has no users, topics and posts of NodeBB', '{"_key": "global", "a": 1}\n'],
  ['objects.json is not an SQL dump: it has no lines that begin with "COPY" or "INSERT INTO"', 'REDIS0011\n'],
  [
    'objects.json is not a dump of NodeBB: it has no rows of a table legacy_hash',
    'COPY public.users (id) FROM stdin;\n1\n\\.\n',
  ],
])('refuses a file with: %s', async (problem, content) => {
  const community = await createTestCommunity();
  const { out, err, code, directory } = await convert(community, content);
  expect({ out, err, code }).toEqual({ out: '', err: `${problem}. Nothing was written.\n`, code: 1 });
  expect(await readdir(path.dirname(directory))).not.toContain('lines');
});

it.each([
  [
    '[a](/assets/uploads/files/a b.pdf) /assets/uploads/x',
    `[a](${site}/assets/uploads/files/a b.pdf) /assets/uploads/x`,
  ],
  ['<img src="/forum/assets/uploads/a.png">', `<img src="${site}/forum/assets/uploads/a.png">`],
])('gives uploads without a host the address of the forum: %s', (content, converted) => {
  expect(convertNodebbText({ content, format: 'html' }, `${site}/forum`)).toEqual({
    content: converted,
    format: 'html',
  });
});
