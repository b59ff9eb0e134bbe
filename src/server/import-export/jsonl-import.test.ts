import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import sharp from 'sharp';
import { expect, it, onTestFinished } from 'vitest';
import { databaseFromClient } from '#server/core/database.ts';
import { findViolations } from '#server/operations/integrity-check.ts';
import {
  answerRow,
  commentRow,
  createTestCommunity,
  questionRow,
  setupTestDatabase,
  type TestCommunity,
  userRow,
  versionRow,
  voteRow,
  writeArchive,
} from '#tests/support/stack-exchange-archive.ts';
import { writeJsonLines } from '#tests/support/json-lines.ts';
import { exportCommunity } from './export.ts';
import { undoImport } from './import-undo.ts';
import { importJsonLines, type LineImportOptions } from './jsonl-import.ts';

setupTestDatabase();

const origin = 'https://ask.example.org';
const pictureName = 'aaaaaaaaaaaaaaaaaaaaaa';
const avatarName = 'bbbbbbbbbbbbbbbbbbbbbb';

async function newDirectory(): Promise<string> {
  const parent = await mkdtemp(path.join(os.tmpdir(), 'parley-jsonl-'));
  onTestFinished(() => rm(parent, { recursive: true, force: true }));
  return path.join(parent, 'files');
}

async function exportTo(community: TestCommunity, withPrivateData: boolean): Promise<string> {
  const directory = await newDirectory();
  await exportCommunity({
    directory,
    client: community.client,
    format: 'jsonl',
    withPrivateData,
    license: 'CC BY-SA 4.0',
    origin,
  });
  return directory;
}

const importFrom = (community: TestCommunity, directory: string, options: Partial<LineImportOptions> = {}) =>
  importJsonLines({ directory, client: community.client, ...options });

const importByHand = (
  community: TestCommunity,
  directory: string,
  options: Partial<LineImportOptions> = {},
) =>
  importFrom(community, directory, { site: 'https://forum.example.org', license: 'CC BY 4.0', ...options });

async function readRows(directory: string, kind: string): Promise<Record<string, unknown>[]> {
  const text = await readFile(path.join(directory, `${kind}.jsonl`), 'utf8');
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

async function expectCountsToEqualRows(community: TestCommunity): Promise<void> {
  expect(await findViolations(databaseFromClient(community.client))).toEqual([]);
}

/** A community with everything that an export has: imported and own posts, nested replies, votes of members, versions. */
async function createCommunity(): Promise<TestCommunity> {
  const community = await createTestCommunity();
  await community.import(
    await writeArchive({
      Users: [userRow(1), userRow(2, { AboutMe: '<p>I <em>brew</em>.</p>' })],
      Posts: [
        questionRow(1, { Tags: '|beer|c++|', AcceptedAnswerId: 2 }),
        answerRow(2, 1),
        questionRow(3, { Title: 'Duplicate', Tags: '|beer|' }),
      ],
      Comments: [commentRow(1, 1), commentRow(2, 2)],
      Votes: [voteRow(1, 1, 2), voteRow(2, 2, 3), voteRow(3, 2, 2)],
    }),
  );
  const file = await sharp({ create: { width: 40, height: 30, channels: 3, background: 'red' } })
    .webp()
    .toBuffer();
  const avatar = await sharp({ create: { width: 256, height: 256, channels: 3, background: 'blue' } })
    .webp()
    .toBuffer();
  await community.rows(`
    insert into member (display_name, email, bio, role) values
      ('Ada', 'ada@example.org', 'I *brew*.', 'moderator'), ('Ben', 'ben@example.org', null, 'member');
    insert into tag (name, key, description, about) values ('CSS', 'css', 'Style  sheets', 'All of **CSS**.');
    insert into tag (name, key, synonym_of) select 'stylesheet', 'stylesheet', id from tag where key = 'css';
    insert into question (author_id, title, content, excerpt, excerpt_cut, views, imported_views, created_at, active_at, tag_text)
      select id, 'Own question', E'See [that](/question/' || (select min(id) from question) || ') and ![it](/uploads/${pictureName}/40x30.webp)\n',
        'See that', false, 3, 3, '2026-01-01T10:00:00.123Z', '2026-01-02T10:00:00Z', 'CSS'
      from member where display_name = 'Ada';
    insert into question_tag (question_id, tag_id, position, question_created_at)
      select question.id, tag.id, 0, question.created_at from question, tag where title = 'Own question' and key = 'css';
    insert into answer (question_id, author_id, content, created_at, edited_at)
      select question.id, member.id, E'Tab\\there, \\\\ backslash and 👩‍👩‍👧‍👦', '2026-01-02T10:00:00Z', '2026-01-03T10:00:00Z'
      from question, member where title = 'Own question' and display_name = 'Ben';
    insert into revision (answer_id, number, content, created_at, replaced_at)
      select id, 1, 'Before.', created_at, edited_at from answer where edited_at is not null;
    insert into reply (question_id, answer_id, level, author_id, content, deleted_at, created_at, updated_at)
      select question_id, answer.id, 0, member.id, '', '2026-01-04T10:00:00Z', '2026-01-03T10:00:00Z', '2026-01-03T10:00:00Z'
      from answer, member where edited_at is not null and display_name = 'Ben';
    insert into reply (question_id, answer_id, parent_reply_id, level, author_id, content, created_at, updated_at)
      select question_id, answer_id, id, 1, author_id, 'Below a deleted reply', '2026-01-05T10:00:00Z', '2026-01-05T10:00:00Z'
      from reply where deleted_at is not null;
    insert into vote (member_id, answer_id, direction, created_at)
      select member.id, answer.id, 'up', '2026-01-05T10:00:00.5Z' from member, answer where display_name = 'Ada';
    insert into vote (member_id, question_id, direction, created_at)
      select author_id, id, 'up', '2026-01-07T10:00:00.5Z' from question where title = 'Own question';
    insert into vote (member_id, question_id, direction, created_at)
      select member.id, question.id, 'down', '2026-01-06T10:00:00.5Z' from member, question
      where display_name = 'Ben' and title = 'Own question';
    update answer set upvotes = upvotes + 1;
    update question set upvotes = upvotes + 1, downvotes = downvotes + 1, lock_reason = 'Settled.' where title = 'Own question';
    update question set duplicate_of = (select min(id) from question) where title = 'Duplicate';
    insert into question_follow (question_id, member_id, question_created_at)
      select question.id, member.id, question.created_at from question, member where display_name = 'Ben';
    insert into tag_follow (tag_id, member_id) select tag.id, member.id from tag, member where key = 'css' and display_name = 'Ada';
    insert into bookmark (member_id, question_id, answer_id, note)
      select member.id, question_id, answer.id, 'Read it' from member, answer where display_name = 'Ada' and edited_at is not null;`);
  await community.client.query(
    `with stored as (
       insert into upload (name, member_id, kind, content_hash, width, height, bytes)
       select name, id, kind, sha256(name::bytea), width, height, 100
       from member, (values ($1, 'picture', 40, 30), ($3, 'avatar', 256, 256)) file (name, kind, width, height)
       where display_name = 'Ada' returning *),
     files as (
       insert into upload_file select id, width, height, case kind when 'avatar' then $4::bytea else $2::bytea end from stored
       union all select id, 64, 64, $4::bytea from stored where kind = 'avatar'),
     shown as (update member set avatar = $3 where display_name = 'Ada')
     insert into upload_reference (upload_id, question_id)
     select stored.id, question.id from stored, question where kind = 'picture' and title = 'Own question'`,
    [pictureName, file, avatarName, avatar],
  );
  return community;
}

/** All rows of an export without what must differ: ids of members, what only roles and unsorted files show. */
async function comparable(directory: string): Promise<Record<string, unknown>> {
  const members = new Map((await readRows(directory, 'members')).map(({ id, name }) => [id, name]));
  const state: Record<string, unknown> = {};
  for (const file of (await readdir(directory)).filter((each) => each.endsWith('.jsonl')).toSorted()) {
    const rows = await readRows(directory, file.replace('.jsonl', ''));
    state[file] = rows
      .map(({ authorId, memberId, ...row }) => ({
        ...row,
        role: undefined,
        ...(authorId !== undefined && { author: members.get(authorId) }),
        ...(memberId !== undefined && { member: members.get(memberId) }),
        ...(['members.jsonl', 'tags.jsonl'].includes(file) && { id: 0 }),
        ...(file === 'members.jsonl' && { emailVerified: undefined }),
      }))
      .map((row) => JSON.stringify(row))
      .toSorted();
  }
  return state;
}

it('reads an export with private data back: all rows, texts, times and ids of posts are equal', async () => {
  const before = await exportTo(await createCommunity(), true);
  const other = await createTestCommunity();
  const summary = await importFrom(other, before);
  expect(summary).toMatchObject({
    isMove: true,
    added: {
      questions: 3,
      answers: 2,
      replies: 4,
      votes: 4,
      revisions: 1,
      bookmarks: 1,
      follows: 4,
      pictures: 2,
    },
  });
  await expectCountsToEqualRows(other);
  const after = await exportTo(other, true);
  expect(await comparable(after)).toEqual(await comparable(before));
  expect(await readdir(path.join(after, 'pictures', avatarName))).toEqual(['256x256.webp', '64x64.webp']);
  expect(await readdir(path.join(after, 'pictures', pictureName))).toEqual(['40x30.webp']);
  // No member gets a password, a confirmed address or a role.
  expect(
    await other.rows(`
      select display_name, email, email_verified, role, (select count(*)::int from account) as passwords
      from member where email is not null order by display_name`),
  ).toEqual([
    { display_name: 'Ada', email: 'ada@example.org', email_verified: false, role: 'member', passwords: 0 },
    { display_name: 'Ben', email: 'ben@example.org', email_verified: false, role: 'member', passwords: 0 },
  ]);
});

it('reads an export without private data back: all rows are equal, but votes have become numbers', async () => {
  const before = await exportTo(await createCommunity(), false);
  const other = await createTestCommunity();
  await importFrom(other, before);
  await expectCountsToEqualRows(other);
  const after = await exportTo(other, false);
  const withoutVotes = async (directory: string) => {
    const { 'votes.jsonl': _, ...state } = await comparable(directory);
    return JSON.parse(
      JSON.stringify(state).replaceAll(/,\\"imported(?:Up|Down)votes\\":\d+/gu, ''),
    ) as unknown;
  };
  expect(await withoutVotes(after)).toEqual(await withoutVotes(before));
  expect(await readRows(after, 'votes')).toEqual([]);
  expect(await other.rows('select email from member where email is not null')).toEqual([]);
  // The next question of a member gets a higher id.
  const [{ next } = {}] = await other.rows(
    `select nextval(pg_get_serial_sequence('base_question', 'id')) > max(id) as next from question`,
  );
  expect(next).toBe(true);
});

it('adds nothing when it runs again, and only new rows of a newer export', async () => {
  const directory = await exportTo(await createCommunity(), true);
  const other = await createTestCommunity();
  await importFrom(other, directory);
  const before = await other.everything();
  const again = await importFrom(other, directory);
  expect(again).toMatchObject({ isUnchanged: true, isMove: false });
  for (const file of again.files)
    expect({ file: file.file, imported: file.imported }).toEqual({ file: file.file, imported: 0 });
  expect(await other.everything()).toEqual(before);

  const newer = path.join(await newDirectory(), 'newer');
  await cp(directory, newer, { recursive: true });
  const [first] = await readRows(newer, 'questions');
  await writeFile(
    path.join(newer, 'answers.jsonl'),
    `${await readFile(path.join(newer, 'answers.jsonl'), 'utf8')}${JSON.stringify({ id: 900_000, questionId: first?.['id'], content: 'A newer answer' })}\n`,
  );
  expect(await importFrom(other, newer)).toMatchObject({ added: { questions: 0, answers: 1, members: 0 } });
  expect(
    await other.rows(`select imported_author_name, source_id from answer where content = 'A newer answer'`),
  ).toEqual([{ imported_author_name: 'Former member', source_id: null }]);
  await expectCountsToEqualRows(other);
});

it('gives the posts new ids and a source in a community that has posts, and rewrites links between them', async () => {
  const directory = await exportTo(await createCommunity(), true);
  const other = await createTestCommunity();
  const own = await writeJsonLines({ questions: [{ id: 1, title: 'Here', content: 'Text' }] });
  await importFrom(other, own, { site: 'old.example.org' });
  await other.rows(`insert into member (display_name, email) values ('Ada here', 'ada@example.org')`);
  expect(await importFrom(other, directory)).toMatchObject({ isMove: false, added: { questions: 3 } });
  const [question] = await other.rows(`
    select content, site, source_key, source_license, (select min(id) from question where title <> 'Here') as linked
    from question join import_source on import_source.id = source_id where title = 'Own question'`);
  const exported = (await readRows(directory, 'questions')).find(({ title }) => title === 'Own question');
  expect(question).toMatchObject({
    site: 'ask.example.org',
    source_key: `question/${String(exported?.['id'])}`,
    source_license: 'CC BY-SA 4.0',
  });
  expect(question?.['content']).toContain(`[that](/question/${String(question?.['linked'])})`);
  // Posts that had a source keep it; an address that an account here has stays with it.
  expect(
    await other.rows(
      `select site from question join import_source on import_source.id = source_id where title = 'Title of 1'`,
    ),
  ).toEqual([{ site: 'beer.stackexchange.com' }]);
  expect(await other.rows(`select display_name from member where email = 'ada@example.org'`)).toEqual([
    { display_name: 'Ada here' },
  ]);
  await expectCountsToEqualRows(other);
});

it('reads files that were written by hand: only questions are required', async () => {
  const community = await createTestCommunity();
  const directory = await writeJsonLines({
    questions: [
      {
        id: 7,
        title: 'How do I centre a div?',
        content: '<p>With <b>CSS</b>, see <a href="/t/8">that</a> <img src="pictures/cat.png" alt="cat"></p>',
        format: 'html',
        authorName: 'Cat',
        tags: ['css', ' CSS ', '#html'],
        createdAt: '2020-01-01T10:00:00',
      },
    ],
    pictures: [{ name: 'cat.png' }],
    votes: [
      { post: 'question', postId: 7, vote: 'up' },
      { post: 'question', postId: 7, vote: 'up' },
    ],
  });
  await mkdir(path.join(directory, 'pictures'));
  await writeFile(
    path.join(directory, 'pictures/cat.png'),
    await sharp({ create: { width: 20, height: 10, channels: 3, background: 'red' } })
      .png()
      .toBuffer(),
  );
  await importByHand(community, directory);
  const [question] = await community.rows(
    'select id, title, content, imported_author_name, tag_text, upvotes, created_at, source_id from question',
  );
  expect(question).toMatchObject({
    id: '7',
    imported_author_name: 'Cat',
    tag_text: 'css, html',
    upvotes: '2',
    created_at: new Date('2020-01-01T10:00:00Z'),
    source_id: null,
  });
  expect(question?.['content']).toMatch(
    /^With \*\*CSS\*\*, see \[that\]\(https:\/\/forum\.example\.org\/t\/8\) !\[cat\]\(\/uploads\/[\w-]{22}\/20x10\.webp\)$/u,
  );
  expect(
    await community.rows('select width from upload_file join upload_reference using (upload_id)'),
  ).toEqual([{ width: 20 }]);
  await expectCountsToEqualRows(community);
});

it('stores equal pictures of a member once, and shows them also in posts of a later import', async () => {
  const community = await createTestCommunity();
  const picture = await sharp({ create: { width: 20, height: 10, channels: 3, background: 'red' } })
    .png()
    .toBuffer();
  const names = ['a.png', 'b.png', 'of-ben.png', 'of-no-one.png', 'not-shown.png', 'ada.png', 'ben.png'];
  const write = async (count: number) => {
    const directory = await writeJsonLines({
      members: [
        { id: 1, name: 'Ada', avatar: 'ada.png' },
        { id: 2, name: 'Ben', avatar: 'ben.png' },
      ],
      pictures: names.map((name) => ({
        name,
        ...(/^[ab]\./u.test(name) && { memberId: 1 }),
        ...(name === 'of-ben.png' && { memberId: 2 }),
      })),
      questions: Array.from({ length: count }, (_, index) => ({
        id: index + 1,
        title: 'T',
        content: names
          .slice(0, 4)
          .map((name) => `![](pictures/${name})`)
          .join(' '),
      })),
    });
    await mkdir(path.join(directory, 'pictures'));
    for (const name of names) await writeFile(path.join(directory, 'pictures', name), picture);
    return directory;
  };
  const expectShown = async (questions: number) => {
    // Of 'a' and 'b', 'of-ben', and 'of-no-one'.
    expect(
      await community.rows(`
        select display_name, count(distinct upload.id)::int as pictures, count(upload_reference)::int as shown
        from upload left join member on member.id = member_id left join upload_reference on upload_id = upload.id
        where kind = 'picture' group by 1 order by 1`),
    ).toEqual(['Ada', 'Ben', null].map((name) => ({ display_name: name, pictures: 1, shown: questions })));
    expect(
      await community.rows(`
        select count(*)::int as links, count(upload.id)::int as stored from question
        cross join regexp_matches(content, '/uploads/([^/]+)/20x10.webp', 'g') link (names)
        left join upload on name = names[1]`),
    ).toEqual([{ links: 4 * questions, stored: 4 * questions }]);
  };
  const { files } = await importByHand(community, await write(1));
  expect(files.find(({ file }) => file === 'pictures.jsonl')).toMatchObject({
    imported: 5,
    skipped: [{ reason: 'the same file as another picture', rows: 2 }],
  });
  await expectShown(1);
  expect((await community.rows('select distinct avatar from member where avatar is not null')).length).toBe(
    2,
  );
  expect(await importByHand(community, await write(1))).toMatchObject({ isUnchanged: true });
  expect(await importByHand(community, await write(2))).toMatchObject({
    added: { questions: 1, pictures: 0 },
  });
  await expectShown(2);
});

it('leaves out pictures that are missing in an export, and those of a member who has the same file here', async () => {
  const directory = await exportTo(await createCommunity(), true);
  await rm(path.join(directory, 'pictures', avatarName), { recursive: true });
  // Two files whose pixels were equal.
  const twin = 'cccccccccccccccccccccc';
  await cp(path.join(directory, 'pictures', pictureName), path.join(directory, 'pictures', twin), {
    recursive: true,
  });
  const pictures = await readRows(directory, 'pictures');
  const shown = pictures.find(({ name }) => name === pictureName);
  const questions = await readRows(directory, 'questions');
  const lines = (rows: object[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join('');
  await writeFile(
    path.join(directory, 'pictures.jsonl'),
    lines([...pictures, { ...shown, name: twin }, { ...shown, name: twin }]),
  );
  await writeFile(
    path.join(directory, 'questions.jsonl'),
    lines([...questions, { id: 9000, title: 'Twin', content: `![](/uploads/${twin}/40x30.webp)` }]),
  );
  const other = await createTestCommunity();
  const { files } = await importFrom(other, directory);
  expect(files.find(({ file: name }) => name === 'pictures.jsonl')).toMatchObject({
    imported: 2,
    skipped: [
      { reason: 'the file is missing', rows: 1 },
      { reason: 'the same file as another picture', rows: 1 },
    ],
  });
  expect(
    await other.rows(`
      select name, member_id is not null as owned, (select count(*)::int from upload_file where upload_id = upload.id) as files,
        (select count(*)::int from upload_reference where upload_id = upload.id) as shown
      from upload order by name`),
  ).toEqual([
    { name: pictureName, owned: true, files: 1, shown: 1 },
    { name: twin, owned: false, files: 1, shown: 1 },
  ]);
});

it('puts replies that are nested too deep on the deepest level, in their order', async () => {
  const community = await createTestCommunity();
  const replies = [1, 2, 3, 4, 5, 6].map((id) => ({
    id,
    questionId: 1,
    ...(id > 1 && { parentReplyId: id - 1 }),
    content: `Reply ${id}`,
  }));
  const questions = [{ id: 1, title: 'T', content: 'C' }];
  await importByHand(community, await writeJsonLines({ questions, replies }));
  expect((await community.rows('select level from reply order by id')).map(({ level }) => level)).toEqual([
    0, 1, 2, 3, 3, 3,
  ]);
  // Also below one of an earlier import.
  await importByHand(
    community,
    await writeJsonLines({
      questions,
      replies: [...replies, { id: 7, questionId: 1, parentReplyId: 6, content: 'Reply 7' }],
    }),
  );
  expect(await community.rows('select level, parent_reply_id from reply order by id desc limit 1')).toEqual([
    { level: 3, parent_reply_id: '3' },
  ]);
  await expectCountsToEqualRows(community);
});

it.for([
  [
    'questions',
    '{"id": 1, "title": "T"}',
    'questions.jsonl, line 1: content: Invalid input: expected string, received undefined.',
  ],
  [
    'questions',
    '\n{"id": 1, "title": "T", "content": "C", "tag": []}',
    'questions.jsonl, line 2: unknown field "tag".',
  ],
  ['questions', 'nonsense', 'questions.jsonl, line 1: the line is not JSON.'],
  [
    'answers',
    '{"id": 1, "questionId": 9, "content": "C"}',
    'answers.jsonl, line 1: questionId: there is no question 9 in questions.jsonl.',
  ],
  [
    'answers',
    '{"id": 1, "questionId": 1, "content": "C"}\n{"id": 1, "questionId": 1, "content": "D"}',
    'answers.jsonl, line 2: another line has the id 1.',
  ],
  [
    'replies',
    '{"id": 1, "questionId": 1, "parentReplyId": 2, "content": "C"}\n{"id": 2, "questionId": 1, "parentReplyId": 1, "content": "D"}',
    'replies.jsonl, line 1: parentReplyId: replies form a circle.',
  ],
  [
    'members',
    '{"id": 1, "name": "Ada", "createdAt": "yesterday"}',
    'members.jsonl, line 1: createdAt: is not a time of ISO 8601.',
  ],
  [
    'pictures',
    '{"name": "../secret.png"}',
    'pictures.jsonl, line 1: name: is not the path of a file below pictures/.',
  ],
  [
    'pictures',
    '{"name": "missing.png"}',
    'pictures.jsonl, line 1: pictures/missing.png cannot be read: it does not exist, or is a broken link.',
  ],
] as const)('refuses %s with %s, with the line, and stores nothing', async ([kind, text, message]) => {
  const community = await createTestCommunity();
  const questions = [{ id: 1, title: 'T', content: 'C' }];
  const before = await community.everything();
  const importing = importByHand(community, await writeJsonLines({ questions, [kind]: text }));
  await expect(importing).rejects.toThrow(message);
  expect(await community.everything()).toEqual(before);
});

it.for([
  ['members', { id: 1, name: 'Ada', source: { site: 'old.example.org', id: 'ada' } }, 'old.example.org ada'],
  [
    'answers',
    { id: 1, questionId: 1, content: 'C', source: { site: 'old.example.org', id: '5' } },
    'old.example.org 5',
  ],
] as const)('refuses two %s of one source', async ([kind, row, source]) => {
  const directory = await writeJsonLines({
    questions: [{ id: 1, title: 'T', content: 'C' }],
    [kind]: [row, { ...row, id: 2 }],
  });
  await expect(importByHand(await createTestCommunity(), directory)).rejects.toThrow(
    `${kind}.jsonl, line 2: source: another line has ${source}.`,
  );
});

it('imports rows with the same page, and values with characters that PostgreSQL cannot store', async () => {
  const community = await createTestCommunity();
  await importFrom(community, await writeJsonLines({ questions: [{ id: 1, title: 'Here', content: 'C' }] }), {
    site: 'old.example.org',
  });
  const page = 'https://forum.example.org/faq';
  const nul = '\0';
  const write = (id: number) =>
    writeJsonLines({
      members: [
        {
          id,
          name: 'Ada',
          url: `${page}/ada`,
          avatar: `a${nul}`,
          identities: [{ issuer: `${page}${nul}`, subject: `${id}` }],
        },
      ],
      questions: [
        { id, title: 'T', content: 'C', url: page, license: `CC${nul}BY` },
        { id: id + 1, title: 'T', content: 'C', url: page, source: undefined },
        { id: id + 2, title: 'T', content: 'C', source: { site: 'old.example.org', id: `${id}${nul}` } },
      ],
      revisions: [
        {
          post: 'question',
          postId: id,
          number: 1,
          title: 'T',
          content: 'C',
          tags: [`a${nul}`],
          createdAt: '2020-01-01',
        },
      ],
    });
  await importByHand(community, await write(10));
  await importByHand(community, await write(20));
  expect(
    await community.rows(`
      select source_key, source_license from question where title = 'T' order by question.id`),
  ).toEqual([
    { source_key: 'faq', source_license: 'CC BY' },
    { source_key: 'faq#question-11', source_license: 'CC BY 4.0' },
    { source_key: '10', source_license: null },
    { source_key: 'faq#question-20', source_license: 'CC BY' },
    { source_key: 'faq#question-21', source_license: 'CC BY 4.0' },
    { source_key: '20', source_license: null },
  ]);
  expect(await community.rows('select source_key from member order by id')).toEqual([
    { source_key: 'faq/ada' },
    { source_key: 'faq/ada#member-20' },
  ]);
});

it('reads back the export of posts with long addresses', async () => {
  const community = await createTestCommunity();
  const own = await writeJsonLines({ questions: [{ id: 1, title: 'Here', content: 'C' }] });
  await importFrom(community, own, { site: 'old.example.org' });
  const url = `https://forum.example.org/${encodeURIComponent('発酵'.repeat(80))}`;
  const questions = [{ id: 7, title: 'T', content: 'C', url }];
  await importByHand(community, await writeJsonLines({ questions }));
  const exported = await exportTo(community, true);
  const other = await createTestCommunity();
  expect(await importFrom(other, exported)).toMatchObject({ added: { questions: 2 } });
  const tooLong = [{ id: 7, title: 'T', content: 'C', url: `https://forum.example.org/${'発'.repeat(700)}` }];
  await expect(importByHand(other, await writeJsonLines({ questions: tooLong }))).rejects.toThrow(
    'questions.jsonl, line 1: url: has more than 2000 bytes.',
  );
});

it('recognizes the posts of a forum in its files and in an export of another community, in any order', async () => {
  const forum = {
    members: [{ id: 3, name: 'Ada', url: 'https://forum.example.org/u/ada' }],
    questions: [
      { id: 7, title: 'With a page', content: 'C', authorId: 3, url: 'https://forum.example.org/t/7' },
      { id: 8, title: 'Without', content: 'C' },
    ],
    answers: [{ id: 9, questionId: 8, content: 'C' }],
    replies: [{ id: 10, questionId: 8, answerId: 9, content: 'C' }],
  };
  const addOwn = async () => {
    const community = await createTestCommunity();
    const questions = [{ id: 1, title: 'Here', content: 'C' }];
    await importFrom(community, await writeJsonLines({ questions }), { site: 'old.example.org' });
    return community;
  };
  const count = async (community: TestCommunity) =>
    community.rows(`
      select (select count(*)::int from question) as questions, (select count(*)::int from answer) as answers,
        (select count(*)::int from reply) as replies, (select count(*)::int from member) as members`);
  const files = await writeJsonLines(forum);
  const first = await addOwn();
  await importByHand(first, files);
  const exported = await exportTo(first, true);

  const second = await addOwn();
  await importByHand(second, files);
  expect(await importFrom(second, exported)).toMatchObject({
    added: { questions: 1, answers: 0, members: 0 },
  });
  expect(await count(second)).toEqual([{ questions: 4, answers: 1, replies: 1, members: 1 }]);

  const third = await addOwn();
  await importFrom(third, exported);
  expect(await importByHand(third, files)).toMatchObject({ isUnchanged: true });
  expect(await count(third)).toEqual([{ questions: 4, answers: 1, replies: 1, members: 1 }]);
  await expectCountsToEqualRows(third);
});

it.for([
  { title: 'shown with its source', isMove: false },
  { title: 'that was moved', isMove: true },
])(
  'brings a post $title up to date with a newer archive of the site that it came from',
  async ({ isMove }) => {
    const [edited, again] = ['2016-01-01T10:00:00.000', '2017-01-01T10:00:00.000'];
    const versions = [
      versionRow(1, 1, 'Version 1'),
      versionRow(2, 1, 'Version 2', { PostHistoryTypeId: 5, CreationDate: edited }),
    ];
    const content = {
      Users: [userRow(1)],
      Posts: [questionRow(1, { LastEditDate: edited })],
      PostHistory: versions,
    };
    const community = await createTestCommunity();
    await community.import(await writeArchive(content));
    const other = await createTestCommunity();
    if (!isMove) await writeHere(other);
    expect(await importFrom(other, await exportTo(community, false))).toMatchObject({ isMove });
    const newer = { ...content, Posts: [questionRow(1, { LastEditDate: again, Title: 'A better title' })] };
    await other.import(await writeArchive(newer));
    expect(await other.rows(`select title from question where title <> 'Here'`)).toEqual([
      { title: 'A better title' },
    ]);
  },
);

it('does not restore follows and bookmarks that members with an account removed', async () => {
  const directory = await exportTo(await createCommunity(), true);
  const other = await createTestCommunity();
  await importFrom(other, directory);
  await other.rows('delete from question_follow; delete from tag_follow; delete from bookmark');
  await other.rows('update tag set followers_count = 0');
  expect(await importFrom(other, directory)).toMatchObject({ isUnchanged: true });
});

const question = { id: 1, title: 'There', content: 'Text', authorName: 'Cat' };
const writeHere = (community: TestCommunity) =>
  community.rows(`
    insert into question (title, content, excerpt, excerpt_cut, imported_author_name, created_at, active_at)
    values ('Here', 'Text', 'Text', false, 'Ann', now(), now())`);
const sourcesOf = (community: TestCommunity) =>
  community.rows(`
    select title, site from question left join import_source on import_source.id = source_id order by title`);

it('shows the source of posts that are imported again after their import was undone', async () => {
  const community = await createTestCommunity();
  await writeHere(community);
  const directory = await writeJsonLines({
    members: [{ id: 1, name: 'Ada', email: 'ada@example.org' }],
    questions: [{ ...question, authorId: 1 }],
  });
  await importByHand(community, directory);
  const [run] = await community.rows('select id::int from import_run');
  await undoImport(community.client, run?.['id'] as number);
  expect(await importByHand(community, directory)).toMatchObject({ added: { members: 0, questions: 1 } });
  expect(await sourcesOf(community)).toEqual([
    { title: 'Here', site: null },
    { title: 'There', site: 'forum.example.org' },
  ]);
});

it('moves a community again after the move was undone', async () => {
  const directory = await exportTo(await createCommunity(), true);
  const other = await createTestCommunity();
  await importFrom(other, directory);
  const [run] = await other.rows('select id::int from import_run');
  await undoImport(other.client, run?.['id'] as number);
  expect(await importFrom(other, directory)).toMatchObject({ isMove: true, added: { questions: 3 } });
  const ids = async () => (await readRows(directory, 'questions')).map(({ id }) => String(id)).toSorted();
  expect((await other.rows('select id from question order by id')).map(({ id }) => id)).toEqual(await ids());
  await expectCountsToEqualRows(other);
});

it.for([
  {
    title: 'an old address of an earlier import named',
    first: {
      questions: [{ ...question, id: 9 }],
      redirects: [{ from: '/t/1', questionId: 9, site: 'forum.example.org' }],
    },
    site: 'https://other.example.org',
  },
  {
    title: 'an earlier import without rows named',
    first: { questions: '' },
    site: 'https://forum.example.org',
  },
])('does not take posts of a site as own ones that $title', async ({ first, site }) => {
  const community = await createTestCommunity();
  await importFrom(community, await writeJsonLines(first), { site, license: 'CC BY 4.0' });
  await writeHere(community);
  const directory = await writeJsonLines({ questions: [question] });
  await expect(importFrom(community, directory, { site: 'forum.example.org' })).rejects.toThrow('--license');
  await importByHand(community, directory);
  expect(await sourcesOf(community)).toContainEqual({ title: 'There', site: 'forum.example.org' });
});

it('gives members who register while a community moves here other ids', async () => {
  const community = await createTestCommunity();
  await community.rows(`insert into member (display_name, email) values ('Here', 'here@example.org')`);
  const [here] = await community.rows('select id::int from member');
  const id = here?.['id'] as number;
  const members = [id, id + 1, id + 2].map((each) => ({ id: each, name: `Member ${each}` }));
  await importByHand(
    community,
    await writeJsonLines({ members, questions: [{ ...question, authorId: id }] }),
  );
  expect(await community.rows('select id::int, display_name as name from member order by id')).toEqual([
    { id, name: 'Here' },
    ...members.slice(1),
    { id: expect.any(Number) as number, name: `Member ${id}` },
  ]);
  await community.rows(`insert into member (display_name, email) values ('Next', 'next@example.org')`);
});

it('requires an address without an export, and a licence where the source is shown', async () => {
  const community = await createTestCommunity();
  const directory = await writeJsonLines({ questions: [{ id: 1, title: 'T', content: 'C' }] });
  await expect(importFrom(community, directory)).rejects.toThrow(
    'Give it with "--site https://forum.example.org"',
  );
  await importFrom(community, directory, { site: 'one.example.org' });
  await expect(importFrom(community, directory, { site: 'two.example.org' })).rejects.toThrow(
    'Give the licence with "--license NAME"',
  );
});

it('changes nothing in a dry run, and reports every row', async () => {
  const directory = await exportTo(await createCommunity(), true);
  const other = await createTestCommunity();
  const before = await other.everything();
  const summary = await importFrom(other, directory, { dryRun: true });
  expect(summary).toMatchObject({ isDryRun: true, added: { questions: 3 } });
  for (const { read, imported, alreadyImported, skipped } of summary.files)
    expect(imported + alreadyImported + skipped.reduce((sum, { rows }) => sum + rows, 0)).toBe(read);
  expect(await other.everything()).toEqual(before);
});

it('leaves nothing behind if its connection is cut while it adds rows', async () => {
  const directory = await exportTo(await createCommunity(), true);
  const other = await createTestCommunity();
  const before = await other.everything();
  const client = await other.connect();
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  const log = (message: string) => {
    if (message === 'Adding the rows…') void other.rows(`select pg_terminate_backend(${rows[0]?.pid})`);
  };
  await expect(importJsonLines({ directory, client, log })).rejects.toThrow(
    'The connection to the database broke',
  );
  expect(await other.everything()).toEqual(before);
});

it('publishes events, so that open pages and caches of all nodes show the posts', async () => {
  const community = await createTestCommunity();
  await importByHand(community, await writeJsonLines({ questions: [{ id: 1, title: 'T', content: 'C' }] }));
  expect(
    await community.rows(`select topic from event where event ->> 'kind' = 'imported' order by topic`),
  ).toEqual([{ topic: 'answers' }, { topic: 'feeds' }, { topic: 'tags' }]);
});

it('does not mix the numbers of an archive with the paths of JSON lines under one name', async () => {
  const community = await createTestCommunity();
  const directory = await writeJsonLines({ questions: [{ id: 1, title: 'T', content: 'C' }] });
  await community.import(await writeArchive({ Users: [userRow(1)], Posts: [questionRow(1)] }));
  await expect(importByHand(community, directory, { site: 'beer.stackexchange.com' })).rejects.toThrow(
    'in another format',
  );
  await importByHand(community, directory, { site: 'https://wine.stackexchange.com' });
  await expect(
    community.import(await writeArchive({ Posts: [questionRow(5)] }), { site: 'wine.stackexchange.com' }),
  ).rejects.toThrow('were imported from JSON lines');
});

it('keeps the mark of bots, without an address, a role or a service account', async () => {
  const first = await createTestCommunity();
  await first.client.query(`
    with bot as (insert into member (display_name, is_bot) values ('Releases', true) returning id),
      account as (
        insert into service_account (member_id, requests_per_minute, posts_per_hour) select id, 60, 10 from bot
      )
    insert into question (author_id, title, content, excerpt, excerpt_cut) select id, 'New', 'Faster.', 'Faster.', false from bot`);
  const directory = await exportTo(first, true);
  expect(await readRows(directory, 'members')).toEqual([
    expect.objectContaining({ name: 'Releases', isBot: true }),
  ]);
  const readBots = async ({ client }: TestCommunity) =>
    (
      await client.query(`
        select display_name, is_bot, email, role, source_id is not null as imported,
          (select count(*)::int from service_account) as accounts
        from member order by id`)
    ).rows;
  const bot = { display_name: 'Releases', is_bot: true, email: null, role: 'member', accounts: 0 };
  const moved = await createTestCommunity();
  await importFrom(moved, directory);
  expect(await readBots(moved)).toEqual([{ ...bot, imported: false }]);

  const other = await createTestCommunity();
  await importByHand(
    other,
    await writeJsonLines({
      members: [
        { id: 1, name: 'Releases', isBot: true, email: 'bot@example.org', role: 'admin' },
        { id: 2, name: 'Ann', isBot: false },
      ],
      questions: [{ id: 1, title: 'New', content: 'Faster.', authorId: 1 }],
    }),
  );
  const [imported, person] = await readBots(other);
  expect(imported).toMatchObject(bot);
  expect(person).toMatchObject({ display_name: 'Ann', is_bot: false });
});
