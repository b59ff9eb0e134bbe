import { Command } from 'commander';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
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
import { projectRoot } from '#server/core/paths.ts';
import { toDatabaseUrl } from '#tests/support/database-url.ts';
import { compileCache } from '#tests/support/parley-process.ts';
import { databaseFromClient } from '#server/core/database.ts';
import { createObjectStore } from '#server/core/object-store.ts';
import { movePictures } from '#server/posts/uploads-object-store.ts';
import { startObjectStoreServer } from '#tests/support/object-store-server.ts';
import { registerExportCommand } from './export-command.ts';
import { exportCommunity, type ExportOptions } from './export.ts';
import { ArchiveError } from './stack-exchange-errors.ts';

setupTestDatabase();

/** Texts that formats and escapes get wrong. */
const texts = [
  'Plain text.',
  'Line one\nline two\n\n* a\n* b\n\n    code  with   spaces\n',
  '`<script>alert("1")</script>` & &amp; ]]> \u2028 end',
  'Tab\there, emoji 👩‍👩‍👧‍👦, العربية, 日本語, "quotes" and \'apostrophes\'',
  '```css\n@media (min-width: 1px) { a > b { } }\n```',
  '> quoted\n>\n> | a | b |\n> |---|---|\n> | 1 | 2 |',
  '[link](https://example.org/?a=1&b=2) and ![picture](https://example.org/a.png)',
];

const origin = 'https://ask.example.org';

async function createCommunity(): Promise<TestCommunity> {
  const community = await createTestCommunity();
  const posts = texts.flatMap((text, index) => {
    const id = index * 2 + 1;
    return [
      questionRow(id, {
        Title: `Title <${id}> & "more"`,
        Body: '',
        Tags: '|beer|c++|',
        AcceptedAnswerId: id + 1,
      }),
      answerRow(id + 1, id, { Body: '', OwnerUserId: 2 }),
    ].map((row) => ({ row, version: versionRow(Number(row['Id']), Number(row['Id']), text) }));
  });
  await community.import(
    await writeArchive({
      Users: [userRow(1), userRow(2, { AboutMe: '<p>I <em>brew</em>.</p>' })],
      Posts: posts.map(({ row }) => row),
      PostHistory: posts.map(({ version }) => version),
      Comments: [commentRow(1, 1), commentRow(2, 2)],
      Votes: [voteRow(1, 1, 2), voteRow(2, 1, 3), voteRow(3, 2, 2), voteRow(4, 2, 1)],
    }),
  );
  await community.rows(
    `
    insert into member (display_name, email) values ('Ada', 'ada@example.org'), ('Gone', null);
    update member set deleted_at = now() where display_name = 'Gone';
    insert into vote (member_id, answer_id, direction)
      select member.id, answer.id, 'up' from member, answer where display_name = 'Ada';
    update answer set upvotes = upvotes + 1;
    insert into bookmark (member_id, question_id) select member.id, question.id from member, question
      where display_name = 'Ada' and question.source_key = '1';`,
  );
  return community;
}

async function newDirectory(): Promise<string> {
  const parent = await mkdtemp(path.join(os.tmpdir(), 'parley-export-'));
  onTestFinished(() => rm(parent, { recursive: true, force: true }));
  return path.join(parent, 'out');
}

const run = async (community: TestCommunity, options: Partial<ExportOptions> = {}) => {
  const directory = await newDirectory();
  const summary = await exportCommunity({
    directory,
    client: community.client,
    format: 'jsonl',
    withPrivateData: false,
    license: undefined,
    origin,
    ...options,
  });
  return { directory, summary };
};

async function readLines(directory: string, file: string): Promise<Record<string, unknown>[]> {
  const text = await readFile(path.join(directory, file), 'utf8');
  return text === ''
    ? []
    : text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as Record<string, unknown>);
}

it('writes every visible row as a line of JSON, with its text as typed', async () => {
  const community = await createCommunity();
  const { directory, summary } = await run(community, { license: 'CC BY-SA 4.0' });
  const questions = await readLines(directory, 'questions.jsonl');
  expect(questions.map(({ content }) => content)).toEqual(
    (await community.rows('select content from question order by id')).map(({ content }) => content),
  );
  expect(questions[0]).toMatchObject({
    title: 'Title <1> & "more"',
    tags: ['beer', 'c++'],
    upvotes: 1,
    downvotes: 1,
    importedUpvotes: 1,
    source: { site: 'beer.stackexchange.com', id: '1', license: 'CC BY-SA 3.0' },
  });
  expect(await readLines(directory, 'replies.jsonl')).toHaveLength(2);
  expect(JSON.parse(await readFile(path.join(directory, 'export.json'), 'utf8'))).toMatchObject({
    format: 'parley-export',
    version: 1,
    origin,
    license: 'CC BY-SA 4.0',
    withPrivateData: false,
    rows: { questions: texts.length, answers: texts.length },
  });
  for (const [kind, rows] of summary.counts)
    expect({ kind, rows: (await readLines(directory, `${kind}.jsonl`)).length }).toEqual({ kind, rows });
});

it('leaves out private data, deleted accounts, accounts that wait and hidden posts, unless private data is wanted', async () => {
  const community = await createCommunity();
  await community.rows(`
    insert into member (display_name, email, application) values ('Waits', 'waits@example.org', 'waiting')`);
  await community.rows(`
    with hidden as (
      insert into hidden_post (post_kind, post_id, question_id, status, reason)
      select 'question', id, id, 'hidden', 'Spam.' from question where source_key = '3' returning id
    ), question as (update base_question set hidden_by = hidden.id from hidden where source_key = '3')
    update base_answer set hidden_by = hidden.id from hidden where source_key = '4'`);
  const { directory } = await run(community);
  const files = await readdir(directory);
  const all = (await Promise.all(files.map((file) => readFile(path.join(directory, file), 'utf8')))).join(
    '\n',
  );
  expect(all).not.toContain('ada@example.org');
  expect(all).not.toContain('Title <3>');
  expect(all).not.toContain('memberId');
  expect(all).not.toContain('"Gone"');
  expect(files).not.toContain('bookmarks.jsonl');
  expect(await readLines(directory, 'votes.jsonl')).toHaveLength(texts.length - 1);

  await community.rows(`
    insert into vote (member_id, question_id, direction) select member.id, question.id, 'up' from member, question
      where display_name = 'Gone' and question.source_key = '1';
    update question set upvotes = upvotes + 1 where source_key = '1'`);
  const { directory: withPrivate } = await run(community, { withPrivateData: true });
  const members = await readLines(withPrivate, 'members.jsonl');
  expect(members.map(({ name }) => name)).not.toContain('Waits');
  expect(members).toContainEqual(expect.objectContaining({ name: 'Ada', email: 'ada@example.org' }));
  const votes = await readLines(withPrivate, 'votes.jsonl');
  expect(votes).toHaveLength(texts.length);
  // Deleted accounts are in no export, nor are their ids.
  const ids = new Set(members.map(({ id }) => id));
  expect(votes.filter(({ memberId }) => ids.has(memberId))).toHaveLength(texts.length - 1);
  expect(votes.filter(({ memberId }) => memberId === undefined)).toHaveLength(1);
  expect(await readLines(withPrivate, 'bookmarks.jsonl')).toHaveLength(1);
});

it.for(['jsonl', 'stackexchange'] as const)(
  'leaves out a tag whose only question is hidden, its synonyms, followers and old addresses, in %s',
  async (format) => {
    const community = await createCommunity();
    await community.rows(`
      insert into tag (name, key) values ('schnapps', 'schnapps');
      insert into tag (name, key, synonym_of) select 'moonshine', 'moonshine', id from tag where key = 'schnapps';
      insert into base_question_tag (question_id, tag_id, position, question_created_at)
        select question.id, tag.id, 2, created_at from question, tag where source_key = '3' and key = 'schnapps';
      insert into tag_follow (member_id, tag_id)
        select member.id, tag.id from member, tag where display_name = 'Ada' and key = 'schnapps';
      insert into imported_redirect (source_id, address, kind, target_id, run_id)
        select source.id, '/c/' || key, 'tag', tag.id, run.id from tag, import_source source, import_run run
        where key in ('beer', 'schnapps', 'moonshine')`);
    const read = async () => {
      const { directory } = await run(community, { format, withPrivateData: true });
      const files = await readdir(directory);
      return (await Promise.all(files.map((file) => readFile(path.join(directory, file), 'utf8')))).join();
    };
    expect(await read()).toMatch(/schnapps/u);
    await community.rows(`
      with hidden as (
        insert into hidden_post (post_kind, post_id, question_id, status, reason)
        select 'question', id, id, 'hidden', 'Spam.' from question where source_key = '3' returning id, question_id
      ), question as (
        update base_question set hidden_by = hidden.id from hidden where base_question.id = question_id
      ), answer as (
        update base_answer set hidden_by = hidden.id from hidden where base_answer.question_id = hidden.question_id
      )
      update base_question_tag link set hidden_by = hidden.id from hidden where link.question_id = hidden.question_id`);
    const shown = await read();
    expect(shown).not.toMatch(/schnapps|moonshine/u);
    expect(shown).toContain('beer');
  },
);

it.for(['jsonl', 'stackexchange'] as const)(
  'leaves out the texts of profiles whose activity was removed, in %s',
  async (format) => {
    const community = await createCommunity();
    await community.rows(`
      update member set bio = 'Cheap watches', location = 'Watch street', website = 'https://watches.example.org'
      where display_name = 'Ada';
      insert into activity_removal (member_id, moderator_id, reason, posts, votes)
      select id, id, 'Spam.', 0, 0 from member where display_name = 'Ada'`);
    const readMembers = async () => {
      const { directory } = await run(community, { format });
      return readFile(path.join(directory, format === 'jsonl' ? 'members.jsonl' : 'Users.xml'), 'utf8');
    };
    expect(await readMembers()).not.toMatch(/watch/iu);
    await community.rows(`update activity_removal set state = 'restored', finished_at = now()`);
    expect((await readMembers()).match(/watch/giu)).toHaveLength(3);
  },
);

it('writes an archive that the import reads back with the same texts, votes, accepted answers and duplicates', async () => {
  const community = await createCommunity();
  await community.rows(`
    update question set duplicate_of = original.id from question original
    where question.source_key = '3' and original.source_key = '1'`);
  const state = async () => ({
    questions: await community.rows(`
      select title, content, upvotes, downvotes, views, answer_count, tag_text, question.created_at, display_name,
        (select title from question original where original.id = question.duplicate_of) as original
      from question join member on member.id = author_id order by title`),
    answers: await community.rows(`
      select question.title, answer.content, answer.upvotes, answer.downvotes, accepted_answer_id = answer.id as accepted
      from answer join question on question.id = question_id order by title`),
    replies: await community.rows('select content, created_at from reply order by created_at, content'),
    members: await community.rows(
      'select display_name, bio, created_at from member where deleted_at is null order by display_name, created_at',
    ),
  });
  const before = await state();
  const { directory } = await run(community, { format: 'stackexchange' });
  const other = await createTestCommunity();
  await other.import(directory, { site: 'ask.example.org' });
  expect(await state()).toEqual(before);
});

it('writes earlier versions of edited posts to the history of the archive', async () => {
  const community = await createCommunity();
  await community.rows(`
    insert into revision (question_id, number, title, content, tags, created_at, replaced_at)
    select id, 1, 'Old title', 'Old text', '{"machine learning",beer}', created_at, created_at + interval '1 hour' from question
    where source_key = '1'`);
  await community.rows(`
    update question set edited_at = created_at + interval '1 hour' where source_key = '1'`);
  const { directory } = await run(community, { format: 'stackexchange' });
  const history = await readFile(path.join(directory, 'PostHistory.xml'), 'utf8');
  expect(history).toContain('PostHistoryTypeId="2"');
  expect(history.match(/Text="Old text"/gu)).toHaveLength(1);
  expect(history.match(/PostHistoryTypeId="5"[^>]*Text="Plain text\."/gu)).toHaveLength(1);
  const other = await createTestCommunity();
  await other.import(directory, { site: 'ask.example.org' });
  expect(await other.rows(`select content from question where title = 'Title <1> & "more"'`)).toEqual([
    { content: 'Plain text.' },
  ]);
  expect(await other.rows('select tags from revision')).toEqual([{ tags: ['machine learning', 'beer'] }]);
});

it('refuses an archive with posts that were written here without a licence for them', async () => {
  const community = await createCommunity();
  await community.rows(`
    insert into reply (question_id, level, author_id, content)
      select question.id, 0, member.id, 'Mine' from question, member where question.source_key = '1' and display_name = 'Ada'`);
  const directory = await newDirectory();
  await expect(run(community, { directory, format: 'stackexchange' })).rejects.toThrow(
    'An archive states the licence of each text. Give that of your members\' posts and topics with "--license NAME"',
  );
  expect(existsSync(directory)).toBe(false);
  await run(community, { format: 'stackexchange', license: 'CC BY 4.0' });
  await run(community);
});

it('refuses an archive with a text of a topic that was written here without a licence for it', async () => {
  const community = await createTestCommunity();
  await community.import(
    await writeArchive({ Users: [userRow(1)], Posts: [questionRow(1, { Tags: '|beer|' })] }),
  );
  await community.rows(`insert into tag (name, key, about) values ('unused', 'unused', 'Of no question.')`);
  await run(community, { format: 'stackexchange' });
  await community.rows(`update tag set about = 'Written here.' where name = 'beer'`);
  await expect(run(community, { format: 'stackexchange' })).rejects.toThrow(
    'An archive states the licence of each text.',
  );
});

it('writes one state of the community, although members write meanwhile', async () => {
  const community = await createCommunity();
  let isWritten = false;
  const { directory } = await run(community, {
    progress: {
      start: () => {},
      update: () => {
        if (isWritten) return;
        isWritten = true;
        void community.rows(`delete from vote; update answer set upvotes = 0, imported_upvotes = 0`);
      },
      stop: () => {},
    },
  });
  expect(await readLines(directory, 'votes.jsonl')).toHaveLength(texts.length);
  expect((await readLines(directory, 'answers.jsonl')).map(({ upvotes }) => upvotes)).not.toContain(0);
});

it('leaves nothing behind if it is interrupted', async () => {
  const community = await createCommunity();
  const interruption = new AbortController();
  const directory = await newDirectory();
  const client = await community.connect();
  await expect(
    exportCommunity({
      directory,
      client,
      format: 'jsonl',
      withPrivateData: false,
      license: undefined,
      origin,
      signal: interruption.signal,
      progress: { start: () => {}, update: () => interruption.abort(), stop: () => {} },
    }),
  ).rejects.toThrow(/abort/iu);
  expect(await readdir(path.dirname(directory))).toEqual([]);
});

it('writes no export under its name if it is killed, and all of it the next time', async () => {
  const community = await createCommunity();
  const directory = await newDirectory();
  const holder = await community.connect();
  // The export waits for this lock after it has written the questions.
  await holder.query('begin; lock table base_reply in access exclusive mode');
  const child = startExport(community, directory);
  const ended = once(child, 'close');
  const parent = path.dirname(directory);
  await vi.waitUntil(
    async () => {
      // Not the holder: a transaction sees one state of this view.
      const rows = await community.rows(
        `select pid from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
      );
      return rows.length > 0;
    },
    { timeout: 60_000, interval: 50 },
  );
  child.kill('SIGKILL');
  await ended;
  await holder.query('rollback');
  expect(await readdir(parent)).toEqual([expect.stringContaining('.partial-')]);
  const [code] = (await once(startExport(community, directory), 'close')) as [number];
  expect(code).toBe(0);
  const questions = await readFile(path.join(directory, 'questions.jsonl'), 'utf8');
  expect(questions.trimEnd().split('\n')).toHaveLength(texts.length);
});

/** Runs `parley export` as a process of its own. */
function startExport({ client: { host, port, user, password, database } }: TestCommunity, directory: string) {
  return spawn(process.execPath, [path.join(projectRoot, 'src/server/cli-main.ts'), 'export', directory], {
    env: {
      PATH: process.env['PATH'],
      NODE_COMPILE_CACHE: compileCache,
      DATABASE_URL: toDatabaseUrl({ host, port, user, password, database }),
      SECRET: 'a secret that only this test knows, long enough',
      LOG_LEVEL: 'error',
    },
    stdio: 'ignore',
  });
}

it('is readable for a web server if it has no private data', async () => {
  const community = await createCommunity();
  const mode = async ({ directory }: { directory: string }) => (await stat(directory)).mode & 0o777;
  expect(await mode(await run(community))).toBe(0o777 & ~process.umask());
  expect(await mode(await run(community, { withPrivateData: true }))).toBe(0o700);
});

it('refuses a directory with files, and changes nothing in it', async () => {
  const community = await createCommunity();
  const { directory } = await run(community);
  const before = await readdir(directory);
  await expect(run(community, { directory })).rejects.toThrow(ArchiveError);
  expect(await readdir(directory)).toEqual(before);
});

it.runIf(existsSync('/proc/self'))('refuses a directory that its file system does not create', async () => {
  const community = await createCommunity();
  for (const directory of ['/proc/none', '/proc/none/export'])
    await expect(run(community, { directory })).rejects.toThrow(
      new ArchiveError(`${directory} cannot be written: the file system refuses new directories.`),
    );
});

it('prints what was written, or why nothing was', async () => {
  const community = await createCommunity();
  const directory = await newDirectory();
  const result = { out: '', err: '', code: 0 };
  const execute = async () => {
    const program = new Command('parley').exitOverride();
    registerExportCommand(program, {
      withClient: (work) => work(community.client, origin),
      getObjectStore: () => undefined,
      out: { write: (text) => (result.out += text) },
      err: { write: (text) => (result.err += text) },
      exitWith: (code) => (result.code = code),
    });
    await program.parseAsync(['export', directory], { from: 'user' });
  };
  await execute();
  expect(result).toMatchObject({
    code: 0,
    out: expect.stringContaining(`questions ${texts.length}`) as string,
  });
  expect(existsSync(path.join(directory, 'export.json'))).toBe(true);
  await execute();
  expect(result).toMatchObject({ code: 1, err: expect.stringContaining('is not empty') as string });
});

it('writes pictures that are in an object store, and refuses to leave them out', async () => {
  const community = await createCommunity();
  const bucket = await startObjectStoreServer();
  onTestFinished(bucket.remove);
  const objectStore = createObjectStore(bucket.settings);
  await community.rows(`
    with stored as (
      insert into upload (name, kind, content_hash, width, height, bytes)
      values (repeat('a', 22), 'picture', sha256('a'), 40, 30, 100) returning id
    ), files as (
      insert into upload_file (upload_id, width, height, content)
      select id, width, width * 3 / 4, convert_to('file ' || width, 'UTF8') from stored, (values (20), (40)) size (width)
    )
    insert into upload_reference (upload_id, question_id) select stored.id, min(question.id) from stored, question group by 1`);
  const before = await run(community);
  expect(before.summary.pictureFiles).toBe(2);
  const db = databaseFromClient(community.client);
  expect(await movePictures({ db, objectStore, pictureStore: 's3' })).toBe(2);

  const parent = await newDirectory();
  await expect(run(community, { directory: parent })).rejects.toThrow(
    'Pictures are in an object store, and S3_BUCKET is not set.',
  );
  const after = await run(community, { objectStore });

  expect(after.summary.pictureFiles).toBe(before.summary.pictureFiles);
  const name = 'a'.repeat(22);
  for (const file of ['20x15.webp', '40x30.webp'])
    expect(await readFile(path.join(after.directory, 'pictures', name, file))).toEqual(
      await readFile(path.join(before.directory, 'pictures', name, file)),
    );
  const [lost = ''] = await bucket.keys();
  await objectStore.delete(lost);
  expect((await run(community, { objectStore })).summary.missingPictureFiles).toBe(1);
});
