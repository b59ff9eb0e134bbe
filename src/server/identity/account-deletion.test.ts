import { sql } from 'kysely';
import { pino } from 'pino';
import { afterAll, expect, test } from 'vitest';
import { findViolations } from '#server/operations/integrity-check.ts';
import { openDatabase, transaction } from '#server/core/database.ts';
import { startCachingNode } from '#tests/support/caching-node.ts';
import { parseUploadPath } from '#shared/core/uploads.ts';
import { expectOk, type Member, password } from '#tests/support/member.ts';
import { createPngPicture } from '#tests/support/pictures.ts';
import { eventually } from '#tests/support/parley.ts';
import { startTestServer } from '#tests/support/server.ts';
import type { PostsAfterDeletion } from '#shared/identity/accounts.ts';
import { memberColumns, listMemberColumns } from './account-deletion-columns.ts';
import { createAccountDeletionJob, deleteAccountInTransaction } from './account-deletion.ts';

const server = await startTestServer();
/** Runs the background jobs. */
const worker = await server.startSecondNode({}, {});
let isWorking = true;
/** A node with a response cache. */
const cachingNode = await startCachingNode(server.database);
afterAll(async () => {
  await cachingNode.stop();
  if (isWorking) await worker.stop();
  await server.stop();
});
const log = pino({ level: 'silent' });
const bob = await server.register('Bob');
const reader = cachingNode.browserOf(bob);

/** Registers a member who has rows in every table. */
async function someone(name: string) {
  const member = await server.register(name);
  const [own, other] = [await member.ask({ tags: ['bread', 'salt'] }), await bob.ask({ tags: ['bread'] })];
  const theirs = await bob.answer(own, 'Of Bob, below.');
  const answer = await member.answer(other, 'Of whoever leaves.');
  const reply = await member.replyToAnswer(theirs.id);
  const below = await bob.replyToAnswer(theirs.id, { to: reply, content: 'Of Bob, below a reply.' });
  await bob.vote('answers', answer.id, 'up');
  await member.vote('questions', other, 'up');
  await member.vote('answers', theirs.id, 'down');
  for (const id of [own, other]) expectOk(await member.put(`/questions/${id}/view`));
  expectOk(await member.put(`/questions/${other}/follow`, { following: true }));
  expectOk(await member.put('/tags/bread/follow', { following: true }));
  await member.mute('tags/salt');
  await member.bookmark('questions', other, { note: 'A secret note.' });
  const fields = { title: 'A secret draft', content: '', tags: '' };
  const draft = { key: 'a-key-of-a-draft', fields, basedOn: null, clientId: 'a-browser', sequence: 1 };
  expectOk(await member.put('/drafts/ask', draft));
  expectOk(await member.put('/notification-preferences/votes', { push: true }));
  expectOk(await member.put('/settings', { displayName: name, bio: 'A secret bio.', showEmail: true }));
  return { member, own, other, theirs, answer, reply, below };
}

const leave = (member: Member, posts: PostsAfterDeletion, given = password) =>
  member.post('/account-deletion', { password: given, posts });

/** Waits until the background work of an account deletion is done. */
async function untilGone({ id }: Member): Promise<void> {
  await sql`update account_deletion set started_at = now() - interval '1 hour'`.execute(server.db);
  await worker.backgroundJobs?.enqueueDueJobs();
  await eventually(async () => {
    const { rows } = await sql`select from account_deletion where member_id = ${id}`.execute(server.db);
    return rows.length === 0;
  });
}

async function rowsLeft({ id }: Member): Promise<string[]> {
  const hidden = [
    ...listMemberColumns('immediate'),
    ...listMemberColumns('deferred'),
    ...listMemberColumns('recounted'),
  ];
  const left: string[] = [];
  for (const { table, column } of hidden) {
    const { rows } = await sql`select 1 from ${sql.table(table)} where ${sql.ref(column)} = ${id}`.execute(
      server.db,
    );
    if (rows.length > 0) left.push(table);
  }
  return left;
}

test('defines the effect of account deletion for every column that refers to a member', async () => {
  const { rows } = await sql<{ name: string }>`
    select class.relname || '.' || attname as name
    from pg_constraint con join pg_class class on class.oid = conrelid
    join pg_attribute on attrelid = conrelid and attnum = conkey[1]
    where contype = 'f' and confrelid = 'member'::regclass`.execute(server.db);
  expect(Object.keys(memberColumns).toSorted()).toEqual(rows.map(({ name }) => name).toSorted());
});

test('shows posts that stay under another name immediately on every page, and stores no private data', async () => {
  const { member, own, other, theirs, answer, reply } = await someone('Ann Secret');
  expect((await reader.read(own)).question.authorName).toBe('Ann Secret');
  const before = await bob.read(other);
  expect(await leave(member, 'keep', 'wrong')).toMatchObject({
    status: 400,
    errors: [{ field: 'password' }],
  });
  expectOk(await leave(member, 'keep'));
  // The caching node invalidates its pages by the event alone.
  await eventually(async () => (await reader.read(own)).question.authorName === 'Former member');
  expect((await member.get('/settings')).status).toBe(401);
  expect(await server.visitor().signIn(member.email, password)).toMatchObject({ status: 401 });
  await untilGone(member);
  expect(await rowsLeft(member)).toEqual([]);
  expect(await findViolations(server.db)).toEqual([]);
  const after = await bob.read(other);
  expect(after.question).toMatchObject({
    upvotes: before.question.upvotes,
    views: before.question.views,
    answerCount: before.question.answerCount,
  });
  expect(after.answers.items.find(({ id }) => id === answer.id)).toMatchObject({
    authorName: 'Former member',
    upvotes: 1,
  });
  const page = await bob.read(own);
  expect(page.answers.items.map(({ id, downvotes }) => [id, downvotes])).toEqual([[theirs.id, 1]]);
  expect(page.answers.items[0]?.replies.items.map(({ id }) => id)).toContain(reply.id);
  const { rows } = await sql<{ dump: string }>`
    select member::text as dump from member where id = ${member.id}`.execute(server.db);
  expect(rows[0]?.dump).not.toMatch(/secret|@/i);
  // Name and address can be used again.
  const form = { displayName: 'Ann Secret', email: member.email, password };
  expectOk(await server.visitor().post('/members', form));
});

test('removes the name of the member from what web hooks sent, and nothing about others', async () => {
  const { member, own, other, theirs, answer, reply } = await someone('Dan Realname');
  const about = [
    { question: own, answer: null, reply: null, isNamed: true },
    { question: own, answer: theirs.id, reply: null, isNamed: true },
    { question: other, answer: null, reply: null, isNamed: false },
    { question: other, answer: answer.id, reply: null, isNamed: true },
    { question: own, answer: theirs.id, reply: reply.id, isNamed: true },
  ];
  const { rows: hooks } = await sql<{ id: number }>`
    insert into webhook (name, address, format, events, tags, encrypted_secret)
    values ('Bridge', 'https://hooks.example.org/', 'standard', '{answer.posted}', '{}', 'x') returning id`.execute(
    server.db,
  );
  for (const [index, { question, answer: answerId, reply: replyId, isNamed }] of about.entries())
    await sql`
      insert into webhook_delivery (webhook_id, message_id, resource, event_type, question_id, answer_id, reply_id,
        occurred_at, state, request_body, response_body)
      values (${hooks[0]?.id}, ${`msg_${String(index).padStart(16, '0')}`}, ${`question:${question}`}, 'answer.posted',
        ${question}, ${answerId}, ${replyId}, now(), 'delivered', ${isNamed ? 'Dan Realname' : 'Bob'}, 'ok')`.execute(
      server.db,
    );
  expectOk(await leave(member, 'keep'));
  await untilGone(member);
  const { rows } = await sql<{ request_body: string | null }>`
    select request_body from webhook_delivery order by message_id`.execute(server.db);
  expect(rows.map((row) => row.request_body)).toEqual([null, null, 'Bob', null, null]);
});

test('deletes the posts with everything below them, and corrects all counts', async () => {
  const { member, own, other, theirs, answer, reply, below } = await someone('Cid');
  const remaining = await member.answer(other, 'Another one.');
  const onRemaining = await member.replyToAnswer((await bob.answer(other)).id);
  const points = (await bob.me()).reputation;
  expectOk(await leave(member, 'delete'));
  await untilGone(member);
  expect(await rowsLeft(member)).toEqual([]);
  expect(await findViolations(server.db)).toEqual([]);
  expect((await bob.get(`/questions/${own}`)).status).toBe(404);
  for (const [kind, id] of [
    ['answers', theirs.id],
    ['answers', answer.id],
    ['answers', remaining.id],
  ] as const)
    expect((await bob.get(`/${kind}/${id}`)).status).toBe(404);
  for (const id of [reply.id, below.id, onRemaining.id])
    expect((await bob.get(`/replies/${id}`)).status).toBe(404);
  const page = await bob.read(other);
  expect(page.question.answerCount).toBe(1);
  // The vote on Bob's question stays. The downvote (2 points) on a deleted post is removed.
  expect((await bob.me()).reputation).toBe(points + 2);
  await eventually(async () => (await reader.get(`/questions/${own}`)).status === 404);
});

test('deletes pictures that no remaining post shows', async () => {
  const count = async ({ id }: Member) => {
    const { rows } = await sql<{ name: string }>`
      select name from upload where member_id = ${id} or name = any(${names})`.execute(server.db);
    return rows.map(({ name }) => names.indexOf(name));
  };
  const names: string[] = [];
  for (const posts of ['keep', 'delete'] as const) {
    const member = await server.register('Fay');
    const paths = [await member.upload(createPngPicture()), await member.upload(createPngPicture())];
    names.splice(0, 2, ...paths.map((path) => parseUploadPath(path)?.name ?? ''));
    await member.ask({ content: `![bread](${paths[0]})` });
    expectOk(await leave(member, posts));
    await untilGone(member);
    expect(await count(member)).toEqual(posts === 'keep' ? [0] : []);
  }
});

test('leaves a placeholder for a reply that others replied to, on a question that stays', async () => {
  const member = await server.register('Dot');
  const answer = await bob.answer(await bob.ask());
  const reply = await member.replyToAnswer(answer.id);
  await bob.replyToAnswer(answer.id, { to: reply });
  expectOk(await leave(member, 'delete'));
  await untilGone(member);
  const { replies } = (await bob.read(answer.questionId)).answers.items[0] ?? {};
  expect(replies?.items[0]).toMatchObject({ deleted: true, content: '', authorName: '' });
  expect(await findViolations(server.db)).toEqual([]);
});

test('continues after an interruption', async () => {
  const { member } = await someone('Eli');
  const question = await bob.ask();
  const answers: Awaited<ReturnType<Member['answer']>>[] = [];
  for (let n = 0; n < 30; n++) answers.push(await member.answer(question));
  isWorking = false;
  await worker.stop();
  expectOk(await leave(member, 'delete'));
  const connection = { ...server.database.connection, application_name: 'cut off' };
  const cut = openDatabase({ connection, maxConnections: 1 });
  const left = async () => (await bob.read(question)).question.answerCount;
  // The job blocks on a locked answer, so that it is still running when it is interrupted.
  const [isLocked, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const locking = transaction(server.db, async (tx) => {
    await sql`select from answer where id = ${answers[15]?.id} for update`.execute(tx);
    isLocked.resolve();
    await released.promise;
  });
  await isLocked.promise;
  const work = createAccountDeletionJob({ db: cut, log }).run({ memberId: member.id });
  const ended = work.then(
    () => 'done',
    () => 'cut off',
  );
  await eventually(async () => (await left()) < 30);
  await eventually(async () => {
    const { rows } = await sql`select pg_terminate_backend(pid) from pg_stat_activity
      where application_name = 'cut off' and wait_event_type = 'Lock'`.execute(server.db);
    return rows.length > 0;
  });
  expect(await ended).toBe('cut off');
  released.resolve();
  await locking;
  await cut.destroy();
  expect(await left()).toBeGreaterThan(0);
  expect(await findViolations(server.db)).toEqual([]);
  await createAccountDeletionJob({ db: server.db, log }).run({ memberId: member.id });
  expect(await left()).toBe(0);
  expect(await rowsLeft(member)).toEqual([]);
  expect(await findViolations(server.db)).toEqual([]);
});

test('a change of the settings that waits for the deletion changes nothing', async () => {
  const dora = await server.register('Dora');
  const [saving] = await transaction(server.db, async (tx) => {
    await deleteAccountInTransaction(tx, {
      memberId: dora.id,
      posts: 'keep',
      secret: 'any',
      queueDeletion: undefined,
    });
    const settings = { displayName: 'Dora', bio: 'A secret bio.', showEmail: true };
    const request = dora.put('/settings', settings);
    await eventually(async () => {
      const { rows } = await sql`
        select from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`.execute(server.db);
      return rows.length === 1;
    });
    return [request];
  });
  expect(await saving).toMatchObject({ status: 401, code: 'signed-out' });
  const { rows } = await sql`select display_name, bio, show_email from member where id = ${dora.id}`.execute(
    server.db,
  );
  expect(rows).toEqual([{ display_name: 'Former member', bio: null, show_email: false }]);
});
