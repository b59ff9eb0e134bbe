import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { databaseFromClient } from '#server/core/database.ts';
import { findViolations } from '#server/operations/integrity-check.ts';
import { createPngPicture } from '#tests/support/pictures.ts';
import { runConvert } from '#tests/support/export-and-convert.ts';
import {
  createTestCommunity,
  setupTestDatabase,
  type TestCommunity,
} from '#tests/support/stack-exchange-archive.ts';
import { convertQuestion2AnswerText } from './convert-question2answer.ts';
import { importJsonLines } from './jsonl-import.ts';

setupTestDatabase();

const site = 'https://qa.example.org';

/** A table as mysqldump writes it, with the columns of Question2Answer's schema, also some that are not read. */
function table(name: string, columns: readonly string[], rows: readonly string[]): string {
  const definitions = columns.map((column) => `  \`${column}\` varchar(100) DEFAULT NULL,\n`).join('');
  return (
    `--\n-- Table structure for table \`${name}\`\n--\n\nDROP TABLE IF EXISTS \`${name}\`;\n` +
    `/*!40101 SET @saved_cs_client     = @@character_set_client */;\n` +
    `CREATE TABLE \`${name}\` (\n${definitions}  PRIMARY KEY (\`${columns[0]}\`),\n  KEY \`type\` (\`type\`,\`created\`)\n) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;\n\n` +
    `LOCK TABLES \`${name}\` WRITE;\n/*!40000 ALTER TABLE \`${name}\` DISABLE KEYS */;\n` +
    (rows.length === 0
      ? ''
      : `INSERT INTO \`${name}\` VALUES ${rows.map((row) => `(${row})`).join(',')};\n`) +
    `/*!40000 ALTER TABLE \`${name}\` ENABLE KEYS */;\nUNLOCK TABLES;\n\n`
  );
}

const postColumns =
  'postid type parentid categoryid selchildid closedbyid userid createip views format created updated updatetype title content tags name'.split(
    ' ',
  );

/** Addresses of networks are binary values, which are not UTF-8. */
const network = String.raw`_binary '\0` + `\xFF\xC3'`;

type Values = Partial<
  Record<
    | 'parent'
    | 'category'
    | 'accepted'
    | 'closedBy'
    | 'user'
    | 'format'
    | 'updated'
    | 'title'
    | 'tags'
    | 'name',
    string
  >
>;
const post = (id: number, type: string, content: string, more: Values = {}) =>
  [
    id,
    `'${type}'`,
    more.parent ?? 'NULL',
    more.category ?? 'NULL',
    more.accepted ?? 'NULL',
    more.closedBy ?? 'NULL',
    more.user ?? '1',
    network,
    type.startsWith('Q') ? 7 : 0,
    `'${more.format ?? ''}'`,
    `'2020-01-01 10:00:${String(id % 60).padStart(2, '0')}'`,
    more.updated === undefined ? 'NULL' : `'${more.updated}'`,
    more.updated === undefined ? 'NULL' : `'E'`,
    more.title === undefined ? 'NULL' : `'${more.title}'`,
    content === '' ? 'NULL' : `'${content}'`,
    more.tags === undefined ? 'NULL' : `'${more.tags}'`,
    more.name === undefined ? 'NULL' : `'${more.name}'`,
  ].join(',');

const posts = [
  post(1, 'Q', String.raw`It\'s <b>oak</b>.\r\nHow?`, {
    title: String.raw`How do I glue \"oak\"?`,
    tags: 'glue,wood glue',
    category: '2',
    accepted: '3',
    updated: '2020-01-02 09:00:00',
  }),
  post(2, 'A', '<p>With <strong>glue</strong>. <img src="./?qa=blob&amp;qa_blobid=9"></p>', {
    parent: '1',
    user: '2',
    format: 'html',
  }),
  post(3, 'A', 'Use *nails*', { parent: '1', user: 'NULL', name: 'Anonymous Joe', format: 'markdown' }),
  post(4, 'C', 'Thanks!', { parent: '2' }),
  post(5, 'C', 'Which oak?', { parent: '1', user: '2' }),
  post(6, 'A_HIDDEN', 'Spam', { parent: '1' }),
  post(7, 'C', 'On spam', { parent: '6' }),
  post(8, 'Q', '', { title: 'Title only', closedBy: '9', user: '99' }),
  post(9, 'NOTE', 'Not about wood', { parent: '8' }),
  post(10, 'Q', 'Same?', { title: 'Gluing oak', closedBy: '1', user: '2' }),
  post(11, 'Q_HIDDEN', 'Hidden', { title: 'Hidden' }),
  post(12, 'A', 'On hidden', { parent: '11' }),
  post(13, 'Q_QUEUED', 'Queued', { title: 'Queued' }),
];

const dump = [
  '-- MySQL dump 10.13  Distrib 8.0.36, for Linux (x86_64)\n--\n-- Host: localhost    Database: qa\n-- ------\n/*!50503 SET NAMES utf8mb4 */;\n\n',
  table(
    'qa_blobs',
    ['blobid', 'format', 'content'],
    [`9,'png',_binary '\x89PNG\\r\\n\\Z\\n\\0),(\xFF'`, `10,'gif',0x474946383961`],
  ),
  table(
    'qa_categories',
    ['categoryid', 'parentid', 'title', 'tags', 'content', 'backpath'],
    [`1,NULL,'Craft','craft','','craft'`, `2,1,'Wood','wood','All about wood','wood/craft'`],
  ),
  table('qa_posts', postColumns, posts),
  table(
    'qa_userprofile',
    ['userid', 'title', 'content'],
    [
      String.raw`1,'about','I glue.\nA lot.'`,
      `1,'location','Bern'`,
      `1,'website','https://ada.example.org'`,
      `2,'website','no address'`,
    ],
  ),
  table(
    'qa_users',
    ['userid', 'created', 'createip', 'email', 'handle', 'passhash'],
    [
      `1,'2019-01-01 00:00:00',${network},'ada@example.org','Ada Lovelace','$2y$10$x'`,
      `2,'2019-01-02 00:00:00',${network},'','böb','$2y$10$x'`,
    ],
  ),
  table(
    'qa_uservotes',
    ['postid', 'userid', 'vote', 'flag', 'votecreated'],
    [
      `1,2,1,0,'2020-01-03 10:00:00'`,
      `2,1,-1,0,NULL`,
      `5,1,1,0,'2020-01-03 10:00:00'`,
      `2,99,1,0,'2020-01-03 10:00:00'`,
      `2,2,0,1,NULL`,
      `6,1,1,0,NULL`,
    ],
  ),
  "DELIMITER ;;\n/*!50003 CREATE TRIGGER t BEFORE INSERT ON qa_posts FOR EACH ROW BEGIN\nINSERT INTO qa_posts VALUES ('not a row');\nEND */;;\nDELIMITER ;\n-- Dump completed on 2020-02-01\n",
].join('');

/** Texts of the dump are UTF-8, and its binary values are bytes. */
const encode = (text: string) => Buffer.from(text.replaceAll('ö', '\xC3\xB6'), 'latin1');

const convert = (community: TestCommunity, content: Buffer, args: string[] = [], name = 'dump.sql') =>
  runConvert(community.client, {
    source: 'question2answer',
    files: { [name]: content },
    input: name,
    args: ['--site', site, ...args],
  });

const author = '(select display_name from member where id = author_id) as author';

it('converts a dump, and the import shows its questions, answers, comments and votes', async () => {
  const community = await createTestCommunity();
  const { out, err, directory } = await convert(community, gzipSync(encode(dump)), [], 'dump.sql.gz');
  expect(err).toBe('');
  expect(out.replace(directory, 'DIRECTORY')).toBe(`users: 2 rows read, 2 converted
categories: 2 rows read, 2 converted
posts: 13 rows read, 7 converted
  2 left out: hidden
  1 left out: in topics that are left out
  1 left out: on answers that are left out
  1 left out: reasons of closings
  1 left out: waiting for approval
uservotes: 6 rows read, 4 converted
  1 left out: no votes
  1 left out: on posts that are left out
blobs: 2 rows read, 1 converted
  1 left out: not shown in texts
Written: members 2, tags 4, questions 3, answers 2, replies 2, votes 4, redirects 26, pictures 1.
Import the files with: parley import jsonl DIRECTORY --site ${site} --license NAME
`);
  await importJsonLines({ directory, client: community.client, site });
  expect(await findViolations(databaseFromClient(community.client))).toEqual([]);
  expect(
    await community.rows(
      `select id, title, content, views, tag_text, lock_reason, duplicate_of, accepted_answer_id, upvotes, edited_at, ${author}
       from question order by id`,
    ),
  ).toEqual([
    {
      id: '1',
      title: 'How do I glue "oak"?',
      content: `It's \\<b>oak\\</b>.\\\nHow?`,
      views: '7',
      tag_text: 'Wood, glue, wood glue',
      lock_reason: null,
      duplicate_of: null,
      accepted_answer_id: '3',
      upvotes: '1',
      edited_at: new Date('2020-01-02T09:00:00Z'),
      author: 'Ada Lovelace',
    },
    expect.objectContaining({
      id: '8',
      content: 'Title only',
      lock_reason: 'Closed on qa.example.org: Not about wood',
      author: null,
    }),
    expect.objectContaining({ id: '10', duplicate_of: '1', lock_reason: null, author: 'böb' }),
  ]);
  expect(
    await community.rows(
      `select id, content, upvotes, downvotes, imported_author_name, ${author} from answer order by id`,
    ),
  ).toEqual([
    {
      id: '2',
      // The bytes of this test are no picture.
      content: 'With **glue**. ![](pictures/9.png)',
      upvotes: '1',
      downvotes: '1',
      imported_author_name: null,
      author: 'böb',
    },
    {
      id: '3',
      content: 'Use *nails*',
      upvotes: '0',
      downvotes: '0',
      imported_author_name: 'Anonymous Joe',
      author: null,
    },
  ]);
  expect(
    await community.rows(
      `select id, answer_id, question_id, content, upvotes, ${author} from reply order by id`,
    ),
  ).toEqual([
    { id: '4', answer_id: '2', question_id: '1', content: 'Thanks!', upvotes: '0', author: 'Ada Lovelace' },
    { id: '5', answer_id: null, question_id: '1', content: 'Which oak?', upvotes: '1', author: 'böb' },
  ]);
  expect(
    await community.rows('select display_name, bio, location, website, email from member order by id'),
  ).toEqual([
    {
      display_name: 'Ada Lovelace',
      bio: 'I glue.\\\nA lot.',
      location: 'Bern',
      website: 'https://ada.example.org/',
      email: 'ada@example.org',
    },
    { display_name: 'böb', bio: null, location: null, website: null, email: null },
  ]);
  expect(
    await community.rows(
      `select address, kind, target_id from imported_redirect where address ~ '^/(1|user|questions)(/|$|[?])' order by 1`,
    ),
  ).toEqual([
    { address: '/1', kind: 'question', target_id: '1' },
    { address: '/1/*', kind: 'question', target_id: '1' },
    { address: '/1/*?show=1', kind: 'question', target_id: '1' },
    { address: '/1/*?show=2', kind: 'answer', target_id: '2' },
    { address: '/1/*?show=3', kind: 'answer', target_id: '3' },
    { address: '/1/*?show=4', kind: 'reply', target_id: '4' },
    { address: '/1/*?show=5', kind: 'reply', target_id: '5' },
    { address: '/1?show=1', kind: 'question', target_id: '1' },
    { address: '/1?show=2', kind: 'answer', target_id: '2' },
    { address: '/1?show=3', kind: 'answer', target_id: '3' },
    { address: '/1?show=4', kind: 'reply', target_id: '4' },
    { address: '/1?show=5', kind: 'reply', target_id: '5' },
    { address: '/questions/craft', kind: 'tag', target_id: expect.any(String) as string },
    { address: '/questions/craft/wood', kind: 'tag', target_id: expect.any(String) as string },
    { address: '/user/Ada Lovelace', kind: 'member', target_id: expect.any(String) as string },
    { address: '/user/böb', kind: 'member', target_id: expect.any(String) as string },
  ]);
});

it('reads rows that are longer than what is read at once, and a row per line, in bounded pieces', async () => {
  const community = await createTestCommunity();
  const long = Array.from({ length: 400 }, (_, index) =>
    post(1000 + index, 'Q', `${"Text \\'quoted\\' ö, (1), ".repeat(60)}end ${index}`, {
      title: `Long ${index}`,
    }),
  );
  const file = `1,'png',_binary '${"\xFF\\0\\'".repeat(300_000)}'`;
  const big = dump
    .replace("(9,'png'", `(${file}),\n(9,'png'`)
    .replace(`(${post(13, 'Q_QUEUED', 'Queued', { title: 'Queued' })})`, (row) =>
      [row, ...long.map((each) => `(${each})`)].join(',\n'),
    );
  const { out, err } = await convert(community, encode(big));
  expect(err).toBe('');
  expect(out).toContain('posts: 413 rows read, 407 converted');
});

it('takes the tables with another prefix', async () => {
  const community = await createTestCommunity();
  const other = encode(dump.replaceAll('`qa_', '`forum_'));
  const refused = await convert(community, other);
  expect(refused).toMatchObject({
    err: 'dump.sql has no rows of a table qa_posts of Question2Answer. Is "--prefix forum_" meant? Nothing was written.\n',
    code: 1,
  });
  expect(await convert(community, other, ['--prefix', 'forum_'])).toMatchObject({ err: '', code: 0 });
});

it.each<[string, Buffer]>([
  [
    'dump.sql, line LINE: the file ends in the rows of qa_posts: it is cut off',
    encode(dump.slice(0, dump.indexOf("'Use *nails*'"))),
  ],
  [
    'dump.sql, line LINE: the row of qa_posts has 2 fields, not 17',
    encode(dump.replace("VALUES (1,'Q'", `VALUES (1,'Q'),(1,'Q'`)),
  ],
  [
    'dump.sql, line LINE: the row of qa_posts is not UTF-8',
    encode(dump.replace('Use *nails*', 'Use n\xE4ils')),
  ],
  [
    'dump.sql, line LINE: qa_posts: the function sleep() is not known',
    encode(dump.replace("VALUES (1,'Q'", "VALUES (sleep(9),'Q'")),
  ],
  [
    'dump.sql, line LINE: the names of the columns of qa_posts are not in the dump. Make it with the structure of the tables',
    encode(dump.replace('CREATE TABLE `qa_posts`', 'create view `qa_posts`')),
  ],
  ['dump.sql: two topics have the number 1', encode(dump.replace("(8,'Q'", "(1,'Q'"))],
  [
    'dump.sql is not a dump of Question2Answer: invalid input syntax for type bigint: "x"',
    encode(dump.replace("(8,'Q'", "('x','Q'")),
  ],
  [
    'dump.sql is UTF-16. Let the dump program write the file itself, as mysqldump does with --result-file',
    Buffer.from(`\uFEFF${dump}`, 'utf16le'),
  ],
])('refuses a dump with: %s', async (problem, content) => {
  const community = await createTestCommunity();
  const { out, err, code, directory } = await convert(community, content);
  const line = dump.slice(0, dump.indexOf('INSERT INTO `qa_posts`')).split('\n').length;
  expect({ out, err, code }).toEqual({
    out: '',
    err: `${problem.replace('LINE', String(line))}. Nothing was written.\n`,
    code: 1,
  });
  expect(await readdir(path.dirname(directory))).not.toContain('lines');
});

it.each([
  ['', '<b>\n\nx', '&lt;b&gt;\n<p>x', 'html'],
  ['markdown', '*a*', '*a*', 'markdown'],
  ['html', `<a href="/?qa=blob&amp;x=1">a</a>`, `<a href="${site}/?qa=blob&amp;x=1">a</a>`, 'html'],
  ['html', `<img src='../?qa=blob&qa_blobid=7'>`, `<img src='pictures/7.png'>`, 'html'],
  [
    'html',
    `<img src="http://qa.example.org/?qa=blob&amp;qa_blobid=7">`,
    '<img src="pictures/7.png">',
    'html',
  ],
  ['html', `<img src="./?qa=blob&qa_blobid=8">`, `<img src="${site}/?qa=blob&qa_blobid=8">`, 'html'],
  [
    'html',
    `<img src="https://other.example.org/?qa=blob&qa_blobid=7">`,
    `<img src="https://other.example.org/?qa=blob&qa_blobid=7">`,
    'html',
  ],
  ['markdown', `![x](${site}/?qa=blob&qa_blobid=7 "t")`, '![x](pictures/7.png "t")', 'markdown'],
])('converts a text of the format %j', (format, content, converted, to) => {
  const showPicture = (id: string) => (id === '7' ? '7.png' : undefined);
  expect(convertQuestion2AnswerText({ content, format }, { site, showPicture })).toEqual({
    content: converted,
    format: to,
  });
});

it('writes the pictures that texts show, and the import shows them', async () => {
  const community = await createTestCommunity();
  const [png, other] = [createPngPicture({ width: 40 }), createPngPicture({ width: 30 })].map((bytes) =>
    Buffer.from(bytes),
  );
  const escapes = { '\0': '0', '\n': 'n', '\r': 'r', '\u001A': 'Z', "'": "'", '"': '"', '\\': '\\' };
  const escaped = Array.from(png?.toString('latin1') ?? '', (sign) =>
    sign in escapes ? `\\${escapes[sign as keyof typeof escapes]}` : sign,
  ).join('');
  const rows = [
    `21,'png',_binary 'PICTURE',1`,
    `22,'png',0x${other?.toString('hex')},99`,
    `23,'jpg',NULL,1`,
    `24,'pdf',_binary '%PDF',1`,
    `25,'png',0x${other?.toString('hex')},1`,
    `26,'png',_binary '<html>',1`,
  ];
  const image = (id: number) => `<p><img src="./?qa=blob&amp;qa_blobid=${id}"></p>`;
  const text = [21, 22, 23, 24, 26].map(image).join('') + image(21);
  const [before = '', after = ''] = dump
    .replace(/-- Table structure for table `qa_blobs`[\s\S]*?UNLOCK TABLES;/u, () =>
      table('qa_blobs', ['blobid', 'format', 'content', 'userid'], rows),
    )
    .replace('<p>With <strong>glue</strong>. <img src="./?qa=blob&amp;qa_blobid=9"></p>', text)
    .split('PICTURE');
  const content = Buffer.concat([encode(before), Buffer.from(escaped, 'latin1'), encode(after)]);
  const { out, err, directory } = await convert(community, content);
  expect(err).toBe('');
  expect(out).toContain(`blobs: 6 rows read, 2 converted
  2 left out: no pictures, or larger than 10 MB
  1 left out: in files of the site
  1 left out: not shown in texts
`);
  expect(out).toContain('redirects 26, pictures 2.');
  expect(await readdir(path.join(directory, 'pictures'))).toEqual(['21.png', '22.png']);
  expect(await readFile(path.join(directory, 'pictures/21.png'))).toEqual(png);
  await importJsonLines({ directory, client: community.client, site });
  const shown = await community.rows('select content from answer where id = 2');
  const address = String.raw`\(/uploads/([\w-]{22})/`;
  const [, first, second, third] =
    new RegExp(
      `^!\\[\\]${address}40x3.webp\\)\\s+!\\[\\]${address}30x3.webp\\)[^]*qa_blobid=23[^]*qa_blobid=24[^]*\\(${site}/[^)]*qa_blobid=26\\)[^]*${address}40x3.webp\\)$`,
      'u',
    ).exec(String(shown[0]?.['content'])) ?? [];
  expect([first === undefined, first]).toEqual([false, third]);
  expect(
    await community.rows(`
      select name, display_name as author from upload left join member on member.id = member_id
      where exists (select from upload_reference where upload_id = upload.id and answer_id = 2) order by width desc`),
  ).toEqual([
    { name: first, author: 'Ada Lovelace' },
    { name: second, author: null },
  ]);
});
