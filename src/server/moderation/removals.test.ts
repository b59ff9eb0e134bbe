import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { findViolations } from '#server/operations/integrity-check.ts';
import { expectOk, type Member } from '#tests/support/member.ts';
import type {
  RegisteredAccount,
  RegistrationNetwork,
  Removal,
  RemovalPreview,
} from '#shared/moderation/removals.ts';
import type { MemberList } from '#shared/moderation/member-list.ts';
import type { CloseVotes } from '#shared/moderation/close-votes.ts';
import {
  actOnMember,
  actOnPost,
  getHiddenPosts,
  getModerationLog,
  getReviewQueue,
  startModeration,
} from '#tests/support/moderation.ts';
import { setSiteSetting } from '#tests/support/site-settings.ts';
import { runRemovalStep, runActivityRemovals } from './activity-removal.ts';

const { server, ann, bob, moderator, other, community, thread } = await startModeration();
const { db } = server;
const reason = 'One seller with many accounts.';
let networks = 0;

/** Makes the names unique. One of these members becomes a moderator, whose name no one else can have. */
let sellers = 0;

/** Registers accounts from one network that post below each other's posts and below those of others. */
async function spammers(count: number) {
  const network = `198.51.100.${++networks}`;
  const members: Member[] = [];
  for (let n = 0; n < count; n++) members.push(await server.register(`Seller ${++sellers}`));
  for (const { id } of members)
    await sql`insert into registration (member_id, network) values (${id}, ${network})
      on conflict (member_id) do update set network = excluded.network`.execute(db);
  const [one, two, three] = members as [Member, Member, Member];
  const { id, answer, reply } = await thread();
  // Each posts below another one's post, of lower and of higher id.
  const first = await one.ask({ title: 'Buy here?', tags: ['zeppelin'] });
  const last = await three.ask({ title: 'Buy there?' });
  const below = await two.answer(first, 'Yes, buy!');
  await one.answer(last, 'Buy everywhere!');
  const deep = await three.replyToAnswer(below.id, { content: 'I did.' });
  await one.replyToAnswer(below.id, { to: deep, content: 'Me too.' });
  const among = await two.replyToAnswer(answer.id, { to: reply, content: 'Mine are cheap.' });
  await three.replyToAnswer(answer.id, { to: among, content: 'They are.' });
  await bob.replyToAnswer(answer.id, { to: among, content: 'No.' });
  await bob.answer(first, 'This is an advertisement.');
  for (const member of members) {
    await member.vote('questions', first, 'up');
    await member.vote('questions', last, 'up');
    await member.vote('answers', below.id, 'up');
    await member.vote('answers', answer.id, 'down');
    await member.vote('questions', id, 'down');
  }
  await bob.vote('questions', first, 'down');
  return { network, members, ids: members.map((member) => member.id), thread: id, first, last };
}

const begin = (member: Member, selection: object) =>
  member.post<Removal>('/moderation/removals', { ...selection, reason });
const removalOf = async (id: number) => expectOk(await moderator.get<Removal>(`/moderation/removals/${id}`));
const getHeldPost = async (memberId: number) =>
  (await sql<{ post_id: number }>`select post_id from held_post where member_id = ${memberId}`.execute(db))
    .rows[0]!;
const finish = () => runActivityRemovals(db, Date.now() + 120_000);

test('previews the counts of a removal, by account and with examples, and changes nothing', async () => {
  const { ids, network } = await spammers(3);
  const before = await community();
  const preview = expectOk(
    await moderator.post<RemovalPreview>('/moderation/removals/preview', { memberIds: [...ids, other.id] }),
  );
  expect(preview).toMatchObject({
    accounts: 3,
    moderators: 1,
    alreadyRemoved: 0,
    questions: 2,
    answers: 2,
    replies: 4,
    votes: 15,
    othersPosts: 1,
  });
  expect(preview.items.map((each) => each.id).toSorted((a, b) => a - b)).toEqual(ids);
  expect(preview.items.every((each) => each.votes === 5)).toBe(true);
  expect(preview.sample).toHaveLength(8);
  expect(preview.sample[0]).toMatchObject({
    kind: 'reply',
    text: 'They are.',
    authorName: expect.stringMatching(/^Seller \d+$/),
  });
  const from = new Date(Date.now() - 3_600_000).toISOString();
  const byNetwork = { network, from, to: new Date().toISOString() };
  expect(
    expectOk(await moderator.post<RemovalPreview>('/moderation/removals/preview', byNetwork)),
  ).toMatchObject({
    accounts: 3,
    votes: 15,
  });
  expect(await community()).toEqual(before);
  for (const wrong of [{}, { network: '192.0.2.200' }, { memberIds: [ids[0]], network }])
    expect((await moderator.post('/moderation/removals/preview', wrong)).status).toBe(400);
  expect(await begin(moderator, { memberIds: [other.id] })).toMatchObject({ status: 409 });
});

test('shows moderators no email address of an account without a name', async () => {
  const nameless = await server.register('Nameless');
  const network = '198.51.100.250';
  await sql`insert into registration (member_id, network) values (${nameless.id}, ${network})
    on conflict (member_id) do update set network = excluded.network`.execute(db);
  await nameless.ask();
  await sql`update member set display_name = null where id = ${nameless.id}`.execute(db);
  const preview = expectOk(
    await moderator.post<RemovalPreview>('/moderation/removals/preview', { memberIds: [nameless.id] }),
  );
  expect(preview.items).toMatchObject([{ displayName: 'Member' }]);
  expect(preview.sample).toMatchObject([{ authorName: 'Member' }]);
  const accounts = expectOk(
    await moderator.get<{ items: RegisteredAccount[] }>(
      `/moderation/registrations/accounts?network=${network}&hours=24`,
    ),
  );
  expect(accounts.items).toMatchObject([{ displayName: 'Member' }]);
  const { items } = expectOk(await moderator.get<MemberList>('/moderation/members'));
  expect(items.find(({ id }) => id === nameless.id)?.displayName).toBe('Member');
});

test('continues a removal of many accounts after interruptions, affects no one else, and restores it', async () => {
  const { ids, network, thread: id, first } = await spammers(4);
  const before = await community();
  const begun = expectOk(await begin(moderator, { network }));
  expect(begun).toMatchObject({ state: 'removing', accounts: 4, posts: 8, votes: 20, postsDone: 0 });
  expect((await moderator.post(`/moderation/removals/${begun.id}/restoration`, { reason })).status).toBe(409);
  // One step at a time, by two processes that take turns. The rest follows later.
  for (let step = 0; step < 4; step++)
    await Promise.all([runRemovalStep(db, begun.id), runRemovalStep(db, begun.id)]);
  const halfway = await removalOf(begun.id);
  expect(halfway.state).toBe('removing');
  expect(halfway.postsDone + halfway.votesDone).toBeGreaterThan(0);
  expect(await findViolations(db)).toEqual([]);
  await finish();
  expect(await removalOf(begun.id)).toMatchObject({ state: 'removed', accounts: 4 });
  expect(await findViolations(db)).toEqual([]);
  expect((await ann.get(`/questions/${first}`)).status).toBe(404);
  expect((await ann.read(id)).question).toMatchObject({ upvotes: 1, downvotes: 0 });
  const { rows } = await sql`
    select from vote where member_id = any(${ids}::bigint[])
    union all select from question where author_id = any(${ids}::bigint[])
    union all select from answer where author_id = any(${ids}::bigint[])
    union all select from reply where author_id = any(${ids}::bigint[]) and deleted_at is null`.execute(db);
  expect(rows).toHaveLength(0);
  // All accounts are being removed already, so a second removal selects none.
  expect(await begin(other, { memberIds: ids })).toMatchObject({ status: 409 });

  const restoring = await moderator.post<Removal>(`/moderation/removals/${begun.id}/restoration`, { reason });
  expect(restoring).toMatchObject({ status: 200, body: { state: 'restoring' } });
  for (let step = 0; step < 3; step++) await runRemovalStep(db, begun.id);
  expect(await findViolations(db)).toEqual([]);
  await finish();
  expect(await removalOf(begun.id)).toMatchObject({ state: 'restored' });
  expect(await findViolations(db)).toEqual([]);
  expect(await community()).toEqual(before);
  expect((await moderator.post(`/moderation/removals/${begun.id}/restoration`, { reason })).status).toBe(409);
  // After the restoration, the accounts can be removed again.
  expect((await begin(moderator, { network })).status).toBe(201);
  await finish();
});

/** The answers and replies of members that everyone sees. */
const visibleBelow = async (memberIds: readonly number[]) => {
  const { rows } = await sql`
    select content from answer where author_id = any(${[...memberIds]}::bigint[])
    union all select content from reply where author_id = any(${[...memberIds]}::bigint[]) and deleted_at is null`.execute(
    db,
  );
  return rows;
};

test('keeps the posts of an account removed when a moderator restores the question above them', async () => {
  const seller = await server.register('Seller Below');
  const id = await ann.ask({ title: 'Cheap zeppelins?' });
  const answer = await seller.answer(id, 'Buy here.');
  const reply = await bob.replyToAnswer(answer.id, { content: 'No.' });
  await seller.replyToAnswer(answer.id, { to: reply, content: 'But yes.' });
  expectOk(await actOnPost(moderator, 'hide', 'question', id));
  expectOk(await actOnMember(moderator, 'remove_activity', seller.id));
  await finish();
  expectOk(await actOnPost(moderator, 'restore', 'question', id));
  expect(await visibleBelow([seller.id])).toEqual([]);
  expect((await ann.read(id)).question.answerCount).toBe(0);
  expect(await findViolations(db)).toEqual([]);
  // The answer is removed with its account, and comes back with it.
  expectOk(await actOnMember(moderator, 'restore_activity', seller.id));
  await finish();
  expect(await visibleBelow([seller.id])).toHaveLength(2);
  expect(await visibleBelow([bob.id])).toContainEqual({ content: 'No.' });
  expect(await findViolations(db)).toEqual([]);
});

test('keeps the posts of the other accounts of a removal hidden when one account is restored', async () => {
  const [one, two] = [await server.register('Seller One'), await server.register('Seller Two')];
  const id = await one.ask({ title: 'Where to buy?' });
  await two.answer(id, 'Buy here.');
  const bobs = await bob.answer(id, 'Do not buy.');
  expectOk(await begin(moderator, { memberIds: [one.id, two.id] }));
  await finish();
  expectOk(await actOnMember(moderator, 'restore_activity', one.id));
  await finish();
  expect(await visibleBelow([two.id])).toEqual([]);
  expect((await ann.read(id)).answers.items.map((each) => each.id)).toEqual([bobs.id]);
  expect(await findViolations(db)).toEqual([]);
  // What the account posts after its removal is not part of it.
  const later = await two.answer(id, 'I am sorry.');
  expectOk(await actOnPost(moderator, 'hide', 'question', id));
  expectOk(await actOnPost(moderator, 'restore', 'question', id));
  expect(await visibleBelow([two.id])).toEqual([{ content: later.content }]);
});

test('rejects the held posts of the accounts, and withdraws their suggested edits and close votes', async () => {
  const [nora, nick] = [await server.register('Nora Seller'), await server.register('Nick Seller')];
  const [id, original] = [await ann.ask(), await ann.ask()];
  const better = { title: 'Cheaper bread?', content: 'Where?', tags: ['bread'], summary: 'Price' };
  expectOk(await nick.post(`/questions/${id}/edit-suggestions`, better));
  await sql`update member set reputation = 500 where id = ${nick.id}`.execute(db);
  expectOk(await nick.put(`/questions/${id}/close-votes`, { vote: 'close', duplicateOf: original }));
  await setSiteSetting(db, 'reviewFirstPosts', 1);
  await setSiteSetting(db, 'holdForApproval', true);
  await server.siteSettings.refresh();
  const draft = { title: 'Buy bread here?', content: 'Very cheap.', tags: ['bread'] };
  expect(await nora.post('/questions', draft)).toMatchObject({ status: 202 });
  expect(await getReviewQueue(moderator)).toMatchObject([{ held: true, title: draft.title }]);

  expectOk(await begin(moderator, { memberIds: [nora.id, nick.id] }));
  expect(await getReviewQueue(moderator)).toEqual([]);
  expect(await getHiddenPosts(nora, (await getHeldPost(nora.id)).post_id)).toMatchObject([
    { status: 'rejected', reason },
  ]);
  const { rows } = await sql<{ status: string }>`
    select status from edit_suggestion where member_id = ${nick.id}`.execute(db);
  expect(rows).toEqual([{ status: 'withdrawn' }]);
  expect(expectOk(await moderator.get<CloseVotes>(`/questions/${id}/close-votes`)).originals).toEqual([]);
  await finish();
  await sql`update member set reputation = 0 where id = ${nick.id}`.execute(db);
  expect(await findViolations(db)).toEqual([]);
  await setSiteSetting(db, 'holdForApproval', false);
  await setSiteSetting(db, 'reviewFirstPosts', 0);
  await server.siteSettings.refresh();
});

test('never removes moderators, even if a member becomes one while it runs, and writes to the moderation log', async () => {
  const { ids, members } = await spammers(3);
  const removal = expectOk(await begin(moderator, { memberIds: [...ids, other.id] }));
  expect(removal.accounts).toBe(3);
  await sql`update member set role = 'moderator' where id = ${members[1]!.id}`.execute(db);
  await finish();
  expect(await removalOf(removal.id)).toMatchObject({ state: 'removed' });
  const { rows } = await sql`select from vote where member_id = ${members[1]!.id}`.execute(db);
  expect(rows.length).toBeGreaterThan(0);
  const entry = (await getModerationLog(moderator)).find((each) => each.before?.['removal'] === removal.id);
  expect(entry).toMatchObject({ action: 'bulk_remove_activity', reason, before: { accounts: 3, votes: 15 } });
  // Members see the action and the reason, but neither the moderator nor the accounts.
  const publicEntry = (await getModerationLog(ann)).find((each) => each.action === 'bulk_remove_activity');
  expect(publicEntry).toMatchObject({ reason, before: null, moderatorName: null });
});

test('lists recent registrations by network for moderators, and lets them approve waiting accounts', async () => {
  const { network, members } = await spammers(3);
  const last = members[2]!;
  await sql`update registration set pending_step = 'moderator' where member_id = ${last.id}`.execute(db);
  await sql`update registration set registered_at = now() - interval '2 days'
    where member_id = ${members[0]!.id}`.execute(db);
  const listed = async (hours: number) =>
    expectOk(
      await moderator.get<{ items: RegistrationNetwork[] }>(`/moderation/registrations?hours=${hours}`),
    ).items.find((each) => each.network === network);
  expect(await listed(24)).toMatchObject({ accounts: 2, pendingAccounts: 1 });
  expect(await listed(72)).toMatchObject({ accounts: 3, pendingAccounts: 1 });
  const path = `/moderation/registrations/accounts?network=${network}`;
  const accounts = expectOk(await moderator.get<{ items: RegisteredAccount[] }>(path)).items;
  expect(accounts).toMatchObject([
    { id: last.id, pendingStep: 'moderator', votes: 5, isRemoved: false },
    { id: members[1]!.id, pendingStep: null },
  ]);
  expect(await last.post('/questions', { title: 'Now?', content: 'Now?' })).toMatchObject({ status: 403 });
  expect((await moderator.post('/moderation/approvals', { memberIds: [last.id] })).status).toBe(204);
  await last.ask();
  expect((await other.post('/moderation/approvals', { memberIds: [last.id] })).status).toBe(409);
  expect((await getModerationLog(moderator))[0]).toMatchObject({ action: 'approve', memberId: last.id });
});

test('a removal that fails does not stop the others', async () => {
  const [broken, removed] = [await server.register('Seller Broken'), await server.register('Seller Removed')];
  const [stays, goes] = [await broken.ask(), await removed.ask()];
  const isVisible = async (id: number) => (await ann.get(`/questions/${id}`)).status === 200;
  await sql`
    create function refuse_hiding() returns trigger language plpgsql as $$ begin raise 'It is broken'; end $$;
    create trigger refuse_hiding before insert on hidden_post
    for each row when (new.author_id = ${sql.lit(broken.id)}) execute function refuse_hiding()`.execute(db);
  for (const { id } of [broken, removed]) expectOk(await actOnMember(moderator, 'remove_activity', id));
  await expect(finish()).rejects.toThrow('It is broken');
  expect([await isVisible(stays), await isVisible(goes)]).toEqual([true, false]);
  await sql`drop trigger refuse_hiding on hidden_post; drop function refuse_hiding`.execute(db);
  await finish();
  expect(await isVisible(stays)).toBe(false);
});
