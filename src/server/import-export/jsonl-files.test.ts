import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import sharp from 'sharp';
import { expect, it } from 'vitest';
import {
  createTestCommunity,
  questionRow,
  setupTestDatabase,
  type TestCommunity,
  userRow,
  writeArchive,
} from '#tests/support/stack-exchange-archive.ts';
import { writeJsonLines } from '#tests/support/json-lines.ts';
import { importJsonLines } from './jsonl-import.ts';
import {
  exportTo,
  importFrom,
  importByHand,
  readRows,
  expectCountsToEqualRows,
  createCommunity,
} from '#tests/support/jsonl-community.ts';

setupTestDatabase();

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
    String.raw`{"name": "line\n/../../secret.png"}`,
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
