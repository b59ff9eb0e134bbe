import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import { runConvert, runConvertCommand } from '#tests/support/export-and-convert.ts';
import { databaseFromClient } from '#server/core/database.ts';
import { findViolations } from '#server/operations/integrity-check.ts';
import {
  createTestCommunity,
  setupTestDatabase,
  type TestCommunity,
} from '#tests/support/stack-exchange-archive.ts';
import { createTimeReader } from './forum-times.ts';
import { importJsonLines } from './jsonl-import.ts';

setupTestDatabase();

const mapping = {
  site: 'https://forum.example.org',
  format: 'bbcode',
  htmlEntities: true,
  members: {
    file: 'users.csv',
    columns: { id: 'user_id', name: 'username', email: 'user_email', createdAt: 'user_regdate' },
    only: { user_type: ['0', '3'] },
  },
  tags: { file: 'forums.csv', columns: { id: 'forum_id', name: 'forum_name', description: 'forum_desc' } },
  topics: {
    file: 'topics.csv',
    columns: {
      id: 'topic_id',
      title: 'topic_title',
      tagId: 'forum_id',
      views: 'topic_views',
      firstPostId: 'topic_first_post_id',
    },
    only: { topic_visibility: '1' },
  },
  posts: {
    file: 'posts.csv',
    columns: {
      id: 'post_id',
      topicId: 'topic_id',
      content: 'post_text',
      authorId: 'poster_id',
      authorName: 'post_username',
      createdAt: 'post_time',
      editedAt: 'post_edit_time',
    },
    only: { post_visibility: '1' },
  },
  redirects: {
    topic: '/viewtopic.php?t={id}',
    post: ['/viewtopic.php?p={id}'],
    member: '/memberlist.php?mode=viewprofile&u={id}',
    tag: '/viewforum.php?f={id}',
  },
};

const files = {
  'users.csv': `user_id,username,user_email,user_regdate,user_type
2,Ada &amp; Co,ada@example.org,1577872800,3
3,Ben,not an address,1577872800,0
4,Bot,,0,2
`,
  'forums.csv': 'forum_id,forum_name,forum_desc\n7,"Wood, metal & stone",All &quot;materials&quot;\n',
  'topics.csv': `topic_id,topic_title,forum_id,topic_views,topic_first_post_id,topic_visibility
12,How do I glue oak?,7,99,30,1
13,Deleted,7,1,40,2
`,
  'posts.csv': `post_id,topic_id,poster_id,post_username,post_time,post_edit_time,post_visibility,post_text
30,12,2,,1577872800,0,1,"Which [b]glue[/b] &lt;here&gt;?
Not this one.

[code]a[0] = [b]1[/b];[/code]"
31,12,3,,1577876400,1577880000,1,"<r><QUOTE author=""Ada""><s>[quote=""Ada""]</s>Which<e>[/quote]</e></QUOTE>
Hide glue &amp; clamps: <URL url=""https://a.example/?x=1&amp;y=2""><s>[url=https://a.example/?x=1&amp;y=2]</s>here<e>[/url]</e></URL></r>"
32,12,1,Guest,1577883600,0,1,Me too
33,12,3,,1577887200,0,0,Not approved
41,13,3,,1577887200,0,1,In a deleted topic
`,
};

type Files = Readonly<Record<string, string | Buffer>>;

const convert = (community: TestCommunity, given: Files, map: object | string = mapping) =>
  runConvert(community.client, {
    source: 'csv',
    files: { ...given, 'map.json': typeof map === 'string' ? map : JSON.stringify(map, null, 2) },
    input: 'map.json',
  });

it('writes files that can be imported for addresses with a number only', async () => {
  const community = await createTestCommunity();
  const { redirects } = mapping;
  const given = { ...mapping, redirects: { ...redirects, topic: '/{id}', post: '/{id}' } };
  const { err, directory } = await convert(community, files, given);
  expect(err).toBe('');
  await importJsonLines({ directory, client: community.client, site: 'https://forum.example.org' });
  expect(
    await community.rows(
      `select address, kind from imported_redirect where kind in ('question', 'answer') order by 1`,
    ),
  ).toEqual([
    { address: '/12', kind: 'question' },
    { address: '/30', kind: 'question' },
    { address: '/31', kind: 'answer' },
    { address: '/32', kind: 'answer' },
  ]);
});

it('converts the tables of a forum, and the import shows its topics, posts and members', async () => {
  const community = await createTestCommunity();
  const { out, err, code, directory } = await convert(community, files);
  expect(err).toBe('');
  expect(out.replace(directory, 'DIRECTORY')).toBe(`users.csv: 3 rows read, 2 converted
  1 left out: user_type is not 0 or 3
forums.csv: 1 rows read, 1 converted
topics.csv: 2 rows read, 1 converted
  1 left out: topic_visibility is not 1
posts.csv: 5 rows read, 3 converted
  1 left out: in topics that are left out
  1 left out: post_visibility is not 1
Note: 1 email addresses are not valid and were left out.
Written: members 2, tags 1, questions 1, answers 2, replies 0, votes 0, redirects 7.
Import the files with: parley import jsonl DIRECTORY --site https://forum.example.org --license NAME
`);
  expect(code).toBe(0);
  await importJsonLines({ directory, client: community.client, site: 'https://forum.example.org' });
  expect(await findViolations(databaseFromClient(community.client))).toEqual([]);
  expect(
    await community.rows(
      `select id, title, content, views, tag_text, created_at, (select display_name from member where id = author_id) as author from question`,
    ),
  ).toEqual([
    {
      id: '12',
      title: 'How do I glue oak?',
      content: 'Which **glue** \\<here>?\\\nNot this one.\n\n```\na[0] = [b]1[/b];\n```',
      views: '99',
      tag_text: 'Wood, metal & stone',
      created_at: new Date('2020-01-01T10:00:00Z'),
      author: 'Ada & Co',
    },
  ]);
  expect(
    await community.rows(
      `select id, content, imported_author_name, edited_at, (select display_name from member where id = author_id) as author
       from answer order by id`,
    ),
  ).toEqual([
    {
      id: '31',
      content: '> Which\n\nHide glue & clamps: [here](https://a.example/?x=1\\&y=2)',
      imported_author_name: null,
      edited_at: new Date('2020-01-01T12:00:00Z'),
      author: 'Ben',
    },
    { id: '32', content: 'Me too', imported_author_name: 'Guest', edited_at: null, author: null },
  ]);
  expect(await community.rows('select name, description from tag')).toEqual([
    { name: 'Wood, metal & stone', description: 'All "materials"' },
  ]);
  expect(await community.rows('select display_name, email from member order by id')).toEqual([
    { display_name: 'Ada & Co', email: 'ada@example.org' },
    { display_name: 'Ben', email: null },
  ]);
  expect(
    await community.rows(
      "select address, kind, target_id from imported_redirect where kind <> 'member' and kind <> 'tag' order by 1",
    ),
  ).toEqual([
    { address: '/viewtopic.php?p=30', kind: 'question', target_id: '12' },
    { address: '/viewtopic.php?p=31', kind: 'answer', target_id: '31' },
    { address: '/viewtopic.php?p=32', kind: 'answer', target_id: '32' },
    { address: '/viewtopic.php?t=12', kind: 'question', target_id: '12' },
  ]);
});

const small = {
  site: 'https://forum.example.org',
  format: 'plain',
  topics: {
    file: 'topics.csv',
    columns: {
      id: 'id',
      title: 'title',
      content: 'text',
      tags: 'tags',
      acceptedPostId: 'best',
      createdAt: 'at',
    },
  },
  posts: {
    file: 'posts.csv',
    columns: {
      id: 'id',
      topicId: 'topic',
      content: 'text',
      replyTo: 'reply',
      upvotes: 'up',
      createdAt: 'at',
    },
  },
};
const smallFiles = {
  'topics.csv': 'id,title,text,tags,best,at\n1,T,Text,"a;b",4,2020-01-01\n',
  'posts.csv': [
    'id,topic,text,reply,up,at',
    '2,1,Answer *one*,,3,2020-01-01 10:00:00',
    '3,1,Reply,2,0,2020-01-01T11:00:00+01:00',
    '4,1,Accepted,3,0,1577880000',
    '5,1,Below,3,,2020-01-01 13:00',
    `6,1,${'long '.repeat(250)},2,,2020-01-01 14:00`,
    '7,1,Before,6,,2019-01-01',
  ].join('\r\n'),
};

it('makes a reply of a short post that replies to an answer, with its level, and an answer of any other', async () => {
  const community = await createTestCommunity();
  const { out, directory } = await convert(community, smallFiles, { ...small, tagSeparator: ';' });
  expect(out).toContain(
    'Written: members 0, tags 0, questions 1, answers 4, replies 2, votes 0, redirects 0.',
  );
  await importJsonLines({ directory, client: community.client, site: 'https://forum.example.org' });
  expect(await community.rows('select tag_text, content, accepted_answer_id from question')).toEqual([
    { tag_text: 'a, b', content: 'Text', accepted_answer_id: '4' },
  ]);
  expect(
    await community.rows('select id, left(content, 12) as content, upvotes from answer order by id'),
  ).toEqual([
    { id: '2', content: 'Answer \\*one', upvotes: '3' },
    { id: '4', content: 'Accepted', upvotes: '0' },
    { id: '6', content: 'long long lo', upvotes: '0' },
    { id: '7', content: 'Before', upvotes: '0' },
  ]);
  expect(
    await community.rows('select id, answer_id, parent_reply_id, level, created_at from reply order by id'),
  ).toEqual([
    {
      id: '3',
      answer_id: '2',
      parent_reply_id: null,
      level: 0,
      created_at: new Date('2020-01-01T10:00:00Z'),
    },
    { id: '5', answer_id: '2', parent_reply_id: '3', level: 1, created_at: new Date('2020-01-01T13:00:00Z') },
  ]);
});

it('reads other encodings, delimiters, quotes and escapes', async () => {
  const community = await createTestCommunity();
  const { out, directory } = await convert(
    community,
    {
      'topics.csv': Buffer.from(
        "id;title;text;tags;best;at\n1;'Caf\xe9; it\\'s open';\\N;;0;31.12.2020 23:59\n",
        'latin1',
      ),
      'posts.csv': Buffer.from('id;topic;text;reply;up;at\n2;1;First;;;1.1.2021 0:00\n', 'latin1'),
    },
    {
      ...small,
      encoding: 'windows-1252',
      delimiter: ';',
      quote: "'",
      escape: '\\',
      dateFormat: 'DD.MM.YYYY HH:mm',
    },
  );
  expect(out).toContain('questions 1, answers 0');
  const line = await readFile(path.join(directory, 'questions.jsonl'), 'utf8');
  expect(JSON.parse(line)).toMatchObject({
    title: "Café; it's open",
    content: 'First',
    createdAt: '2020-12-31T23:59:00.000Z',
  });
});

const replace = (name: 'topics.csv' | 'posts.csv', from: string, to: string) => ({
  ...smallFiles,
  [name]: smallFiles[name].replace(from, to),
});

it.each<[string, Files]>([
  [
    'posts.csv, line 3: the row has 5 fields, but there are 6 columns',
    replace('posts.csv', '3,1,Reply,2,0,', '3,1,Reply,2,'),
  ],
  [
    'topics.csv, line 1: there is no column "tags", only "id", "title", "text", "x", "best", "at"',
    replace('topics.csv', 'tags', 'x'),
  ],
  [
    'posts.csv, line 4: column "id": "4a" is not a whole number from 1',
    replace('posts.csv', '4,1,Accepted', '4a,1,Accepted'),
  ],
  [
    'posts.csv, line 2: column "up": "-3" is not a whole number from 0',
    replace('posts.csv', ',3,2020', ',-3,2020'),
  ],
  [
    'posts.csv, line 7: column "at": "31/12/2019" is not a time (a "dateFormat" in the mapping names other forms)',
    replace('posts.csv', '2019-01-01', '31/12/2019'),
  ],
  [
    'posts.csv, line 7: column "at": "2019-02-30" is not a time (a "dateFormat" in the mapping names other forms)',
    replace('posts.csv', '2019-01-01', '2019-02-30'),
  ],
  ['posts.csv, line 3: there is no topic 9 in topics.csv', replace('posts.csv', '3,1,Reply', '3,9,Reply')],
  ['posts.csv, line 3: an earlier row has the id 2', replace('posts.csv', '3,1,Reply', '2,1,Reply')],
  ['topics.csv, line 2: the topic has no post 99 in posts.csv', replace('topics.csv', ',4,', ',99,')],
  ['topics.csv, line 2: a quoted field does not end', replace('topics.csv', '"a;b"', '"a;b')],
  [
    'topics.csv, line 2: a field that is not quoted has a quotation mark',
    replace('topics.csv', 'Text', 'Te"xt'),
  ],
  [
    'posts.csv, line 3: the text is not utf-8. Name its "encoding" in the mapping',
    {
      ...smallFiles,
      'posts.csv': Buffer.from(smallFiles['posts.csv'].replace('Reply', 'R\xe9ply'), 'latin1'),
    },
  ],
  [
    'topics.csv, line 1: the text has zero bytes. Name its "encoding" in the mapping, such as utf-16le',
    { ...smallFiles, 'topics.csv': Buffer.from(smallFiles['topics.csv'], 'utf16le') },
  ],
  ['topics.csv is empty. Its first line must name the columns', { ...smallFiles, 'topics.csv': '' }],
])('refuses files with: %s', async (problem, given) => {
  const community = await createTestCommunity();
  const { out, err, code, directory } = await convert(community, given, small);
  expect({ out, err, code }).toEqual({ out: '', err: `${problem}. Nothing was written.\n`, code: 1 });
  expect(await readdir(path.dirname(directory))).not.toContain('lines');
});

it.each([
  [
    'map.json, line 3: the file is not JSON',
    '{\n  "site": "https://forum.example.org",\n  format: "plain"\n}',
  ],
  ['map.json, line 3: format: must be one of markdown, html, bbcode, plain', { ...small, format: 'wiki' }],
  [
    'map.json, line 8: unknown field "titel"',
    { ...small, topics: { file: 'topics.csv', columns: { id: 'id', titel: 'title', title: 'title' } } },
  ],
  [
    'map.json, line 2: site: is not an address such as https://forum.example.org',
    { ...small, site: 'forum' },
  ],
  [
    'map.json, line 27: redirects.topic: is not a path with {id}, such as /viewtopic.php?t={id}',
    { ...small, redirects: { topic: '/t/1' } },
  ],
])('refuses a mapping with: %s', async (problem, map) => {
  const community = await createTestCommunity();
  const { err, code } = await convert(community, smallFiles, map);
  expect({ err, code }).toEqual({ err: `${problem}. Nothing was written.\n`, code: 1 });
});

it('refuses a directory that has files, and leaves them', async () => {
  const community = await createTestCommunity();
  const { directory } = await convert(community, smallFiles, small);
  const before = await readdir(directory);
  // Others on this machine cannot read the addresses of members.
  expect((await stat(directory)).mode & 0o777).toBe(0o700);
  const map = path.join(path.dirname(directory), 'map.json');
  const { err } = await runConvertCommand(community.client, ['csv', map, directory]);
  expect(err).toContain('is not empty. Name a new directory.');
  expect(await readdir(directory)).toEqual(before);
});

it.each([
  [undefined, '1577872800', '2020-01-01T10:00:00.000Z'],
  [undefined, '1577872800000', '2020-01-01T10:00:00.000Z'],
  [undefined, '2020-01-01 10:00:00.5', '2020-01-01T10:00:00.500Z'],
  [undefined, '2020-01-01T10:00:00-02:30', '2020-01-01T12:30:00.000Z'],
  [undefined, '2020-13-01', null],
  ['MM/DD/YY', '1/31/20', '2020-01-31T00:00:00.000Z'],
  ['MM/DD/YY', '31/1/20', null],
])('reads a time of the format %s from %s', (format, text, time) => {
  expect(createTimeReader(format)(text)).toBe(time);
});
