import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import { databaseFromClient } from '#server/core/database.ts';
import { findViolations } from '#server/operations/integrity-check.ts';
import { runConvert } from '#tests/support/export-and-convert.ts';
import {
  createTestCommunity,
  setupTestDatabase,
  type TestCommunity,
} from '#tests/support/stack-exchange-archive.ts';
import { convertApacheAnswerText } from './convert-apache-answer.ts';
import { importJsonLines } from './jsonl-import.ts';

setupTestDatabase();

const site = 'https://ask.example.org';

type Value = string | number | null;
type Row = Record<string, Value>;

/** Ids have the kind of the object. */
const id = (kind: 'question' | 'answer' | 'tag' | 'comment', number: number) =>
  `1${String({ question: 1, answer: 2, tag: 3, comment: 7 }[kind]).padStart(3, '0')}${String(number).padStart(13, '0')}`;
const at = (minute: number) => `2023-05-01 10:${String(minute).padStart(2, '0')}:00`;

const question = (number: number, title: string, more: Row = {}): Row => ({
  id: id('question', number),
  created_at: at(number),
  updated_at: at(59),
  user_id: 2,
  last_edit_user_id: 0,
  title,
  original_text: 'Text',
  parsed_text: '<p>Text</p>',
  show: 1,
  status: 1,
  view_count: 5,
  accepted_answer_id: 0,
  ...more,
});
const answer = (number: number, to: number, text: string, more: Row = {}): Row => ({
  id: id('answer', number),
  created_at: at(number),
  updated_at: at(58),
  question_id: id('question', to),
  user_id: 3,
  last_edit_user_id: 0,
  original_text: text,
  status: 1,
  ...more,
});
const comment = (number: number, to: string, text: string, more: Row = {}): Row => ({
  id: id('comment', number),
  created_at: at(number),
  user_id: 2,
  reply_comment_id: null,
  object_id: to,
  question_id: id('question', 11),
  original_text: text,
  status: 1,
  ...more,
});
const member = (number: number, username: string, more: Row = {}): Row => ({
  id: number,
  created_at: at(0),
  username,
  pass: '$2a$10$x',
  e_mail: `${username}@example.org`,
  display_name: '',
  status: 1,
  bio: '',
  website: '',
  location: '',
  ...more,
});
const vote = (type: number, user: number, object: string, more: Row = {}): Row => ({
  user_id: user,
  object_id: object,
  activity_type: type,
  cancelled: 0,
  created_at: at(30),
  ...more,
});

const text = "It's C:\\oak\\.\n\nHow? \u00fcber ![p](/uploads/post/a.png)";

const tables: Record<string, Row[]> = {
  activity: [
    vote(28, 3, id('question', 11)),
    vote(3, 2, id('question', 11)),
    vote(27, 1, id('answer', 12), { activity_type: 47 }),
    vote(25, 3, id('comment', 13)),
    vote(30, 2, id('answer', 12), { cancelled: 1 }),
    vote(30, 2, id('answer', 17)),
    vote(99, 2, '0'),
  ],
  answer: [
    answer(12, 11, 'With *glue*.', { last_edit_user_id: 3 }),
    answer(16, 11, 'Nails', { user_id: 4 }),
    answer(17, 11, 'Gone', { status: 10 }),
  ],
  comment: [
    comment(13, id('answer', 12), 'Thanks'),
    comment(14, id('answer', 12), 'Welcome', { user_id: 3, reply_comment_id: id('comment', 13) }),
    comment(15, id('question', 11), 'Which oak?', { user_id: 3 }),
    comment(18, id('question', 11), 'Red', { reply_comment_id: id('comment', 15) }),
    comment(19, id('answer', 17), 'On a deleted answer'),
    comment(21, id('answer', 12), 'Deleted', { status: 10 }),
    comment(22, id('answer', 12), 'To a deleted one', { reply_comment_id: id('comment', 21) }),
  ],
  config: [
    { id: 3, key: 'question.voted_up', value: '10' },
    { id: 25, key: 'comment.vote_up', value: '0' },
    { id: 28, key: 'question.vote_up', value: '0' },
    { id: 30, key: 'answer.vote_up', value: '0' },
    { id: 47, key: 'answer.vote_down', value: '-1' },
    { id: 99, key: 'user.activated', value: '1' },
  ],
  meta: [
    {
      id: 1,
      object_id: id('question', 20),
      key: 'question.close.reason',
      value: '{"close_type":1,"close_msg":"Not about\\nwood"}',
    },
  ],
  question: [
    question(11, 'How do I glue oak?', { original_text: text, accepted_answer_id: id('answer', 12) }),
    question(20, 'Closed', { status: 2, user_id: 9 }),
    question(23, 'Deleted', { status: 10 }),
    question(24, 'Pending', { status: 11 }),
    question(25, 'Unlisted', { show: 2 }),
  ],
  tag: [
    {
      id: id('tag', 1),
      slug_name: 'glue',
      display_name: 'Glue',
      main_tag_id: 0,
      original_text: 'Sticky\nstuff',
      status: 1,
    },
    {
      id: id('tag', 2),
      slug_name: 'paste',
      display_name: 'paste',
      main_tag_id: id('tag', 1),
      original_text: '',
      status: 1,
    },
    {
      id: id('tag', 3),
      slug_name: 'wood',
      display_name: 'wood',
      main_tag_id: 0,
      original_text: '',
      status: 1,
    },
  ],
  tag_rel: [
    { id: 1, object_id: id('question', 11), tag_id: id('tag', 3), status: 1 },
    { id: 2, object_id: id('question', 11), tag_id: id('tag', 2), status: 1 },
    { id: 3, object_id: id('question', 11), tag_id: id('tag', 1), status: 10 },
  ],
  user: [
    member(1, 'admin'),
    member(2, 'ada', {
      display_name: 'Ada L.',
      bio: 'I *glue*.',
      website: 'https://ada.example.org/',
      location: 'Bern',
    }),
    member(3, 'ben'),
    member(4, 'gone', { status: 10 }),
  ],
  version: [{ id: 1, version_number: 30 }],
};

const quote = (value: Value) =>
  typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value ?? 'NULL');

/** The same tables in the forms that admins can make. */
const dumps: Record<string, (each: Record<string, Row[]>) => string> = {
  mysqldump: (each) =>
    render(each, '-- MySQL dump 10.13\n', (name, columns, rows) => {
      const escape = (value: Value) =>
        typeof value === 'string'
          ? `'${value
              .replaceAll('\\', '\\\\')
              .replaceAll("'", String.raw`\'`)
              .replaceAll('\n', String.raw`\n`)}'`
          : String(value ?? 'NULL');
      return (
        `CREATE TABLE \`${name}\` (\n${columns.map((column) => `  \`${column}\` text`).join(',\n')},\n  PRIMARY KEY (\`id\`)\n) ENGINE=InnoDB;\n` +
        `INSERT INTO \`${name}\` VALUES ${rows.map((row) => `(${row.map(escape).join(',')})`).join(',')};\n`
      );
    }),
  pg_dump: (each) =>
    render(each, '--\n-- PostgreSQL database dump\n--\n\n', (name, columns, rows) => {
      const escape = (value: Value) =>
        value === null
          ? String.raw`\N`
          : String(value)
              .replaceAll('\\', '\\\\')
              .replaceAll('\n', String.raw`\n`);
      return `COPY public.${name === 'user' ? '"user"' : name} (${columns.join(', ')}) FROM stdin;\n${rows.map((row) => `${row.map(escape).join('\t')}\n`).join('')}\\.\n\n`;
    }),
  'sqlite3 .dump': (each) =>
    render(each, 'PRAGMA foreign_keys=OFF;\nBEGIN TRANSACTION;\n', (name, columns, rows) => {
      const escape = (value: Value) =>
        typeof value === 'string' && value.includes('\n')
          ? `replace(${quote(value.replaceAll('\n', String.raw`\n`))},'\\n',char(10))`
          : quote(value);
      return (
        `CREATE TABLE IF NOT EXISTS \`${name}\` (${columns.map((column) => `\`${column}\` TEXT`).join(', ')});\n` +
        rows.map((row) => `INSERT INTO ${name} VALUES(${row.map(escape).join(',')});\n`).join('')
      );
    }),
  'answer dump': (each) =>
    render(
      each,
      '/*Generated by xorm 2023-06-01 10:00:00, from sqlite3 to mysql*/\n\n',
      (name, columns, rows) =>
        rows
          .map(
            (row) =>
              `INSERT INTO \`${name}\` (${columns.map((column) => `\`${column}\``).join(', ')}) VALUES (${row.map(quote).join(',')});\n`,
          )
          .join(''),
    ),
};

function render(
  each: Record<string, Row[]>,
  start: string,
  toText: (name: string, columns: string[], rows: Value[][]) => string,
): string {
  const parts = Object.entries(each).map(([name, rows]) =>
    toText(
      name,
      Object.keys(rows[0] ?? {}),
      rows.map((row) => Object.values(row)),
    ),
  );
  return start + parts.join('\n');
}

const convert = (community: TestCommunity, content: string) =>
  runConvert(community.client, {
    source: 'apache-answer',
    files: { 'dump.sql': content },
    input: 'dump.sql',
    args: ['--site', site],
  });

const author = '(select display_name from member where id = author_id) as author';

it.each(Object.entries(dumps))(
  'converts a dump of %s, and the import shows its posts and votes',
  async (_, dump) => {
    const community = await createTestCommunity();
    const { out, err, directory } = await convert(community, dump(tables));
    expect(err).toBe('');
    expect(out.replace(directory, 'DIRECTORY')).toBe(`user: 4 rows read, 3 converted
  1 left out: deleted
tag: 3 rows read, 2 converted
  1 left out: synonyms
question: 5 rows read, 2 converted
  1 left out: deleted
  1 left out: unlisted
  1 left out: waiting for review
answer: 3 rows read, 2 converted
  1 left out: deleted
comment: 7 rows read, 5 converted
  1 left out: deleted
  1 left out: on answers that are left out
activity (votes): 5 rows read, 3 converted
  1 left out: on posts that are left out
  1 left out: taken back
Note: 1 other tables of the dump were not read.
Written: members 3, tags 2, questions 2, answers 2, replies 5, votes 3, redirects 18.
Import the files with: parley import jsonl DIRECTORY --site ${site} --license NAME
`);
    await importJsonLines({ directory, client: community.client, site });
    expect(await findViolations(databaseFromClient(community.client))).toEqual([]);
    expect(
      await community.rows(
        `select id, title, content, views, tag_text, lock_reason, accepted_answer_id, upvotes, created_at, ${author} from question order by id`,
      ),
    ).toEqual([
      {
        id: '11',
        title: 'How do I glue oak?',
        content: text.replace('/uploads', `${site}/uploads`),
        views: '5',
        tag_text: 'wood, Glue',
        lock_reason: null,
        accepted_answer_id: '12',
        upvotes: '1',
        created_at: new Date('2023-05-01T10:11:00Z'),
        author: 'Ada L.',
      },
      expect.objectContaining({
        id: '20',
        lock_reason: 'Closed on ask.example.org: Not about wood',
        author: null,
      }),
    ]);
    expect(
      await community.rows(`select id, content, downvotes, edited_at, ${author} from answer order by id`),
    ).toEqual([
      {
        id: '12',
        content: 'With *glue*.',
        downvotes: '1',
        edited_at: new Date('2023-05-01T10:58:00Z'),
        author: 'ben',
      },
      { id: '16', content: 'Nails', downvotes: '0', edited_at: null, author: null },
    ]);
    expect(
      await community.rows(
        `select id, answer_id, parent_reply_id, content, upvotes, ${author} from reply order by id`,
      ),
    ).toEqual([
      { id: '13', answer_id: '12', parent_reply_id: null, content: 'Thanks', upvotes: '1', author: 'Ada L.' },
      { id: '14', answer_id: '12', parent_reply_id: '13', content: 'Welcome', upvotes: '0', author: 'ben' },
      {
        id: '15',
        answer_id: null,
        parent_reply_id: null,
        content: 'Which oak?',
        upvotes: '0',
        author: 'ben',
      },
      { id: '18', answer_id: null, parent_reply_id: '15', content: 'Red', upvotes: '0', author: 'Ada L.' },
      {
        id: '22',
        answer_id: '12',
        parent_reply_id: null,
        content: 'To a deleted one',
        upvotes: '0',
        author: 'Ada L.',
      },
    ]);
    expect(
      await community.rows(
        `select display_name, bio, location, website, email from member where display_name ~ 'Ada'`,
      ),
    ).toEqual([
      {
        display_name: 'Ada L.',
        bio: 'I *glue*.',
        location: 'Bern',
        website: 'https://ada.example.org/',
        email: 'ada@example.org',
      },
    ]);
    expect(
      await community.rows(
        `select replace(address, '/questions/${id('question', 11)}', '') as rest, kind, target_id from imported_redirect
       where address ~ '${id('question', 11)}' order by kind, target_id, address collate "C"`,
      ),
    ).toEqual([
      { rest: `/${id('answer', 12)}`, kind: 'answer', target_id: '12' },
      { rest: `/how-do-i-glue-oak/${id('answer', 12)}`, kind: 'answer', target_id: '12' },
      { rest: `/${id('answer', 16)}`, kind: 'answer', target_id: '16' },
      { rest: `/how-do-i-glue-oak/${id('answer', 16)}`, kind: 'answer', target_id: '16' },
      { rest: '', kind: 'question', target_id: '11' },
      { rest: '/*', kind: 'question', target_id: '11' },
      { rest: `/${id('answer', 12)}?commentId=${id('comment', 13)}`, kind: 'reply', target_id: '13' },
      { rest: `/${id('answer', 12)}?commentId=${id('comment', 14)}`, kind: 'reply', target_id: '14' },
      { rest: `?commentId=${id('comment', 15)}`, kind: 'reply', target_id: '15' },
      { rest: `?commentId=${id('comment', 18)}`, kind: 'reply', target_id: '18' },
      { rest: `/${id('answer', 12)}?commentId=${id('comment', 22)}`, kind: 'reply', target_id: '22' },
    ]);
  },
);

it.each<[string, Record<string, Row[]>]>([
  ['dump.sql is not a dump of Apache Answer: it has no rows of a table config', { ...tables, config: [] }],
  [
    'dump.sql is not a dump of Apache Answer: a row of question has the id 11, not one such as 10010000000000012',
    { ...tables, question: [question(11, 'Title', { id: '11' })] },
  ],
  [
    'dump.sql is not a dump of Apache Answer: invalid input syntax for type timestamp with time zone: "long ago"',
    { ...tables, question: [question(11, 'Title', { created_at: 'long ago' })] },
  ],
  ['dump.sql: two posts have the number 12', { ...tables, question: [question(12, 'Title')] }],
])('refuses a dump with: %s', async (problem, each) => {
  const community = await createTestCommunity();
  const { out, err, code, directory } = await convert(community, dumps['answer dump']?.(each) ?? '');
  expect({ out, err, code }).toEqual({ out: '', err: `${problem}. Nothing was written.\n`, code: 1 });
  expect(await readdir(path.dirname(directory))).not.toContain('lines');
});

it('gives uploads without a host the address of the site', () => {
  expect(convertApacheAnswerText('![](/uploads/a.png) [x](</uploads/b c>) /uploads', site)).toBe(
    `![](${site}/uploads/a.png) [x](<${site}/uploads/b c>) /uploads`,
  );
});
