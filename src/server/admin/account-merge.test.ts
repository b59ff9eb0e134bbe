import { sql } from 'kysely';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import type { MergePreview } from '#shared/admin/account-merges.ts';
import type { PostKind } from '#shared/core/fields.ts';
import type { Profile } from '#shared/identity/profiles.ts';
import type { ModeratedMember, ModerationLog } from '#shared/moderation/moderation.ts';
import { startTestServer } from '#tests/support/server.ts';
import { eventually } from '#tests/support/eventually.ts';
import { expectOk, type Member, password } from '#tests/support/member.ts';
import { actOnMember, actOnPost } from '#tests/support/moderation.ts';
import { transaction } from '#server/core/database.ts';
import { lockMembers } from '#server/identity/index.ts';
import { startActivityRemoval } from '#server/moderation/activity-removal.ts';
import { addToStatistics } from '#server/posts/statistics-changes.ts';
import { findViolations } from '#server/operations/integrity-check.ts';
import { listMergeColumns, mergeColumns } from './account-merge-columns.ts';
import { mergeInTransaction, runAccountMerges } from './account-merge.ts';
import { setRole } from './roles.ts';

const server = await startTestServer();
const secondNode = await server.startSecondNode();
afterAll(async () => {
  await secondNode.stop();
  await server.stop();
});
const admin = await server.register('Adele');
await setRole(server.db, { email: admin.email, role: 'admin' });
const bob = await server.register('Bob');
beforeEach(() => server.resetRateLimits());

const merge = (from: Member, into: Member, more: object = {}) =>
  admin.post(`/admin/members/${from.id}/merge`, { into: into.id, name: from.name, password, ...more });

const settings = { allowsSelfVotes: true };
/** Runs the background part to its end. */
const finish = (wanted: Partial<typeof settings> = {}) =>
  runAccountMerges(
    { db: server.db, settings: { ...settings, ...wanted } },
    { until: Date.now() + 60_000, waitSeconds: -1 },
  );

const profile = async ({ id }: { id: number }) => expectOk(await bob.get<Profile>(`/members/${id}`));

async function count(table: string, column: string, id: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) from ${sql.table(table)} where ${sql.ref(column)} = ${id}`.execute(server.db);
  return rows[0]?.count ?? 0;
}

const removeAll = (memberIds: readonly number[], by = admin) =>
  by.post('/moderation/removals', { memberIds, reason: 'Advertising.' });
const deleteAccount = (member: Member) => member.post('/account-deletion', { password, posts: 'keep' });

/** Waits until so many requests wait for a lock. */
const untilWaiting = (requests: number) =>
  eventually(async () => {
    const { rows } = await sql`
      select from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`.execute(server.db);
    return rows.length === requests;
  });

/** Two accounts with rows in every table, some about the same things. */
async function createTwins() {
  const [from, into] = [await server.register('Twin'), await server.register('Anna')];
  const theirs = await bob.ask({ tags: ['bread', 'salt'] });
  const answer = await bob.answer(theirs);
  const [question, other] = [await from.ask({ tags: ['bread'] }), await into.ask({ tags: ['salt'] })];
  const answered = await from.answer(theirs, 'Of the twin.');
  const reply = await from.replyToAnswer(answer.id);
  await bob.replyToAnswer(answer.id, { to: reply });
  const underOther = await from.answer(other, 'Under the other account.');
  expectOk(await into.put(`/questions/${other}/accepted-answer`, { answerId: underOther.id }));
  for (const voter of [from, into, bob]) await voter.vote('questions', question, 'up');
  await bob.vote('answers', answered.id, 'up');
  await from.vote('questions', theirs, 'up');
  await into.vote('questions', theirs, 'down');
  await from.vote('answers', answer.id, 'up');
  await from.vote('questions', other, 'up');
  for (const member of [from, into]) {
    expectOk(await member.put(`/questions/${theirs}/view`));
    expectOk(await member.put('/tags/bread/follow', { following: true }));
    await member.bookmark('questions', theirs, { note: `Of ${member.name}.` });
    expectOk(await member.put(`/answers/${answer.id}/report`, { reason: 'spam' }));
  }
  expectOk(await from.put('/tags/salt/follow', { following: true }));
  await into.mute('tags/salt');
  const listId = expectOk(await from.post<{ id: number }>('/bookmark-lists', { name: 'Later' })).id;
  await from.bookmark('answers', answer.id, { note: 'Read this.', listIds: [listId] });
  expectOk(await from.put(`/questions/${other}/follow`, { following: true }));
  expectOk(await from.put(`/questions/${question}/view`));
  const fields = { title: 'A draft', content: '', tags: '' };
  const draft = { key: 'a-key-of-a-draft', fields, basedOn: null, clientId: 'a-browser', sequence: 1 };
  expectOk(await from.put('/drafts/ask', draft));
  expectOk(await actOnMember(admin, 'warn', from.id));
  const hidden = await from.ask({ title: 'Hidden?' });
  await bob.vote('questions', hidden, 'up');
  await into.vote('questions', hidden, 'up');
  await from.vote('questions', hidden, 'up');
  expectOk(await actOnPost(admin, 'hide', 'question', hidden));
  return { from, into, theirs, answer, question, other, answered, reply, underOther, hidden };
}

test('names every column that refers to a member', async () => {
  const { rows } = await sql<{ name: string }>`
    select conrelid::regclass || '.' || attname as name
    from pg_constraint join pg_attribute on attrelid = conrelid and attnum = any(conkey)
    where contype = 'f' and confrelid = 'member'::regclass`.execute(server.db);
  expect(Object.keys(mergeColumns).toSorted()).toEqual(rows.map(({ name }) => name).toSorted());
});

test('moves posts, votes and everything else, keeps all counts equal to the rows, and leaves nothing behind', async () => {
  const { from, into, theirs, question, hidden } = await createTwins();
  const preview = expectOk(
    await admin.get<MergePreview>(`/admin/members/${from.id}/merge-preview?into=${into.id}`),
  );
  expect(preview).toMatchObject({
    questions: 2,
    answers: 2,
    replies: 1,
    votes: 5,
    doubleVotes: 3,
    drafts: 1,
  });
  expect(await findViolations(server.db)).toEqual([]);
  expect((await merge(from, into)).status).toBe(204);
  expect(await findViolations(server.db)).toEqual([]);
  await finish();
  expect(await findViolations(server.db)).toEqual([]);
  const left: string[] = [];
  for (const stage of ['removed', 'moved', 'unlessTaken', 'step'] as const)
    for (const { table, column } of listMergeColumns(stage))
      if ((await count(table, column, from.id)) > 0) left.push(`${table}.${column}`);
  expect(left).toEqual([]);
  const merged = await profile(into);
  expect(merged).toMatchObject({ displayName: 'Anna', questionsCount: 2, answersCount: 2 });
  // By Bob's votes on the question and the answer. The accounts' votes for each other earn nothing.
  expect(merged.reputation).toBe(15);
  const page = expectOk(
    await bob.get<{ question: { authorName: string; upvotes: number } }>(`/questions/${question}`),
  );
  expect(page.question).toMatchObject({ authorName: 'Anna', authorId: into.id, upvotes: 2 });
  // The vote of the account that stays wins.
  const { rows } = await sql<{ direction: string }>`
    select direction from vote where question_id = ${theirs} and member_id = ${into.id}`.execute(server.db);
  expect(rows).toEqual([{ direction: 'down' }]);
  const bookmarks = expectOk(await into.get<{ items: { note: string; listIds: number[] }[] }>('/bookmarks'));
  expect(bookmarks.items.map(({ note, listIds }) => [note, listIds.length])).toEqual([
    ['Read this.', 1],
    ['Of Anna.', 0],
  ]);
  expect(await count('report', 'member_id', into.id)).toBe(1);
  expect(await count('draft', 'member_id', into.id)).toBe(1);
  // The warning, and the message about the hidden post.
  expect(await count('moderator_message', 'member_id', into.id)).toBe(2);
  // A restored post counts for the account that stays.
  expectOk(await actOnPost(admin, 'restore', 'question', hidden));
  expect(await profile(into)).toMatchObject({ questionsCount: 3, reputation: 20 });
  expect(await findViolations(server.db)).toEqual([]);
});

test('ends the access to the merged account, frees its address, and its profile leads to the other one', async () => {
  const [from, into] = [await server.register('Twin'), await server.register('Anna')];
  expectOk(await merge(from, into));
  expect((await from.get('/sessions')).status).toBe(401);
  expect((await server.visitor().signIn(from.email, password)).status).toBe(401);
  expect((await profile(from)).id).toBe(into.id);
  expect(
    await server.visitor().post('/members', {
      displayName: 'Newcomer',
      email: from.email,
      password,
      confirmPassword: password,
      showEmail: true,
    }),
  ).toMatchObject({ status: 201 });
  const state = expectOk(await admin.get<ModeratedMember>(`/moderation/members/${from.id}`));
  expect(state.merge).toMatchObject({ into: { id: into.id, displayName: 'Anna' }, finished: false });
  const log = expectOk(await admin.get<ModerationLog>(`/moderation/members/${into.id}/log`));
  expect(log.items[0]).toMatchObject({ action: 'merge_account', before: { merged: from.id } });
  await finish();
  const third = await server.register('Third');
  expectOk(await merge(into, third));
  await finish();
  expect((await profile(from)).id).toBe(third.id);
});

test('removes votes on own posts if such votes are switched off', async () => {
  const [from, into] = [await server.register('Twin'), await server.register('Anna')];
  const question = await into.ask();
  await from.vote('questions', question, 'up');
  expectOk(await merge(from, into));
  await finish({ allowsSelfVotes: false });
  expect(await count('vote', 'question_id', question)).toBe(0);
  expect(await findViolations(server.db)).toEqual([]);
});

test('continues after an interruption, and waits for requests that were running', async () => {
  const { from, into } = await createTwins();
  expectOk(await merge(from, into));
  for (let step = 0; step < 3; step++)
    await runAccountMerges({ db: server.db, settings }, { until: 0, waitSeconds: -1 });
  expect(await findViolations(server.db)).toEqual([]);
  await runAccountMerges({ db: server.db, settings }, { until: Date.now() + 60_000 });
  const isFinished = async () =>
    expectOk(await admin.get<ModeratedMember>(`/moderation/members/${from.id}`)).merge?.finished;
  expect(await isFinished()).toBe(false);
  // A post of a request that was running when the merge started.
  await transaction(server.db, async (tx) => {
    const { rows } = await sql<{ id: number }>`
      insert into reply (question_id, level, author_id, content)
      select max(id), 0, ${from.id}::bigint, 'Late.' from question returning id`.execute(tx);
    await addToStatistics(tx, { questionIds: [], answerIds: [], replyIds: rows.map(({ id }) => id) });
  });
  await finish();
  expect(await isFinished()).toBe(true);
  expect(await count('base_reply', 'author_id', from.id)).toBe(0);
});

test('keeps all counts equal to the rows while members write on two nodes and two nodes merge', async () => {
  const { from, into, theirs, question, answered, reply } = await createTwins();
  const carl = (await server.register('Carl')).onServer(secondNode.address);
  const dora = await server.register('Dora');
  const anna = into.onServer(secondNode.address);
  const posts: [string, number][] = [
    ['questions', question],
    ['questions', theirs],
    ['answers', answered.id],
    ['replies', reply.id],
  ];
  expectOk(await merge(from, into));
  const write = async () => {
    for (let round = 0; round < 6; round++) {
      const vote = round % 2 === 0 ? 'up' : 'down';
      const votes = posts.flatMap(([kind, id]) =>
        [carl, dora, anna].map((voter) => voter.put(`/${kind}/${id}/vote`, { vote })),
      );
      const more = [
        anna.answer(question, `Answer ${round}`),
        carl.replyToAnswer(answered.id),
        dora.ask({ tags: ['bread'] }),
        anna.put('/tags/bread/follow', { following: round % 2 === 0 }),
        anna.put(`/questions/${theirs}/view`),
      ];
      for (const response of await Promise.all(votes)) expect(response.status).toBe(200);
      await Promise.all(more);
    }
  };
  const run = async () => {
    for (let step = 0; step < 40; step++)
      await runAccountMerges({ db: server.db, settings }, { until: 0, waitSeconds: -1 });
  };
  await Promise.all([write(), run(), run()]);
  await finish();
  expect(await findViolations(server.db)).toEqual([]);
  for (const kind of ['question', 'answer', 'reply'] satisfies PostKind[])
    expect(await count(`base_${kind}`, 'author_id', from.id)).toBe(0);
});

describe('refuses', () => {
  test.each([
    ['another name than that of the merged account', { name: 'Anna' }, 400],
    ['a wrong password', { password: 'wrong password' }, 400],
    ['an account that does not exist', { into: 999_999_999 }, 404],
  ])('%s', async (_, more, status) => {
    const [from, into] = [await server.register('Twin'), await server.register('Anna')];
    expect((await merge(from, into, more)).status).toBe(status);
    expect((await from.get('/sessions')).status).toBe(200);
  });

  test('to merge an account into itself, a moderator, a removed, or an already merged account', async () => {
    const [from, into] = [await server.register('Twin'), await server.register('Anna')];
    expect((await merge(from, from)).kind).toBe('not-allowed');
    expect((await merge(admin, into)).kind).toBe('not-allowed');
    expectOk(await actOnMember(admin, 'remove_activity', into.id));
    expect((await merge(from, into)).kind).toBe('not-allowed');
    const third = await server.register('Third');
    expectOk(await merge(from, third));
    expect((await merge(from, third)).status).toBe(409);
    // While the merge runs, the account that stays cannot be merged.
    expect((await merge(third, bob)).status).toBe(409);
  });

  test('to remove the activity of both accounts, and to delete the one that stays, while the merge runs', async () => {
    const [from, into, third] = [
      await server.register('Twin'),
      await server.register('Anna'),
      await server.register('Third'),
    ];
    expectOk(await merge(from, into));
    const refused = { status: 409, code: 'merge-running' };
    for (const { id } of [from, into]) {
      expect(await actOnMember(admin, 'remove_activity', id)).toMatchObject(refused);
      expect(await removeAll([third.id, id])).toMatchObject(refused);
    }
    expect(await deleteAccount(into)).toMatchObject(refused);
    expect(await count('activity_removal', 'member_id', third.id)).toBe(0);
    await finish();
    expectOk(await actOnMember(admin, 'remove_activity', into.id));
    expectOk(await removeAll([third.id]));
    expectOk(await deleteAccount(into));
  });

  test('the same while the transaction that starts the merge has not ended', async () => {
    const [from, into] = [await server.register('Twin'), await server.register('Anna')];
    // Writes of one member wait for each other.
    const otherAdmin = await server.register('Xaver');
    await setRole(server.db, { email: otherAdmin.email, role: 'admin' });
    const waiting = await transaction(server.db, async (tx) => {
      const ids = { fromId: from.id, intoId: into.id };
      await mergeInTransaction(tx, { merge: ids, moderatorId: admin.id, reason: '', queueMerge: undefined });
      const requests = [
        actOnMember(admin, 'remove_activity', into.id),
        removeAll([from.id], otherAdmin),
        deleteAccount(into),
      ];
      await untilWaiting(requests.length);
      return requests;
    });
    for (const response of await Promise.all(waiting))
      expect(response).toMatchObject({ status: 409, code: 'merge-running' });
    expect(await count('activity_removal', 'member_id', into.id)).toBe(0);
    await finish();
  });

  test('to merge an account whose removal commits at the same moment', async () => {
    const [from, into] = [await server.register('Twin'), await server.register('Anna')];
    const [waiting] = await transaction(server.db, async (tx) => {
      await lockMembers(tx, [into.id]);
      await startActivityRemoval(tx, { memberId: into.id, moderatorId: admin.id, reason: 'Advertising.' });
      const merging = merge(from, into);
      await untilWaiting(1);
      return [merging];
    });
    expect(await waiting).toMatchObject({ code: 'merge-of-removed' });
    expect((await from.get('/sessions')).status).toBe(200);
  });
});

describe('an admin', () => {
  test('resets two-factor authentication of a member, whose sessions end, and not that of an admin', async () => {
    const member = await server.register('Lost');
    const path = (id: number) => `/admin/members/${id}/two-factor-removal`;
    expect((await admin.post(path(member.id), { password })).status).toBe(409);
    await sql`insert into two_factor (member_id, encrypted_key) values (${member.id}, 'key')`.execute(
      server.db,
    );
    expect((await admin.post(path(member.id), { password: 'wrong password' })).status).toBe(400);
    expect(expectOk(await admin.post(path(member.id), { password }))).toEqual({
      twoFactor: true,
      passkeys: 0,
      hasPassword: true,
    });
    expect((await member.get('/sessions')).status).toBe(401);
    expectOk(await server.visitor().signIn(member.email, password));
    const log = expectOk(await admin.get<ModerationLog>(`/moderation/members/${member.id}/log`));
    expect(log.items[0]).toMatchObject({ action: 'reset_two_factor', moderatorName: 'Adele' });
    const { rows } = await sql<{ event: string }>`
      select event from security_event where member_id = ${member.id}`.execute(server.db);
    expect(rows).toEqual([{ event: 'two-factor-off' }]);
    expect((await admin.post(path(admin.id), { password })).kind).toBe('not-allowed');
  });
});
