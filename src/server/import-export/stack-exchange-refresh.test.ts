import pg from 'pg';
import { sql } from 'kysely';
import { expect, onTestFinished, test, vi } from 'vitest';
import { findViolations } from '#server/operations/integrity-check.ts';
import { expectOk } from '#tests/support/member.ts';
import { actOnPost, getModerationLog, startModeration } from '#tests/support/moderation.ts';
import { setSiteSetting } from '#tests/support/site-settings.ts';
import { readAllTables, readImportedSite } from '#tests/support/imported-site.ts';
import {
  answerRow,
  type ArchiveContent,
  commentRow,
  questionRow,
  userRow,
  versionRow,
  voteRow,
  writeArchive,
} from '#tests/support/stack-exchange-archive.ts';
import { type ImportOptions, importStackExchange, type ImportSummary } from './stack-exchange-import.ts';
import { formatImportReport } from './stack-exchange-report.ts';

const { server, bob, moderator, other } = await startModeration();

const link = (id: number, question: number, original: number) => ({
  Id: id,
  CreationDate: '2015-02-01T00:00:00.000',
  PostId: question,
  RelatedPostId: original,
  LinkTypeId: 3,
});

/** Three states of a site. */
const first = {
  Users: [userRow(1), userRow(2), userRow(3), userRow(4, { AboutMe: '<p>Gone soon.</p>' })],
  Posts: [
    questionRow(1, { AcceptedAnswerId: 2, Tags: '<beer><malt>' }),
    answerRow(2, 1),
    answerRow(3, 1),
    questionRow(4, { Tags: '<hops>' }),
    answerRow(5, 4, { OwnerUserId: 1 }),
    questionRow(6),
    questionRow(7, { OwnerUserId: 4 }),
    answerRow(8, 7),
    answerRow(9, 6),
  ],
  Comments: [commentRow(1, 1), commentRow(2, 2), commentRow(3, 5), commentRow(4, 8), commentRow(5, 6)],
  Votes: [
    voteRow(1, 1, 2),
    voteRow(2, 2, 1),
    voteRow(3, 3, 2),
    voteRow(4, 1, 5, { UserId: 2 }),
    voteRow(5, 1, 3),
  ],
  PostHistory: [versionRow(1, 1, 'Question 1')],
  PostLinks: [link(1, 6, 4)],
} satisfies ArchiveContent;
const later = '2016-01-01T00:00:00.000';
const second = {
  ...first,
  Users: [
    userRow(1, { DisplayName: 'Renamed', Reputation: 900, LastAccessDate: later }),
    userRow(2, { AboutMe: '<p>I brew.</p>' }),
    userRow(3),
  ],
  Posts: [
    questionRow(1, {
      AcceptedAnswerId: 3,
      Tags: '<beer><yeast>',
      Title: 'A better title',
      Body: '<p>See /questions/4/x and <a href="/questions/4/x">this</a>.</p>',
      LastEditDate: later,
      ViewCount: 70,
    }),
    answerRow(2, 1),
    answerRow(3, 1, { Body: '<p>A better answer</p>', LastEditDate: later }),
    questionRow(4, { Tags: '<hops>' }),
    answerRow(5, 4, { OwnerUserId: 3 }),
    questionRow(6),
    answerRow(10, 4, { CreationDate: later }),
  ],
  Comments: [commentRow(1, 1, { Score: 3, Text: 'A better comment' }), commentRow(2, 2), commentRow(6, 10)],
  Votes: [
    voteRow(1, 1, 2),
    voteRow(6, 1, 2),
    voteRow(7, 3, 1),
    voteRow(3, 3, 2),
    voteRow(8, 3, 2),
    voteRow(9, 4, 5, { UserId: 3 }),
  ],
  PostHistory: [],
  PostLinks: [link(2, 4, 1)],
} satisfies ArchiveContent;
const third = {
  ...second,
  Users: [...second.Users.slice(0, 2), userRow(3, { LastAccessDate: '2017-01-01T00:00:00.000' })],
  Posts: [...second.Posts, first.Posts[6] ?? {}, first.Posts[7] ?? {}],
  Comments: [...second.Comments, commentRow(4, 8)],
  PostLinks: [],
} satisfies ArchiveContent;

async function connect(): Promise<pg.Client> {
  const client = new pg.Client(server.database.connection);
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}

async function importInto(
  files: ArchiveContent,
  options: Partial<ImportOptions> = {},
): Promise<ImportSummary> {
  const client = await connect();
  return importStackExchange({
    directory: await writeArchive(files),
    client,
    site: 'beer.stackexchange.com',
    ...options,
  });
}

/** Removes the site of earlier tests, and imports an archive. Returns ids by numbers of the archive. */
async function startWith(files: ArchiveContent) {
  await forget();
  await importInto(files);
  return readIds();
}

async function forget(): Promise<void> {
  await sql`
    delete from base_question; delete from hidden_post; delete from tag; delete from imported_row;
    delete from import_run; delete from event;
    delete from member_statistics_change; delete from member_daily_statistics; delete from member_statistics;
    delete from tag_statistics_change; update member set reputation = 0, questions_count = 0, answers_count = 0;
    delete from member where source_id is not null; delete from import_source;`.execute(server.db);
}

async function readIds() {
  const { rows } = await sql<{ kind: string; source_key: string; id: number }>`
    select kind, source_key, id from imported_row`.execute(server.db);
  return (kind: string, key: number) => {
    const row = rows.find((each) => each.kind === kind && each.source_key === String(key));
    if (row === undefined) throw new Error(`there is no ${kind} ${key}`);
    return row.id;
  };
}

const site = async () => readImportedSite(await connect());

const everything = () => readAllTables(server.db);

const outcomes = ({ files }: ImportSummary) =>
  Object.fromEntries(
    files.map(({ file, imported, updated, alreadyImported, skipped, removed }) => [
      file,
      [
        imported,
        updated,
        alreadyImported,
        removed,
        Object.fromEntries(skipped.map((each) => [each.reason, each.rows])),
      ],
    ]),
  );

test('three states imported in turn equal the newest one alone, and every row is accounted for', async () => {
  await startWith(third);
  const expected = await site();
  await startWith(first);
  const summary = await importInto(second);
  expect(outcomes(summary)).toEqual({
    'Users.xml': [0, 2, 1, 1, {}],
    'PostHistory.xml': [0, 0, 0, 0, {}],
    'Posts.xml': [1, 3, 3, 3, {}],
    'Comments.xml': [1, 1, 1, 3, {}],
    'Votes.xml': [4, 0, 2, 2, {}],
    'PostLinks.xml': [0, 1, 0, 0, {}],
  });
  expect(summary.changes.counts).toEqual({
    titles: 1,
    tags: 1,
    texts: 2,
    comments: 1,
    scores: 3,
    views: 1,
    acceptances: 1,
    duplicates: 2,
    authors: 1,
    sources: 2,
    names: 1,
    bios: 1,
    reputation: 1,
    emptied: 1,
    follows: 1,
    removedQuestions: 1,
    removedAnswers: 1,
    removedComments: 2,
  });
  const gone = await sql`select display_name, bio, reputation from member where source_key = '4'`.execute(
    server.db,
  );
  expect(gone.rows).toEqual([{ display_name: 'user4', bio: null, reputation: 0 }]);
  expect(await findViolations(server.db)).toEqual([]);
  expect((await importInto(third)).changes.counts).toEqual({ duplicates: 1, shown: 1 });
  expect(await site()).toEqual(expected);
  expect(await findViolations(server.db)).toEqual([]);
  expect(await importInto(third)).toMatchObject({ isUnchanged: true, changes: { counts: {} } });
});

test('what was imported before imports were recorded is refreshed by the times of edits', async () => {
  await startWith(first);
  await importInto(second);
  const expected = await site();
  await startWith(first);
  await sql`
    update imported_row set run_id = null, name_hash = null, tags_hash = null, content_hash = null, upvotes = null,
      downvotes = null, views = null, reputation = null, accepted_id = null, duplicate_id = null`.execute(
    server.db,
  );
  await importInto(second);
  expect(await site()).toEqual(expected);
  expect(await importInto(second)).toMatchObject({ isUnchanged: true });
  expect(await findViolations(server.db)).toEqual([]);
});

test('an archive with scores instead of votes keeps the votes of a post that changed otherwise', async () => {
  const { Votes: _, ...withoutVotes } = first;
  const answer = answerRow(2, 1);
  await startWith({
    ...first,
    Posts: [questionRow(1, { Score: 1 }), answer],
    Votes: [voteRow(1, 1, 2), voteRow(2, 1, 2), voteRow(3, 1, 3)],
  });
  const { changes } = await importInto({
    ...withoutVotes,
    Posts: [questionRow(1, { Score: 1, Title: 'A better title', LastEditDate: later }), answer],
  });
  expect(changes.counts).toMatchObject({ titles: 1 });
  const { rows } = await sql`select title, upvotes, downvotes from question where source_key = '1'`.execute(
    server.db,
  );
  expect(rows).toEqual([{ title: 'A better title', upvotes: 2, downvotes: 1 }]);
  expect(await findViolations(server.db)).toEqual([]);
});

test('names no existing member and accepts no existing answer with addOnly', async () => {
  const posts = [questionRow(1), answerRow(2, 1)];
  await startWith({ Users: [userRow(1)], Posts: posts });
  const before = await site();
  const more = {
    Users: [userRow(1), userRow(2)],
    Posts: [questionRow(1, { AcceptedAnswerId: 2 }), answerRow(2, 1)],
  };
  expect(await importInto(more, { addOnly: true })).toMatchObject({ isUnchanged: true });
  expect(await site()).toEqual(before);
  expect(await importInto(more)).toMatchObject({ added: { renamedMembers: 1, accepted: 1 } });
});

test('a dry run lists what would change, and changes nothing in any table', async () => {
  await startWith(first);
  const before = await everything();
  const summary = await importInto(second, { dryRun: true });
  expect(await everything()).toEqual(before);
  const lines = formatImportReport(summary);
  expect(lines).toContainEqual(
    expect.stringMatching(/^Would change: 1 titles, 1 questions with other tags, 2 texts /u),
  );
  expect(lines).toContainEqual(
    expect.stringMatching(/^ {2}\/question\/\d+ 'A better title': title, tags, text, score/u),
  );
  expect(lines).toContain(
    'Comments.xml: 3 rows read, 1 imported, 1 updated, 1 imported before, 3 not in it any more, removed here',
  );
});

test('keeps what happened here, and lists it', async () => {
  const id = await startWith(first);
  await setSiteSetting(server.db, 'directEditing', 'moderators');
  await server.siteSettings.refresh();
  const edit = { title: 'Edited here', content: 'Edited here.', tags: ['beer'], summary: 'Clearer' };
  expectOk(await moderator.post(`/questions/${id('question', 1)}/edit-suggestions`, edit));
  await bob.vote('questions', id('question', 1), 'up');
  await bob.vote('answers', id('answer', 3), 'down');
  const local = await bob.answer(id('question', 7));
  expectOk(await bob.put(`/questions/${id('question', 4)}/follow`, { following: true }));
  expectOk(await bob.put(`/questions/${id('question', 4)}/bookmark`, { bookmarked: true }));
  const original = { duplicateOf: id('question', 7) };
  expect((await actOnPost(moderator, 'duplicate', 'question', id('question', 4), original)).status).toBe(204);
  expect((await actOnPost(moderator, 'hide', 'answer', id('answer', 9))).status).toBe(204);
  expect((await actOnPost(moderator, 'lock', 'question', id('question', 6))).status).toBe(204);
  const summary = await importInto({
    ...second,
    Posts: [...second.Posts, answerRow(9, 6, { Body: '<p>New</p>' })],
  });
  const { question } = await bob.read(id('question', 1));
  expect(question).toMatchObject({
    title: 'Edited here',
    content: 'Edited here.',
    tags: ['beer'],
    upvotes: 3,
    views: 70,
  });
  expect(await bob.read(id('question', 7))).toMatchObject({
    question: { id: id('question', 7), answerCount: 1 },
  });
  expect(local.id).toBeGreaterThan(0);
  expect(await bob.read(id('question', 4))).toMatchObject({
    question: { following: true, bookmarked: true },
  });
  const stored = await sql<{ key: string; original: number | null; locked: boolean }>`
    select source_key as key, duplicate_of as original, lock_reason is not null as locked from question
    where source_key in ('4', '6') order by 1`.execute(server.db);
  expect(stored.rows).toEqual([
    { key: '4', original: id('question', 7), locked: false },
    { key: '6', original: id('question', 7), locked: true },
  ]);
  const hidden = await sql`select id from answer where source_key = '9'`.execute(server.db);
  expect(hidden.rows).toEqual([]);
  expect(summary.changes.conflicts.lines.toSorted()).toEqual(
    [
      `/question/${id('question', 1)} 'Edited here': edited here`,
      `/question/${id('question', 4)} 'Title of 4': marked as a duplicate otherwise here`,
      `/question/${id('question', 6)} 'Title of 6', reply ${id('reply', 5)}: deleted on the site, kept: on questions that are locked here`,
      `/question/${id('question', 7)} 'Title of 7': deleted on the site, kept: with answers or replies of members here`,
    ].toSorted(),
  );
  expect(outcomes(summary)['Posts.xml']).toEqual([
    1,
    2,
    3,
    1,
    { 'kept: edited here': 1, 'hidden or deleted here': 1 },
  ]);
  expect(await findViolations(server.db)).toEqual([]);
  // What was kept stays different, and is listed again.
  expect((await importInto(second)).changes.conflicts.total).toBe(summary.changes.conflicts.total);
});

test('does not hide a post again that a moderator restored after the site had deleted it', async () => {
  const id = await startWith(first);
  await importInto(second);
  expect((await getModerationLog(other))[0]).toMatchObject({
    action: 'hide',
    reason: 'Deleted on beer.stackexchange.com',
  });
  expect((await actOnPost(moderator, 'restore', 'question', id('question', 7))).status).toBe(204);
  expect(await importInto(second)).toMatchObject({ isUnchanged: true });
  expect((await bob.get(`/questions/${id('question', 7)}`)).status).toBe(200);
  expect(await findViolations(server.db)).toEqual([]);
});

test('an older archive is refused, and adds only what is missing with addOnly', async () => {
  await startWith(first);
  await importInto(second);
  const before = await everything();
  await expect(importInto(first)).rejects.toThrow(
    /^This archive ends at 2015-02-01 00:00, but one of beer\.stackexchange\.com that ends at 2016-01-01 00:00 was imported on /u,
  );
  expect(await everything()).toEqual(before);
  const more = { ...first, Posts: [...first.Posts, questionRow(20)] };
  const summary = await importInto(more, { addOnly: true });
  expect(summary).toMatchObject({ added: { questions: 1 }, changes: { counts: {} } });
  expect(outcomes(summary)['Posts.xml']).toEqual([
    1,
    0,
    3,
    0,
    { 'posts that changed since: not taken over': 3, 'hidden or deleted here': 3 },
  ]);
});

test('an archive without most of the posts is refused', async () => {
  const posts = Array.from({ length: 130 }, (_, index) => questionRow(index + 1));
  await startWith({ Posts: posts });
  const rest = { Posts: posts.slice(0, 10).map((post) => ({ ...post, LastActivityDate: later })) };
  await expect(importInto(rest)).rejects.toThrow(
    /^120 of 130 imported questions are missing in this archive/u,
  );
  const count = sql<{ count: number }>`select count(*) from question`;
  expect((await count.execute(server.db)).rows).toEqual([{ count: 130 }]);
  expect((await importInto(rest, { allowRemovals: true })).changes.counts).toMatchObject({
    removedQuestions: 120,
  });
  expect((await count.execute(server.db)).rows).toEqual([{ count: 10 }]);
});

test('a refresh that is killed in its transaction leaves nothing half done', async () => {
  await startWith(first);
  const before = await everything();
  const holder = await connect();
  // The refresh waits for this lock in the middle of its changes.
  await holder.query(`begin; select from tag where key = 'beer' for update`);
  const client = new pg.Client(server.database.connection);
  await client.connect();
  client.on('error', () => {});
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  const running = importStackExchange({
    directory: await writeArchive(second),
    client,
    site: 'beer.stackexchange.com',
  }).catch((error: unknown) => error);
  const isWaiting = async () => {
    const { rows: waiting } = await holder.query(
      `select from pg_stat_activity where pid = $1 and wait_event_type = 'Lock'`,
      [rows[0]?.pid],
    );
    return waiting.length > 0;
  };
  await vi.waitUntil(isWaiting, { timeout: 60_000, interval: 20 });
  await holder.query('select pg_terminate_backend($1)', [rows[0]?.pid]);
  await holder.query('rollback');
  expect(await running).toBeInstanceOf(Error);
  await client.end().catch(() => {});
  expect(await everything()).toEqual(before);
  expect((await importInto(second)).changes.counts).toMatchObject({ titles: 1 });
});

test('tells open pages about each question that changed, and lists about the import', async () => {
  const id = await startWith(first);
  await sql`delete from event`.execute(server.db);
  await importInto({ ...first, Posts: [{ ...first.Posts[0], Title: 'Other' }, ...first.Posts.slice(1)] });
  const events = await sql`select topic, event ->> 'kind' as kind from event order by 1`.execute(server.db);
  expect(events.rows).toEqual([
    { topic: 'answers', kind: 'imported' },
    { topic: 'feeds', kind: 'imported' },
    { topic: `question:${id('question', 1)}`, kind: 'edited' },
    { topic: 'tags', kind: 'imported' },
  ]);
});
