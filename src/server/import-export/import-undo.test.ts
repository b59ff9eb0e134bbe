import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Command } from 'commander';
import pg from 'pg';
import { sql } from 'kysely';
import { expect, onTestFinished, test, vi } from 'vitest';
import { cleanUpUploads } from '#server/posts/uploads.ts';
import { purgeDeletedPosts } from '#server/moderation/moderation-job.ts';
import { findViolations } from '#server/operations/integrity-check.ts';
import { expectOk } from '#tests/support/member.ts';
import { type JsonLines, writeJsonLines } from '#tests/support/json-lines.ts';
import { createPngPicture } from '#tests/support/pictures.ts';
import { actOnPost, startModeration } from '#tests/support/moderation.ts';
import { readAllTables, readImportedSite } from '#tests/support/imported-site.ts';
import {
  answerRow,
  type ArchiveContent,
  commentRow,
  questionRow,
  userRow,
  voteRow,
  writeArchive,
} from '#tests/support/stack-exchange-archive.ts';
import { importJsonLines } from './jsonl-import.ts';
import { registerImportCommand } from './stack-exchange-command.ts';
import { importStackExchange } from './stack-exchange-import.ts';
import { previewUndo, questionsPerStep, undoImport } from './import-undo.ts';

const { server, ann, bob, moderator } = await startModeration();

const site = 'beer.stackexchange.com';
const first = {
  Users: [userRow(1), userRow(2), userRow(3)],
  Posts: [
    questionRow(1, { AcceptedAnswerId: 2, Tags: '<beer><malt>' }),
    answerRow(2, 1),
    questionRow(3, { Tags: '<hops>' }),
    answerRow(4, 3),
    answerRow(5, 3),
  ],
  Comments: [commentRow(1, 1), commentRow(2, 2), commentRow(3, 3)],
  Votes: [voteRow(1, 1, 2), voteRow(2, 2, 1), voteRow(3, 3, 5, { UserId: 3 })],
} satisfies ArchiveContent;
const later = '2016-01-01T00:00:00.000';
const second = {
  Users: [...first.Users, userRow(4, { LastAccessDate: later })],
  Posts: [
    questionRow(1, {
      AcceptedAnswerId: 2,
      Tags: '<beer><yeast>',
      Title: 'Better',
      LastEditDate: later,
      ViewCount: 9,
    }),
    answerRow(2, 1),
    questionRow(3, { Tags: '<hops>' }),
    answerRow(5, 3),
    answerRow(6, 1, { OwnerUserId: 4 }),
    questionRow(7, { OwnerUserId: 4 }),
  ],
  Comments: [...first.Comments.slice(0, 2), commentRow(4, 2), commentRow(5, 7)],
  Votes: [...first.Votes, voteRow(4, 1, 2)],
} satisfies ArchiveContent;

/** What changes are appended to, and what members have beside their posts. */
const besides = [
  'member_statistics_change',
  'tag_statistics_change',
  'stale_statistics_day',
  'idempotency_key',
  'draft',
  'search_word',
  'moderation_log',
];
const tables = () => readAllTables(server.db, besides);

async function connect(): Promise<pg.Client> {
  const client = new pg.Client(server.database.connection);
  client.on('error', () => {});
  await client.connect();
  onTestFinished(() => client.end().catch(() => {}));
  return client;
}

/** Returns the number of the import. */
async function importInto(files: ArchiveContent): Promise<number> {
  await importStackExchange({ directory: await writeArchive(files), client: await connect(), site });
  const { rows } = await sql<{ id: number }>`select max(id) as id from import_run`.execute(server.db);
  return rows[0]?.id ?? 0;
}

const idOf = async (kind: string, key: number) => {
  const { rows } = await sql<{ id: number }>`
    select id from imported_row where kind = ${kind} and source_key = ${String(key)}`.execute(server.db);
  return rows[0]?.id ?? 0;
};

/** Members here write, vote and moderate below imported posts. */
async function useImported(): Promise<void> {
  const question = await idOf('question', 1);
  const answer = await bob.answer(question);
  await bob.replyToAnswer(await idOf('answer', 2), { content: 'So it is.' });
  await bob.vote('questions', question, 'up');
  await ann.vote('answers', answer.id, 'up');
  expectOk(await bob.put(`/questions/${question}/bookmark`, { bookmarked: true }));
  expectOk(await bob.put(`/questions/${question}/follow`, { following: true }));
  expect((await actOnPost(moderator, 'hide', 'answer', await idOf('answer', 5))).status).toBe(204);
}

async function undo(id: number) {
  return undoImport(await connect(), id);
}

/** Checks which keys of posts that were hidden or deleted here have stayed, and removes them with their sites. */
async function forgetKeys(keys: [kind: string, key: string][]): Promise<void> {
  const { rows } = await sql<{ kind: string; key: string }>`
    with forgotten as (delete from imported_row where id = 0 returning kind, source_key as key)
    select kind, key from forgotten order by kind, key`.execute(server.db);
  expect(rows.map(({ kind, key }) => [kind, key])).toEqual(keys);
  await sql`delete from import_source`.execute(server.db);
}

test('the undoing of an import leaves every table as before it, with what members here added to it', async () => {
  await ann.ask({ tags: ['beer'] });
  const before = await tables();
  const id = await importInto(first);
  await useImported();
  const expected = {
    added: { members: 3, questions: 2, answers: 3, replies: 3 },
    local: { answers: 1, replies: 1, votes: 2, bookmarks: 1, follows: 1, edits: 0 },
    hidden: 1,
    shown: 0,
    changed: 0,
  };
  expect(await previewUndo(await connect(), id)).toMatchObject(expected);
  await undo(id);
  await forgetKeys([['answer', '5']]);
  expect(await tables()).toEqual(before);
  expect(await findViolations(server.db)).toEqual([]);
});

test('the undoing of a refresh removes what it added, shows what it hid, and lets the earlier archive restore the rest', async () => {
  const firstId = await importInto(first);
  const before = await readImportedSite(await connect());
  const id = await importInto(second);
  await bob.answer(await idOf('question', 7));
  const preview = await previewUndo(await connect(), id);
  expect(preview).toMatchObject({
    added: { members: 1, questions: 1, answers: 1, replies: 2 },
    local: { answers: 1 },
    shown: 2,
  });
  expect(preview.changed).toBeGreaterThan(0);
  await undo(id);
  expect(await findViolations(server.db)).toEqual([]);
  const texts =
    await sql`select source_key as key, title from question where source_id is not null order by 1`.execute(
      server.db,
    );
  expect(texts.rows).toEqual([
    { key: '1', title: 'Better' },
    { key: '3', title: 'Title of 3' },
  ]);
  await importInto(first);
  expect(await readImportedSite(await connect())).toEqual(before);
  const { rows } = await sql<{ id: number }>`select id from import_run order by id desc`.execute(server.db);
  for (const run of rows) await undo(run.id);
  expect(rows.at(-1)?.id).toBe(firstId);
  expect((await sql`select from import_source`.execute(server.db)).rows).toEqual([]);
  expect(await findViolations(server.db)).toEqual([]);
});

async function importLines(files: JsonLines): Promise<number> {
  const directory = await writeJsonLines(files);
  await mkdir(path.join(directory, 'pictures'));
  for (const name of ['a.png', 'ada.png'])
    await writeFile(path.join(directory, 'pictures', name), createPngPicture());
  await importJsonLines({
    directory,
    client: await connect(),
    site: 'forum.example.org',
    license: 'CC BY 4.0',
  });
  const { rows } = await sql<{ id: number }>`select max(id) as id from import_run`.execute(server.db);
  return rows[0]?.id ?? 0;
}

test('the undoing of JSON lines removes their topics with texts, members with pictures, and sites', async () => {
  await ann.ask({ tags: ['beer'] });
  const before = await tables();
  const lines = {
    members: [{ id: 1, name: 'Ada', avatar: 'ada.png', source: { site: 'old.example.org', id: 'ada' } }],
    pictures: [
      { name: 'a.png', memberId: 1 },
      { name: 'ada.png', memberId: 1 },
    ],
    tags: [
      { name: 'malt', description: 'Of barley', about: 'More.' },
      { name: 'cereal', synonymOf: 'malt' },
      { name: 'hops', description: 'Bitter' },
      { name: 'yeast', description: 'Alive' },
    ],
    questions: [{ id: 1, title: 'T', content: '![a](pictures/a.png)', authorId: 1, tags: ['hops', 'beer'] }],
    redirects: [{ from: '/t/1', questionId: 1, site: 'older.example.org' }],
  };
  const id = await importLines(lines);
  await undo(id);
  await sql`update upload set uploaded_at = now() - interval '2 days'`.execute(server.db);
  await cleanUpUploads(server.db);
  expect(await tables()).toEqual(before);
  // What moderators changed stays.
  const again = await importLines(lines);
  expectOk(await moderator.put('/moderation/tags/yeast', { description: 'Alive!', about: '' }));
  await undo(again);
  const { rows } = await sql`select name from tag where name in ('malt', 'cereal', 'hops', 'yeast')`.execute(
    server.db,
  );
  expect(rows).toEqual([{ name: 'yeast' }]);
  expect(await findViolations(server.db)).toEqual([]);
});

test('the undoing removes email addresses of members who never signed in, and keeps those of others', async () => {
  const emails = ['never', 'once'].map((name) => `${name}@forum.example.org`);
  const id = await importLines({
    members: emails.map((email, index) => ({ id: index + 1, name: 'Ada', email })),
    questions: [{ id: 1, title: 'T', content: 'C', authorId: 1 }],
  });
  await sql`
    insert into account (member_id, account_id, provider_id, password)
    select id, id, 'credential', '' from member where email = ${emails[1]}`.execute(server.db);
  await undo(id);
  const { rows } = await sql`select email from member where email like '%@forum.example.org'`.execute(
    server.db,
  );
  expect(rows).toEqual([{ email: emails[1] }]);
  expect(await findViolations(server.db)).toEqual([]);
  await sql`delete from member where email = ${emails[1]}`.execute(server.db);
  await sql`delete from imported_row where kind = 'member'`.execute(server.db);
  await sql`delete from import_source`.execute(server.db);
});

test('the undoing of an import is refused after a later one with posts of the same site', async () => {
  const id = await importLines({
    members: [{ id: 3, name: 'Member 1', source: { site, id: '1' } }],
    questions: [
      {
        id: 7,
        title: 'T',
        content: 'C',
        authorId: 3,
        source: { site, id: '1' },
        createdAt: '2015-01-01T10:00:00',
      },
    ],
  });
  const later = await importInto(first);
  await expect(previewUndo(await connect(), id)).rejects.toThrow(
    `Import ${later} of ${site} came after import ${id}.`,
  );
  await undo(later);
  await undo(id);
  expect((await sql`select site from import_source`.execute(server.db)).rows).toEqual([]);
});

test('the undoing also forgets how other sources number the posts', async () => {
  const id = await importInto(first);
  const questions = [
    { id: 7, title: 'T', content: 'C', source: { site, id: '1' }, createdAt: '2015-01-01T10:00:00' },
    { id: 8, title: 'Own', content: 'C' },
  ];
  await importLines({ questions });
  await undo(id);
  await importInto(first);
  await importLines({ questions, answers: [{ id: 9, questionId: 7, content: 'Later' }] });
  const { rows } = await sql`select from answer where content = 'Later'`.execute(server.db);
  expect(rows).toHaveLength(1);
  const runs = await sql<{ id: number }>`select id from import_run order by id desc`.execute(server.db);
  for (const run of runs.rows) await undo(run.id);
  expect((await sql`select from import_source`.execute(server.db)).rows).toEqual([]);
});

const lastKey = 99 + questionsPerStep;
/** Adds questions of the first member to an import, the last one with an answer: undoing it takes two transactions. */
const addQuestions = (files: typeof first | typeof second): ArchiveContent => ({
  ...files,
  Posts: [
    ...files.Posts,
    ...Array.from({ length: questionsPerStep }, (_, index) =>
      questionRow(100 + index, { Tags: '<beer>', OwnerUserId: 1 }),
    ),
    answerRow(1000, lastKey, { OwnerUserId: 1 }),
  ],
});

/** Undoes an import, and stops before its last question. */
async function undoUntilLastQuestion(id: number) {
  const [holder, client] = [await connect(), await connect()];
  const last = await idOf('question', lastKey);
  await holder.query('begin');
  await holder.query('select from base_question where id = $1 for no key update', [last]);
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  const running = run([String(id), '--yes'], null, client);
  const isWaiting = async () => {
    const waiting = await holder.query(
      `select from pg_stat_activity where pid = $1 and wait_event_type = 'Lock'`,
      [rows[0]?.pid],
    );
    return waiting.rows.length > 0;
  };
  await vi.waitUntil(isWaiting, { timeout: 60_000, interval: 20 });
  return { running, pid: rows[0]?.pid, release: () => holder.query('rollback'), holder };
}

test('the undoing removes a hidden reply below a deleted one that stays', async () => {
  const above = {
    members: [{ id: 1, name: 'Ada' }],
    questions: [{ id: 1, title: 'T', content: 'C', authorId: 1 }],
    replies: [
      { id: 1, questionId: 1, deleted: true },
      { id: 2, questionId: 1, parentReplyId: 1, content: 'Below', authorId: 1 },
    ],
  };
  const first = await importLines(above);
  const reply = { id: 3, questionId: 1, parentReplyId: 1, content: 'Later', authorId: 1 };
  const second = await importLines({ ...above, replies: [...above.replies, reply] });
  for (const hidden of [2, 3])
    expect((await actOnPost(moderator, 'hide', 'reply', await idOf('reply', hidden))).status).toBe(204);
  await undo(second);
  expect(await findViolations(server.db)).toEqual([]);
  await undo(first);
  expect((await sql`select from base_reply`.execute(server.db)).rows).toEqual([]);
  await forgetKeys([
    ['reply', '2'],
    ['reply', '3'],
  ]);
});

test('an import after the undoing does not show again what was hidden or deleted here', async () => {
  const id = await importInto(first);
  for (const [action, kind, key] of [
    ['hide', 'answer', 5],
    ['delete', 'answer', 4],
    ['delete', 'question', 1],
    ['delete', 'reply', 3],
  ] as const)
    expect((await actOnPost(moderator, action, kind, await idOf(kind, key))).status).toBe(204);
  await sql`
    update hidden_post set purge_at = now() - interval '1 day' where status = 'deleted'`.execute(server.db);
  await purgeDeletedPosts(server.db);
  expect(await previewUndo(await connect(), id)).toMatchObject({
    added: { questions: 1, answers: 1, replies: 0 },
    hidden: 7,
  });
  await undo(id);
  const again = await importInto(first);
  const { rows } = await sql`
    select source_key as key from (
      select source_key from base_question union all select source_key from base_answer
      union all select source_key from base_reply) post
    where source_key is not null`.execute(server.db);
  expect(rows).toEqual([{ key: '3' }]);
  await undo(again);
  await forgetKeys([
    ['answer', '2'],
    ['answer', '4'],
    ['answer', '5'],
    ['question', '1'],
    ['reply', '1'],
    ['reply', '2'],
    ['reply', '3'],
  ]);
  expect(await findViolations(server.db)).toEqual([]);
});

test('members vote on posts of imported members and ask with topics of the site while an import is undone', async () => {
  const firstId = await importInto(first);
  const countBeer = async () => {
    const { rows } = await sql<{ count: number }>`
      select questions_count as count from tag where name = 'beer'`.execute(server.db);
    return rows[0]?.count ?? 0;
  };
  const before = await countBeer();
  const id = await importInto(addQuestions(second));
  const { running, release } = await undoUntilLastQuestion(id);
  // Each has an author and a topic of questions that are removed.
  await bob.vote('questions', await idOf('question', 1), 'up');
  await bob.vote('answers', await idOf('answer', 1000), 'up');
  await ann.ask({ tags: ['beer'] });
  expect(await findViolations(server.db)).toEqual([]);
  await release();
  expect(await running).toMatchObject({ code: 0 });
  expect(await findViolations(server.db)).toEqual([]);
  expect(await countBeer()).toBe(before + 1);
  await undo(firstId);
});

test('the undoing that is killed leaves a consistent state, and the same command does the rest', async () => {
  const before = await tables();
  const id = await importInto(addQuestions(first));
  const { running, pid, release, holder } = await undoUntilLastQuestion(id);
  await holder.query('select pg_terminate_backend($1)', [pid]);
  await release();
  expect(await running).toMatchObject({
    err: expect.stringMatching(/Run the command again to remove the rest\. .+ removed\.\n$/u),
    code: 1,
  });
  expect(await findViolations(server.db)).toEqual([]);
  expect(await previewUndo(await connect(), id)).toMatchObject({ added: { questions: 2, members: 3 } });
  await undo(id);
  expect(await tables()).toEqual(before);
});

test('the undoing of an import runs again after a deadlock with another transaction', async () => {
  const id = await importInto({ ...first, Posts: [...first.Posts, questionRow(7)] });
  const [paused, voter] = [await connect(), await connect()];
  const client = await connect();
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  /** After a second, a waiting transaction looks for a deadlock, once. */
  const isWaiting = async (pid: number | undefined) => {
    const query = `select from pg_locks where pid = $1 and waitstart < clock_timestamp() - interval '3 seconds'`;
    return (await paused.query(query, [pid])).rows.length > 0;
  };
  const until = (pid: number | undefined) =>
    vi.waitUntil(() => isWaiting(pid), { timeout: 60_000, interval: 100 });
  const lock = 'select from base_question where id = $1 for key share';
  const [question, author] = [await idOf('question', 1), await idOf('member', 1)];
  await paused.query('begin');
  await paused.query(lock, [await idOf('question', 7)]);
  const voterPid = (await voter.query<{ pid: number }>('select pg_backend_pid() as pid')).rows[0]?.pid;
  await voter.query('begin');
  await voter.query('update member set reputation = reputation + 10 where id = $1', [author]);
  // The removal has locked question 1, and waits for question 7.
  const removal = undoImport(client, id);
  await until(rows[0]?.pid);
  const voting = voter.query(lock, [question]);
  await until(voterPid);
  await paused.query('commit');
  await voting;
  await voter.query('rollback');
  await removal;
  expect((await sql`select from import_source`.execute(server.db)).rows).toEqual([]);
  expect(await findViolations(server.db)).toEqual([]);
});

/** Runs `parley import undo`. */
async function run(parameters: string[], answer: string | null = null, client?: pg.Client) {
  const result = { out: '', err: '', code: 0 };
  const connection = client ?? (await connect());
  const program = new Command('parley').exitOverride();
  registerImportCommand(program, {
    withClient: (work) => work(connection),
    ask: answer === null ? null : () => Promise.resolve(answer),
    out: { write: (text) => (result.out += text) },
    err: { write: (text) => (result.err += text) },
    exitWith: (code) => (result.code = code),
  });
  await program.parseAsync(['import', 'undo', ...parameters], { from: 'user' });
  return result;
}

test('asks before it removes anything, and refuses without a terminal and for an import that is not the latest', async () => {
  const [id, laterId] = [await importInto(first), await importInto(second)];
  const before = await tables();
  expect(await run([String(laterId)])).toMatchObject({
    out: expect.stringContaining(
      '  what it added: questions 1, answers 1, replies 2, members 1, badges 0, texts of tags 0\n',
    ),
    err: 'Without a terminal, --yes is needed. Nothing was changed.\n',
    code: 1,
  });
  expect(await run([String(laterId)], 'yes')).toMatchObject({
    err: 'Not confirmed. Nothing was changed.\n',
    code: 1,
  });
  expect(await run([String(id), '--yes'])).toMatchObject({
    err: `Import ${laterId} of ${site} came after import ${id}. Undo import ${laterId} first. Nothing was changed.\n`,
    code: 1,
  });
  expect(await run(['999999', '--yes'])).toMatchObject({
    err: 'There is no import 999999. "parley import list" lists them. Nothing was changed.\n',
    code: 1,
  });
  expect(await tables()).toEqual(before);
  expect(await run([String(laterId)], site)).toMatchObject({
    out: expect.stringMatching(
      /Changes to earlier imports that stay: \d+\..*\nImport \d+ of beer\.stackexchange\.com was undone\.\n$/su,
    ),
    code: 0,
  });
  expect(await run([String(id), '--yes'])).toMatchObject({ code: 0 });
});
