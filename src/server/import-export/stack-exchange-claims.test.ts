import pg from 'pg';
import { sql } from 'kysely';
import { pino } from 'pino';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { mergeInTransaction, runAccountMerges } from '#server/admin/account-merge.ts';
import { transaction } from '#server/core/database.ts';
import { createAccountDeletionJob, deleteAccountInTransaction } from '#server/identity/account-deletion.ts';
import { findViolations } from '#server/operations/integrity-check.ts';
import { expectOk, type Member } from '#tests/support/member.ts';
import { startModeration } from '#tests/support/moderation.ts';
import {
  answerRow,
  type ArchiveContent,
  questionRow,
  userRow,
  voteRow,
  writeArchive,
} from '#tests/support/stack-exchange-archive.ts';
import { undoImport } from './import-undo.ts';
import { type ImportSummary, importStackExchange } from './stack-exchange-import.ts';

const { server, moderator } = await startModeration();

const later = '2016-01-01T00:00:00.000';
const archive = {
  Users: [userRow(1), userRow(2), userRow(3)],
  Posts: [questionRow(1), answerRow(2, 1), questionRow(3), answerRow(4, 3)],
  Votes: [voteRow(1, 1, 5, { UserId: 3 }), voteRow(2, 3, 5, { UserId: 3 })],
} satisfies ArchiveContent;

async function connect(): Promise<pg.Client> {
  const client = new pg.Client(server.database.connection);
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}

const importInto = async (files: ArchiveContent): Promise<ImportSummary> =>
  importStackExchange({
    directory: await writeArchive(files),
    client: await connect(),
    site: 'beer.stackexchange.com',
  });

async function idOf(kind: 'question' | 'answer' | 'member', key: number): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    select id from imported_row where kind = ${kind} and source_key = ${String(key)}`.execute(server.db);
  const [row] = rows;
  if (row === undefined) throw new Error(`the import has no ${kind} ${key}`);
  return row.id;
}

const startClaim = async (key: number, member: Member) => {
  const fromId = await idOf('member', key);
  await transaction(server.db, (tx) =>
    mergeInTransaction(tx, {
      merge: { fromId, intoId: member.id },
      moderatorId: moderator.id,
      reason: 'It is their profile.',
      queueMerge: undefined,
    }),
  );
};

const runMerges = () =>
  runAccountMerges(
    { db: server.db, settings: { allowsSelfVotes: true } },
    { until: Date.now() + 60_000, waitSeconds: -1 },
  );

/** A new member claims the profile of a user of the archive: another one in each test, because profiles that were claimed stay. */
async function claim(key: number): Promise<Member> {
  const member = await server.register(`Owner of ${key}`);
  await startClaim(key, member);
  await runMerges();
  return member;
}

async function undoImports(): Promise<void> {
  expect(await findViolations(server.db)).toEqual([]);
  const { rows } = await sql<{ id: number }>`select id from import_run order by id desc`.execute(server.db);
  const client = new pg.Client(server.database.connection);
  await client.connect();
  for (const { id } of rows) await undoImport(client, id);
  await client.end();
}
afterEach(undoImports);

test('the same archive gives no follows back to a member who claimed a profile and deleted the account', async () => {
  await importInto(archive);
  const member = await claim(3);
  await transaction(server.db, (tx) =>
    deleteAccountInTransaction(tx, {
      memberId: member.id,
      posts: 'keep',
      secret: 'any',
      queueDeletion: undefined,
    }),
  );
  await createAccountDeletionJob({ db: server.db, log: pino({ level: 'silent' }) }).run({
    memberId: member.id,
  });
  expect(await importInto(archive)).toMatchObject({ isUnchanged: true, added: { follows: 0 } });
  const { rows } = await sql`select from question_follow where member_id = ${member.id}`.execute(server.db);
  expect(rows).toEqual([]);
});

test('an answer that its author edited here stays with its question, which the site deleted, and is listed', async () => {
  await importInto(archive);
  const member = await claim(2);
  const answerId = await idOf('answer', 4);
  expectOk(await member.put(`/answers/${answerId}`, { content: 'Edited here.' }));
  const { changes } = await importInto({
    ...archive,
    Users: [userRow(1, { LastAccessDate: later }), userRow(2), userRow(3)],
    Posts: archive.Posts.slice(0, 2),
  });
  expect(changes.conflicts.total).toBe(2);
  const { rows } = await sql`
    select answer.content from answer join question on question.id = question_id where answer.id = ${answerId}`.execute(
    server.db,
  );
  expect(rows).toEqual([{ content: 'Edited here.' }]);
});

test('links to the old site stay in a text that its author edited here', async () => {
  const links = 'https://beer.stackexchange.com/questions/3/title-of-3';
  const files = {
    ...archive,
    Posts: [questionRow(1, { Body: `<p>See <a href="${links}">that</a>.</p>` }), ...archive.Posts.slice(1)],
  };
  await importInto(files);
  const member = await claim(1);
  const id = await idOf('question', 1);
  const content = `The original is ${links} there.`;
  expectOk(await member.put(`/questions/${id}`, { title: 'Edited here', content, tags: ['beer'] }));
  expect(await importInto(files)).toMatchObject({ isUnchanged: true, added: { links: 0 } });
  const { rows } = await sql`select content from question where id = ${id}`.execute(server.db);
  expect(rows).toEqual([{ content }]);
});

test('a claim while an import runs ends after it, so that the member gets its new posts', async () => {
  const Users = [...archive.Users, userRow(4)];
  await importInto({ ...archive, Users });
  const member = await server.register('Early owner');
  const blocker = await connect();
  await blocker.query('begin');
  await blocker.query('select from base_question where id = $1 for no key update', [
    await idOf('question', 1),
  ]);
  const running = importInto({
    ...archive,
    Users: [userRow(1, { LastAccessDate: later }), ...Users.slice(1)],
    Posts: [questionRow(1, { ViewCount: 99 }), ...archive.Posts.slice(1), questionRow(7, { OwnerUserId: 4 })],
  });
  const isWaiting = async () => {
    const { rows } = await sql`
      select from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`.execute(server.db);
    return rows.length > 0;
  };
  await vi.waitUntil(isWaiting, { timeout: 60_000, interval: 20 });
  await startClaim(4, member);
  await runMerges();
  const isFinished = async () => {
    const { rows } = await sql`
      select from account_merge where into_id = ${member.id} and finished_at is not null`.execute(server.db);
    return rows.length > 0;
  };
  expect(await isFinished()).toBe(false);
  await blocker.query('commit');
  await running;
  await runMerges();
  expect(await isFinished()).toBe(true);
  const { rows } = await sql`
    select author_id from question where id = ${await idOf('question', 7)}`.execute(server.db);
  expect(rows).toEqual([{ author_id: member.id }]);
});

test('the reputation of a newer archive goes to the member who claimed the profiles', async () => {
  const Users = [userRow(5), userRow(6)];
  await importInto({ ...archive, Users });
  const member = await claim(5);
  await startClaim(6, member);
  await runMerges();
  const read = async () => {
    const { rows } = await sql`
      select display_name as name, reputation, imported_reputation as imported from member where id = ${member.id}`.execute(
      server.db,
    );
    return rows[0];
  };
  expect(await read()).toEqual({ name: 'Owner of 5', reputation: 211, imported: 211 });
  const newer = {
    ...archive,
    Users: [
      userRow(5, { Reputation: 205, DisplayName: 'Renamed', LastAccessDate: later }),
      userRow(6, { Reputation: 1 }),
    ],
  };
  const { changes } = await importInto(newer);
  expect(changes).toMatchObject({ counts: { reputation: 2 }, conflicts: { total: 0 } });
  expect(await read()).toEqual({ name: 'Owner of 5', reputation: 206, imported: 206 });
  expect(await importInto(newer)).toMatchObject({ isUnchanged: true });
});
