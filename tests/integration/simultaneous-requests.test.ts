import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { setRole } from '#server/admin/roles.ts';
import { findViolations } from '#server/operations/integrity-check.ts';
import { addProfileClaim } from '#tests/support/imported-profile.ts';
import type { Member } from '#tests/support/member.ts';
import { createManyMembers } from '#tests/support/many-members.ts';
import { actOnPost, getHiddenPosts, report } from '#tests/support/moderation.ts';
import { eventually } from '#tests/support/parley.ts';
import { startTestServer, type TestDelivery } from '#tests/support/server.ts';

// Requests that reach two nodes at the same moment: of several members, or one that a proxy repeats on the other node.
const server = await startTestServer();
afterAll(() => server.stop());
beforeEach(() => server.resetRateLimits());
const five = await server.registerAll('Ann', 'Bob', 'Eve', 'Max', 'Rose');
const [ann, bob, eve] = five;

type Send = (member: Member) => Promise<{ status: number }>;

/**
 * Sends requests to two nodes while the rows are locked, so that each has begun its transaction before the rows are free.
 * Returns the statuses. PostgreSQL must not have aborted a transaction (deadlock), which would have run again.
 */
async function sendTogether(
  rows: { query: string; values: unknown[] },
  requests: readonly { member: Member; send: Send }[],
  delivery?: TestDelivery,
): Promise<number[]> {
  const before = await readStatistics();
  const nodes = [await server.startSecondNode({}, delivery), await server.startSecondNode({}, delivery)];
  const client = new pg.Client(server.database.connection);
  await client.connect();
  onTestFinished(() => client.end());
  await client.query('begin');
  await client.query(rows.query, rows.values);
  const answered = Promise.all(
    requests.map(({ member, send }, n) => send(member.onServer(nodes[n % 2]?.address ?? ''))),
  );
  const allWaiting = eventually(async () => (await countWaiting()) >= requests.length);
  expect(await Promise.race([allWaiting.then(() => 'all wait'), answered])).toBe('all wait');
  await client.query('commit');
  const statuses = (await answered).map(({ status }) => status);
  // A connection adds to the statistics when it ends.
  for (const node of nodes) await node.stop();
  await client.end();
  await eventually(async () => (await readStatistics()).connections <= before.connections);
  expect((await readStatistics()).deadlocks).toBe(before.deadlocks);
  return statuses;
}

async function countWaiting(): Promise<number> {
  const { rows } = await sql`
    select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(
    server.db,
  );
  return rows.length;
}

async function readStatistics(): Promise<{ deadlocks: number; connections: number }> {
  const { rows } = await sql<{ deadlocks: number; connections: number }>`
    select deadlocks, (select count(*) from pg_stat_activity where datname = current_database()) as connections
    from pg_stat_database where datname = current_database()`.execute(server.db);
  return rows[0] ?? { deadlocks: 0, connections: 0 };
}

const lockQuestion = (id: number) => ({
  query: 'select from question where id = $1 for update',
  values: [id],
});
const lockMember = (id: number) => ({
  query: 'select from member where id = $1 for update',
  values: [id],
});
const repeat = <Item>(item: Item, times: number): Item[] => Array.from({ length: times }, () => item);

test('moderators act on five answers of one question at once', async () => {
  const moderators = await createManyMembers(server, 5);
  for (const { email } of moderators) await setRole(server.db, { email, role: 'moderator' });
  const id = await ann.ask();
  const answers = await Promise.all(five.map((member) => member.answer(id)));
  const actions = ['hide', 'delete', 'spam', 'lock', 'hide'];
  const requests = moderators.map((member, n) => ({
    member,
    send: (there: Member) => actOnPost(there, actions[n] ?? '', 'answer', answers[n]?.id ?? 0),
  }));
  expect(await sendTogether(lockQuestion(id), requests)).toEqual(repeat(204, 5));
  expect((await bob.read(id)).question).toMatchObject({ answerCount: 1, lockReason: expect.any(String) });
});

test.each(['restore', 'decline_objection'])(
  'an author deletes a question while a moderator decides an objection to a hidden answer of it: %s',
  async (action) => {
    const [moderator] = await createManyMembers(server, 1);
    if (moderator === undefined) throw new Error('not inserted');
    await setRole(server.db, { email: moderator.email, role: 'moderator' });
    const id = await ann.ask();
    const answer = await bob.answer(id);
    await actOnPost(moderator, 'hide', 'answer', answer.id);
    const [hidden] = await getHiddenPosts(bob, id);
    const objection = await bob.put(`/hidden-posts/${hidden?.id}/objection`, { text: 'It is on topic.' });
    expect(objection.status).toBe(204);
    const rows = { query: 'select from hidden_post where id = $1 for update', values: [hidden?.id] };
    const [decided, deleted] = await sendTogether(rows, [
      { member: moderator, send: (there) => actOnPost(there, action, 'answer', answer.id) },
      { member: ann, send: (there) => there.delete(`/questions/${id}`) },
    ]);
    expect([204, 409]).toContain(decided);
    expect(deleted).toBe(204);
  },
);

test('members vote at once to close five questions as duplicates of one', async () => {
  await sql`
    update member set reputation = reputation + 1000, imported_reputation = 1000
    where id = any(${five.map(({ id }) => id)}::bigint[])`.execute(server.db);
  const ids = await Promise.all(five.map((member) => member.ask()));
  const original = await ann.ask();
  const requests = five.map((member, n) => ({
    member,
    send: (there: Member) =>
      there.put(`/questions/${ids[n]}/close-votes`, { vote: 'close', duplicateOf: original }),
  }));
  expect(await sendTogether(lockQuestion(original), requests)).toEqual(repeat(200, 5));
});

test('a report that reaches both nodes is stored and counted once', async () => {
  const id = await ann.ask();
  const requests = repeat({ member: bob, send: (there: Member) => report(there, 'question', id) }, 2);
  expect(await sendTogether(lockMember(bob.id), requests)).toEqual([200, 200]);
  expect(await countOpenReports(id)).toBe(1);
});

test('a withdrawal of a report that reaches both nodes leaves the reports of others', async () => {
  const id = await ann.ask();
  for (const member of [bob, eve]) await report(member, 'question', id);
  const requests = repeat({ member: bob, send: (there: Member) => report(there, 'question', id, null) }, 2);
  const rows = {
    query: 'select from report where member_id = $1 and post_id = $2 for update',
    values: [bob.id, id],
  };
  expect(await sendTogether(rows, requests)).toEqual([200, 200]);
  expect(await countOpenReports(id)).toBe(1);
});

async function countOpenReports(questionId: number): Promise<number> {
  const { rows } = await sql<{ open_reports: number }>`
    select open_reports from review_item where post_kind = 'question' and post_id = ${questionId}`.execute(
    server.db,
  );
  return rows[0]?.open_reports ?? 0;
}

test('of two members who save the push subscription of one browser at once, one has it', async () => {
  const device = {
    endpoint: 'https://push.example.com/device/1',
    p256dh: 'B'.repeat(87),
    auth: 'A'.repeat(22),
  };
  const requests = [ann, bob].map((member) => ({
    member,
    send: (there: Member) => there.put('/push-subscription', device),
  }));
  const rows = { query: 'select from member where id = any($1) for update', values: [[ann.id, bob.id]] };
  const statuses = await sendTogether(rows, requests, {
    pushServices: ['https://push.example.com'],
    runsScheduledJobs: false,
  });
  expect(statuses).toEqual([200, 200]);
  const { rows: stored } = await sql`select from push_subscription`.execute(server.db);
  expect(stored).toHaveLength(1);
});

test('of two claims of one profile that are approved at once, one is', async () => {
  const [moderator, other] = await createManyMembers(server, 2);
  if (moderator === undefined || other === undefined) throw new Error('not inserted');
  for (const { email } of [moderator, other]) await setRole(server.db, { email, role: 'moderator' });
  const wanted = { memberId: ann.id, isRequested: true, site: 'old.example.org', key: '5' };
  const { profileId, claimId } = await addProfileClaim(server.db, wanted);
  const { rows } = await sql<{ id: number }>`
    insert into profile_claim (profile_id, member_id, token, token_expires_at, message, requested_at)
    select profile_id, ${bob.id}, 'parley-of-bob', token_expires_at, message, requested_at
    from profile_claim where id = ${claimId} returning id`.execute(server.db);
  const approve = (member: Member, id: number | undefined) => ({
    member,
    send: (there: Member) =>
      there.put(`/moderation/claims/${id}/decision`, { decision: 'approve', reason: 'It is known.' }),
  });
  const requests = [approve(moderator, claimId), approve(other, rows[0]?.id)];
  const statuses = await sendTogether(lockMember(profileId), requests);
  expect(statuses.toSorted((a, b) => a - b)).toEqual([204, 404]);
});

async function bookmarkInList() {
  const id = await ann.ask();
  const bookmark = await ann.bookmark('questions', id);
  const { body } = await ann.post<{ id: number }>('/bookmark-lists', { name: `List of ${id}` });
  return { id, bookmark, list: body.id };
}

/**
 * Sends two requests of Ann while the rows are locked, the second after the first waits for them. Each waits for more
 * than its first attempts, so that the first gets its locks first.
 */
async function sendInOrder(rows: { query: string; values: unknown[] }, first: AnnSends, second: AnnSends) {
  const node = await server.startSecondNode();
  const client = new pg.Client(server.database.connection);
  await client.connect();
  onTestFinished(async () => void (await Promise.all([client.end(), node.stop()])));
  await client.query('begin');
  await client.query(rows.query, rows.values);
  const answers = [first(ann)];
  await eventually(async () => (await countLongWaits()) === 1);
  answers.push(second(ann.onServer(node.address)));
  await eventually(async () => (await countLongWaits()) === 2);
  await client.query('commit');
  return Promise.all(answers);
}

type AnnSends = (there: Member) => ReturnType<Member['put']>;

async function countLongWaits(): Promise<number> {
  const { rows } = await sql`
    select from pg_locks join pg_stat_activity activity using (pid)
    where datname = current_database() and not granted and waitstart < clock_timestamp() - interval '0.5 s'`.execute(
    server.db,
  );
  return rows.length;
}

test('a list that is deleted while a bookmark is put into it is an unknown list', async () => {
  const { list, bookmark } = await bookmarkInList();
  const rows = { query: 'select from bookmark_list where id = $1 for update', values: [list] };
  const [removed, set] = await sendInOrder(
    rows,
    (there) => there.delete(`/bookmark-lists/${list}`),
    (there) => there.put(`/bookmarks/${bookmark}/lists`, { listIds: [list] }),
  );
  expect(removed).toMatchObject({ status: 204 });
  expect(set).toMatchObject({ status: 400, code: 'bookmark-lists-unknown' });
});

test('a bookmark that is removed while its lists are set is an unknown bookmark', async () => {
  const { id, list, bookmark } = await bookmarkInList();
  const rows = { query: 'select from bookmark where id = $1 for update', values: [bookmark] };
  const [removed, set] = await sendInOrder(
    rows,
    (there) => there.put(`/questions/${id}/bookmark`, { bookmarked: false }),
    (there) => there.put(`/bookmarks/${bookmark}/lists`, { listIds: [list] }),
  );
  expect(removed).toMatchObject({ status: 200 });
  expect(set).toMatchObject({ status: 404, code: 'bookmark-not-found' });
});

test('no count is wrong after all of this', async () => {
  expect(await findViolations(server.db)).toEqual([]);
});
