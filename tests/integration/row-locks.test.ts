import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { setRole } from '#server/admin/roles.ts';
import { countStatistics } from '#server/admin/statistics.ts';
import type { Database } from '#server/core/database.ts';
import { recordNewChanges } from '#server/integrations/changes.ts';
import { password } from '#tests/support/member.ts';
import { createManyMembers } from '#tests/support/many-members.ts';
import { actOnPost, report } from '#tests/support/moderation.ts';
import { eventually } from '#tests/support/parley.ts';
import { startTestServer } from '#tests/support/server.ts';

// Every transaction locks rows in the same order. While one waits for its first row, it must hold no other row: the
// holder of the first row may wait for that one, and PostgreSQL would abort one of the two (deadlock).
const server = await startTestServer();
afterAll(() => server.stop());
const ann = await server.register('Ann');
const bob = await server.register('Bob');

/** Locks rows in another transaction until the test ends or `free` is called. */
async function locked(rows: string, ...values: unknown[]) {
  const client = new pg.Client(server.database.connection);
  await client.connect();
  let isFree = false;
  const free = async () => {
    if (isFree) return;
    isFree = true;
    await client.end();
  };
  onTestFinished(free);
  await client.query('begin');
  await client.query(rows, values);
  return { free };
}

const isLockAwaited = async () => {
  const { rows } = await sql`
    select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(
    server.db,
  );
  return rows.length > 0;
};

test('an edit that waits for one tag locks no other', async () => {
  const id = await ann.ask({ tags: ['first'] });
  await ann.ask({ tags: ['second'] });
  const { free } = await locked(`select from tag where key = 'first' for no key update`);
  const edited = ann.put(`/questions/${id}`, { title: 'Which?', content: 'This.', tags: ['second'] });
  await eventually(isLockAwaited);
  const other = await locked(`select from tag where key = 'second' for no key update nowait`);
  await other.free();
  await free();
  expect(await edited).toMatchObject({ status: 200 });
});

test('a deletion that waits for one author locks no other', async () => {
  const id = await ann.ask();
  await bob.answer(id);
  const { free } = await locked('select from member where id = $1 for no key update', ann.id);
  const deleted = ann.delete(`/questions/${id}`);
  await eventually(isLockAwaited);
  const other = await locked('select from member where id = $1 for no key update nowait', bob.id);
  await other.free();
  await free();
  expect(await deleted).toMatchObject({ status: 204 });
});

test.each(['hides', 'deletes'])(
  'one who %s a question and waits for a duplicate locks no author',
  async (how) => {
    const [author, moderator] = await createManyMembers(server, 2);
    if (author === undefined || moderator === undefined) throw new Error('not inserted');
    await setRole(server.db, { email: moderator.email, role: 'moderator' });
    const [id, duplicate] = [await author.ask(), await ann.ask()];
    const marked = await actOnPost(moderator, 'duplicate', 'question', duplicate, { duplicateOf: id });
    expect(marked).toMatchObject({ status: 204 });
    const { free } = await locked('select from question where id = $1 for no key update', duplicate);
    const removed =
      how === 'deletes' ? author.delete(`/questions/${id}`) : actOnPost(moderator, 'hide', 'question', id);
    await eventually(isLockAwaited);
    const other = await locked('select from member where id = $1 for no key update nowait', author.id);
    await other.free();
    await free();
    expect(await removed).toMatchObject({ status: 204 });
  },
);

test('a change of address that waits for a new post of the member has no lock that the post needs', async () => {
  const { free } = await locked('select from member where id = $1 for key share', ann.id);
  const changed = ann.put('/email-address', { email: 'moved@example.org', password });
  await eventually(isLockAwaited);
  const post = await locked('select from member where id = $1 for no key update nowait', ann.id);
  await post.free();
  await free();
  expect(await changed).toMatchObject({ status: 200 });
});

test('sign-in methods and API tokens of a member do not wait for a new post of the member', async () => {
  const admin = await server.register('Olga');
  await setRole(server.db, { email: admin.email, role: 'admin' });
  await locked('select from member where id = $1 for key share', bob.id);
  const draft = { name: 'Backup', scopes: ['read'], expiresInDays: 30, password };
  expect(await bob.post('/api-tokens', draft)).toMatchObject({ status: 201 });
  const removed = await admin.post(`/admin/members/${bob.id}/two-factor-removal`, { password });
  expect(removed).toMatchObject({ status: 409 });
  const change = { currentPassword: password, newPassword: `${password}, changed` };
  expect(await bob.put('/password', change)).toMatchObject({ status: 204 });
});

test('moderators who dismiss or approve do not block votes, views and answers', async () => {
  const moderator = await server.register('Max');
  await setRole(server.db, { email: moderator.email, role: 'moderator' });
  const id = await ann.ask();
  await report(bob, 'question', id);
  await locked('select from question where id = $1 for no key update', id);
  expect(await actOnPost(moderator, 'dismiss', 'question', id)).toMatchObject({ status: 204 });
  await sql`
    insert into review_item (post_kind, post_id, open_reports, other_cause) values ('question', ${id}, 0, 'first_post')`.execute(
    server.db,
  );
  expect(await actOnPost(moderator, 'approve', 'question', id)).toMatchObject({ status: 204 });
});

test('a member who may not vote to close a question waits for no lock of it', async () => {
  const [id, original] = [await ann.ask(), await ann.ask()];
  await locked('select from question where id = any($1) for update', [id, original]);
  const vote = { vote: 'close', duplicateOf: original };
  expect(await bob.put(`/questions/${id}/close-votes`, vote)).toMatchObject({ status: 403 });
});

test('voting, following and bookmarking do not block replies and edits', async () => {
  const id = await ann.ask();
  const answer = await ann.answer(id);
  await locked('select from question where id = $1 for key share', id);
  await bob.replyToQuestion(id);
  await bob.replyToAnswer(answer.id);
  const edits = [
    await ann.put(`/answers/${answer.id}`, { content: 'Four days.' }),
    await ann.put(`/questions/${id}`, { title: 'Which?', content: 'This.', tags: [] }),
    await ann.put(`/questions/${id}/accepted-answer`, { answerId: answer.id }),
  ];
  expect(edits.map(({ status }) => status)).toEqual([200, 200, 200]);
});

test('replies that wait for a question leave connections to other requests, and are stored once', async () => {
  const [rose, eve] = await server.registerAll('Rose', 'Eve');
  const [id, other] = [await rose.ask(), await rose.ask()];
  const members = await createManyMembers(server, 40);
  const { free } = await locked('select from question where id = $1 for update', id);
  const replied = members.map((member) => member.post(`/questions/${id}/replies`, reply));
  await eventually(isLockAwaited);
  const others = Promise.all([
    rose.get(`/questions/${other}`),
    eve.put(`/questions/${other}/vote`, { vote: 'up' }),
    eve.post(`/questions/${other}/replies`, reply),
    eve.put(`/questions/${other}/bookmark`, { bookmarked: true }),
    rose.signInElsewhere(),
  ]);
  const firstReply = Promise.race(replied).then(() => 'a reply has ended');
  expect(await Promise.race([firstReply, others])).toMatchObject([
    { status: 200 },
    { status: 200 },
    { status: 201 },
    { status: 200 },
    { id: rose.id },
  ]);
  await free();
  const statuses = (await Promise.all(replied)).map(({ status }) => status);
  expect(statuses).toEqual(members.map(() => 201));
  const { rows } = await sql`select from reply where question_id = ${id}`.execute(server.db);
  expect(rows).toHaveLength(40);
});

test.each([
  ['the list of public changes', 'select from public_change_state for update', recordNewChanges],
  ['the statistics', 'lock table community_statistics', (db: Database) => countStatistics(db, Infinity)],
])('a job that updates %s waits for a lock without a repetition', async (_, rows, update) => {
  await recordNewChanges(server.db);
  await ann.ask();
  const { free } = await locked(rows);
  const updated = update(server.db);
  let first: Waiting;
  await eventually(async () => (first = await findWaiting()) !== undefined);
  let later: Waiting;
  await eventually(async () => (later = await findWaiting())?.isLong === true);
  expect(later?.begun).toEqual(first?.begun);
  await free();
  await updated;
});

type Waiting = { begun: Date; isLong: boolean } | undefined;

/** The transaction that waits for a lock, and whether it is older than one that is repeated after a short wait. */
async function findWaiting(): Promise<Waiting> {
  const { rows } = await sql<NonNullable<Waiting>>`
    select xact_start as begun, clock_timestamp() - xact_start > '400 ms' as "isLong" from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`.execute(server.db);
  return rows[0];
}

const reply = { parentReplyId: null, content: 'Which one?' };
