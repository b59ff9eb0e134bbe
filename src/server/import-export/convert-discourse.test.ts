import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { runConvert } from '#tests/support/export-and-convert.ts';
import { databaseFromClient } from '#server/core/database.ts';
import { findViolations } from '#server/operations/integrity-check.ts';
import {
  createTestCommunity,
  setupTestDatabase,
  type TestCommunity,
} from '#tests/support/stack-exchange-archive.ts';
import { convertDiscourseText } from './convert-discourse.ts';
import { importJsonLines } from './jsonl-import.ts';

setupTestDatabase();

const site = 'https://forum.example.org';

/** A block of a dump: rows as text of COPY, with columns in the order of a real table, and some that are not read. */
const block = (table: string, columns: string, rows: readonly string[]) =>
  `--\n-- Data for Name: ${table}; Type: TABLE DATA; Schema: public; Owner: -\n--\n\n` +
  `COPY public.${table} (${columns}) FROM stdin;\n${rows.map((row) => `${row.replaceAll('|', '\t')}\n`).join('')}\\.\n\n`;

const at = (hour: number) => `2020-01-01 ${String(hour).padStart(2, '0')}:00:00.5`;
const postColumns =
  'id, user_id, topic_id, post_number, raw, cooked, created_at, updated_at, reply_to_post_number, deleted_at, post_type, hidden, last_version_at, user_deleted, version';
const post = (
  id: number,
  topic: number,
  number: number,
  raw: string,
  more: Partial<Record<'user' | 'reply' | 'deleted' | 'type' | 'hidden' | 'own' | 'version', string>> = {},
) =>
  [
    id,
    more.user ?? '1',
    topic,
    number,
    raw,
    '<p>cooked</p>',
    at(number),
    at(number),
    more.reply ?? '\\N',
    more.deleted ?? '\\N',
    more.type ?? '1',
    more.hidden ?? 'f',
    at(23),
    more.own ?? 'f',
    more.version ?? '1',
  ].join('|');

const topicColumns =
  'id, title, last_posted_at, created_at, views, user_id, deleted_at, category_id, visible, closed, archived, archetype, slug';
const topic = (
  id: number,
  title: string,
  more: Partial<Record<'deleted' | 'category' | 'visible' | 'closed' | 'kind', string>> = {},
) =>
  [
    id,
    title,
    at(1),
    at(1),
    50,
    1,
    more.deleted ?? '\\N',
    more.category ?? '5',
    more.visible ?? 't',
    more.closed ?? 'f',
    'f',
    more.kind ?? 'regular',
    `slug-${id}`,
  ].join('|');

const users = [`-1|system|System|${at(0)}`, `1|ada|Ada L.|${at(0)}`, `2|ben|\\N|${at(0)}`];
const posts = [
  post(100, 10, 1, 'How?\\n\\n![cat\\\\|90x50](upload://aBc123.png)'.replace('\\\\|', '¦')),
  post(101, 10, 2, '[quote="ada, post:1, topic:10"]\\nHow?\\n[/quote]\\nLike this.', {
    user: '2',
    version: '2',
  }),
  post(102, 10, 3, 'Thanks!', { reply: '2' }),
  post(103, 10, 4, 'You are welcome.', { user: '2', reply: '3' }),
  post(104, 10, 5, 'The solution.', { user: '2', reply: '2' }),
  post(105, 10, 6, 'closed', { user: '-1', type: '3' }),
  post(106, 10, 7, 'staff only', { type: '4' }),
  post(107, 10, 8, 'spam', { hidden: 't' }),
  post(108, 10, 9, 'gone', { deleted: at(9) }),
  post(109, 10, 10, '(post deleted by author)', { own: 't' }),
  post(110, 10, 11, 'Automatic answer', { user: '-1' }),
  post(111, 11, 1, 'A private message'),
  post(112, 12, 1, 'In a private category'),
  post(113, 14, 1, 'About the category'),
];

const dump = [
  "--\n-- PostgreSQL database dump\n--\n\nSET client_encoding = 'UTF8';\n\nCREATE TABLE public.topics (\n    id integer NOT NULL\n);\n\n",
  block('categories', 'id, name, color, topic_id, slug, description, read_restricted', [
    '5|Wood|AB9364|14|wood|<p>All about <b>wood</b></p>|f',
    '6|Staff|AB9364|\\N|staff|\\N|t',
    '1|Uncategorized|AB9364|\\N|uncategorized|\\N|f',
  ]),
  block('notifications', 'id, data', ['1|{}', '2|{}']),
  block('post_actions', 'id, post_id, user_id, post_action_type_id, deleted_at, created_at', [
    `1|101|1|2|\\N|${at(5)}`,
    `2|100|2|2|\\N|${at(5)}`,
    `3|100|1|2|${at(6)}|${at(5)}`,
    `4|101|1|8|\\N|${at(5)}`,
    `5|111|2|2|\\N|${at(5)}`,
  ]),
  block('posts', postColumns, posts).replaceAll('¦', '|'),
  block('discourse_solved_solved_topics', 'id, topic_id, answer_post_id', ['1|10|104']),
  block('tags', 'id, name, topic_count, target_tag_id, description', [
    '1|glue|1|\\N|Sticky',
    '2|paste|0|1|\\N',
    '3|for-staff|1|\\N|Secret',
  ]),
  block('tag_group_memberships', 'id, tag_id, tag_group_id', ['1|1|8', '2|3|9']),
  block('tag_group_permissions', 'id, tag_group_id, group_id, permission_type', ['1|8|0|1', '2|9|3|1']),
  block('topic_tags', 'id, topic_id, tag_id', ['1|10|1', '2|10|3']),
  block('topics', topicColumns, [
    topic(10, 'How do I glue\\toak?', { closed: 't' }),
    topic(11, 'Private', { kind: 'private_message', category: '\\N' }),
    topic(12, 'Staff', { category: '6' }),
    topic(13, 'Deleted', { deleted: at(9) }),
    topic(14, 'About the Wood category'),
    topic(15, 'Unlisted', { visible: 'f' }),
  ]),
  block('user_associated_accounts', 'id, provider_name, provider_uid, user_id', [
    '1|google_oauth2|10769150350006150715113082367|2',
    '2|github|42|2',
    '3|google_oauth2|\\N|1',
  ]),
  block('user_emails', 'id, user_id, email, "primary"', ['1|1|ada@example.org|t', '2|1|other@example.org|f']),
  block('user_options', 'user_id, hide_profile_and_presence', ['1|f', '2|t']),
  block('user_profiles', 'user_id, bio_raw', ['1|I *glue*.', '2|Only for the staff.']),
  block('users', 'id, username, name, created_at', users),
  '--\n-- PostgreSQL database dump complete\n--\n',
].join('');

const convert = (community: TestCommunity, content: string | Buffer, name = 'dump.sql') =>
  runConvert(community.client, {
    source: 'discourse',
    files: { [name]: content },
    input: name,
    args: ['--site', site],
  });

it('converts a dump, and the import shows its topics, posts, likes and members', async () => {
  const community = await createTestCommunity();
  const { out, err, directory } = await convert(community, gzipSync(dump), 'dump.sql.gz');
  expect(err).toBe('');
  expect(out.replace(directory, 'DIRECTORY')).toBe(`users: 3 rows read, 2 converted
  1 left out: accounts of the system
categories: 3 rows read, 1 converted
  1 left out: for topics without a category
  1 left out: private categories
tags: 3 rows read, 1 converted
  1 left out: synonyms
  1 left out: tags that not everyone may see
topics: 6 rows read, 1 converted
  1 left out: deleted
  1 left out: descriptions of categories
  1 left out: in private categories
  1 left out: private messages
  1 left out: unlisted
posts: 14 rows read, 6 converted
  3 left out: in topics that are left out
  1 left out: deleted
  1 left out: deleted by their authors
  1 left out: hidden
  1 left out: notices of actions
  1 left out: whispers of the staff
post_actions: 5 rows read, 2 converted
  1 left out: no likes
  1 left out: of posts that are left out, or by the system
  1 left out: taken back
Note: 1 other tables of the dump were not read.
Written: members 2, tags 2, questions 1, answers 3, replies 2, votes 2, redirects 24.
Import the files with: parley import jsonl DIRECTORY --site ${site} --license NAME
`);
  const members = (await readFile(path.join(directory, 'members.jsonl'), 'utf8')).trim().split('\n');
  expect(members.map((line) => (JSON.parse(line) as { identities?: object[] }).identities)).toEqual([
    undefined,
    [{ issuer: 'https://accounts.google.com', subject: '10769150350006150715113082367' }],
  ]);
  await importJsonLines({ directory, client: community.client, site });
  expect(await findViolations(databaseFromClient(community.client))).toEqual([]);
  const author = '(select display_name from member where id = author_id) as author';
  expect(
    await community.rows(
      `select id, title, content, views, tag_text, lock_reason, accepted_answer_id, upvotes, created_at, ${author} from question`,
    ),
  ).toEqual([
    {
      id: '10',
      title: 'How do I glue oak?',
      content: `How?\n\n![cat](${site}/uploads/short-url/aBc123.png)`,
      views: '50',
      tag_text: 'Wood, glue',
      lock_reason: 'Closed on forum.example.org',
      accepted_answer_id: '104',
      upvotes: '1',
      created_at: new Date('2020-01-01T01:00:00.500Z'),
      author: 'ada',
    },
  ]);
  expect(
    await community.rows(
      `select id, content, upvotes, edited_at, imported_author_name, ${author} from answer order by id`,
    ),
  ).toEqual([
    {
      id: '101',
      content: '> **ada**:\n>\n> How?\n\nLike this.',
      upvotes: '1',
      edited_at: new Date('2020-01-01T23:00:00.500Z'),
      imported_author_name: null,
      author: 'ben',
    },
    {
      id: '104',
      content: 'The solution.',
      upvotes: '0',
      edited_at: null,
      imported_author_name: null,
      author: 'ben',
    },
    {
      id: '110',
      content: 'Automatic answer',
      upvotes: '0',
      edited_at: null,
      imported_author_name: 'system',
      author: null,
    },
  ]);
  expect(
    await community.rows(`select id, answer_id, parent_reply_id, content, ${author} from reply order by id`),
  ).toEqual([
    { id: '102', answer_id: '101', parent_reply_id: null, content: 'Thanks!', author: 'ada' },
    { id: '103', answer_id: '101', parent_reply_id: '102', content: 'You are welcome.', author: 'ben' },
  ]);
  expect(await community.rows('select display_name, bio, email from member order by id')).toEqual([
    { display_name: 'ada', bio: 'I *glue*.', email: 'ada@example.org' },
    { display_name: 'ben', bio: null, email: null },
  ]);
  expect(await community.rows(`select member_id is not null as known, direction from vote`)).toEqual([
    { known: true, direction: 'up' },
    { known: true, direction: 'up' },
  ]);
  expect(
    await community.rows(
      `select address, kind, target_id from imported_redirect where address ~ '/t/slug-10' order by 1`,
    ),
  ).toEqual([
    { address: '/t/slug-10/10', kind: 'question', target_id: '10' },
    { address: '/t/slug-10/10/1', kind: 'question', target_id: '10' },
    { address: '/t/slug-10/10/11', kind: 'answer', target_id: '110' },
    { address: '/t/slug-10/10/2', kind: 'answer', target_id: '101' },
    { address: '/t/slug-10/10/3', kind: 'reply', target_id: '102' },
    { address: '/t/slug-10/10/4', kind: 'reply', target_id: '103' },
    { address: '/t/slug-10/10/5', kind: 'answer', target_id: '104' },
  ]);
});

it('leaves out the biographies of profiles that newer versions hide', async () => {
  const community = await createTestCommunity();
  const newer = dump.replace(
    'user_options (user_id, hide_profile_and_presence)',
    'user_options (user_id, hide_profile)',
  );
  const { directory } = await convert(community, newer);
  const members = await readFile(path.join(directory, 'members.jsonl'), 'utf8');
  expect(members).toContain('I *glue*.');
  expect(members).not.toContain('Only for the staff.');
});

it('reads an accepted answer of an older version of discourse-solved', async () => {
  const community = await createTestCommunity();
  const older = dump.replace(
    /COPY public\.discourse_solved[^;]*;\n.*\n/u,
    'COPY public.topic_custom_fields (id, topic_id, name, value) FROM stdin;\n1\t10\taccepted_answer_post_id\t104\n2\t10\tother\tx\n',
  );
  const { directory } = await convert(community, older);
  await importJsonLines({ directory, client: community.client, site });
  expect(await community.rows('select accepted_answer_id from question')).toEqual([
    { accepted_answer_id: '104' },
  ]);
});

const lineOf = (text: string) => dump.slice(0, dump.indexOf(text)).split('\n').length;

it.each<[string, string | Buffer]>([
  [
    `dump.sql, line ${lineOf('1\tada\tAda')}: the row of users has 3 fields, not 4`,
    dump.replace('1\tada\tAda L.', '1\tada'),
  ],
  [
    `dump.sql, line ${lineOf('2\tben')}: the file ends in the rows of users: it is cut off`,
    dump.slice(0, dump.indexOf('2\tben')),
  ],
  ['dump.sql is not an SQL dump: it has no lines that begin with "COPY" or "INSERT INTO"', 'PGDMP'],
  [
    'dump.sql is not a dump of Discourse: it has no rows of a table users',
    dump.slice(0, dump.indexOf('COPY public.users')),
  ],
  [
    `dump.sql, line ${lineOf('5\tWood')}: the row of categories is not UTF-8`,
    Buffer.from(dump.replace('Wood', 'W\xf6\xe4d'), 'latin1'),
  ],
])('refuses a dump with: %s', async (problem, content) => {
  const community = await createTestCommunity();
  const { out, err, code, directory } = await convert(community, content);
  expect({ out, err, code }).toEqual({ out: '', err: `${problem}. Nothing was written.\n`, code: 1 });
  expect(await readdir(path.dirname(directory))).not.toContain('lines');
});

it('refuses a compressed dump that is cut off', async () => {
  const community = await createTestCommunity();
  const { err } = await convert(community, gzipSync(dump).subarray(0, 900), 'dump.sql.gz');
  expect(err).toBe('dump.sql.gz is damaged or cut off. Nothing was written.\n');
});

it.each([
  ['[quote="Ada, post:2"]\na\nb\n[/quote]\n\nc', '> **Ada**:\n>\n> a\n> b\n\n\nc'],
  ['[quote]a[/quote]', '> a\n'],
  ['![a b|100x50, 50%](https://x.example/y.png) [z|q](/t)', '![a b](https://x.example/y.png) [z|q](/t)'],
])('converts the text %j', (text, markdown) => {
  expect(convertDiscourseText(text, site)).toBe(markdown);
});
