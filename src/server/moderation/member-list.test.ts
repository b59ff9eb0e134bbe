import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { setRole } from '#server/admin/roles.ts';
import { runActivityRemovals } from './activity-removal.ts';
import type { MemberList } from '#shared/moderation/member-list.ts';
import type { Profile } from '#shared/identity/profiles.ts';
import { expectOk, type Member } from '#tests/support/member.ts';
import { setSiteSetting } from '#tests/support/site-settings.ts';
import { startModeration } from '#tests/support/moderation.ts';

const { server, ann, moderator } = await startModeration();
const { db } = server;
const admin = await server.register('Nadia Owner');
await setRole(db, { email: admin.email, role: 'admin' });

const read = async (query: Record<string, string>, reader: Member = moderator) =>
  expectOk(await reader.get<MemberList>(`/moderation/members?${new URLSearchParams(query).toString()}`));
const names = async (query: Record<string, string>, reader?: Member) =>
  (await read(query, reader)).items.map(({ displayName }) => displayName);

test('lists members with an account in pages, the latest first, with what a moderator decides by', async () => {
  const late = await server.register('Larry Late');
  await late.ask();
  const first = await read({});
  expect(first.items[0]).toMatchObject({
    id: late.id,
    displayName: 'Larry Late',
    role: 'member',
    questions: 1,
    answers: 0,
    suspendedUntil: null,
    isRemoved: false,
    registeredAt: expect.stringMatching(/Z$/u),
    lastSignInAt: expect.stringMatching(/Z$/u),
  });
  expect(first).toMatchObject({ nextCursor: null, hasMore: false });

  // Many that registered in the same millisecond.
  await sql`insert into member (display_name, email, created_at)
    select 'Crowd ' || n, 'crowd' || n || '@example.org', '2020-01-01' from generate_series(1, 250) n`.execute(
    db,
  );
  await sql`with site as (insert into import_source (site, license) values ('old.example', 'CC BY-SA 4.0') returning id)
    insert into member (display_name, source_id, source_key) select 'Imported', id, '1' from site`.execute(
    db,
  );
  const seen: number[] = [];
  let cursor: string | null = null;
  do {
    const page: MemberList = await read(cursor === null ? {} : { cursor });
    seen.push(...page.items.map(({ id }) => id));
    cursor = page.nextCursor;
  } while (cursor !== null);
  expect(new Set(seen).size).toBe(seen.length);
  const { rows } = await sql<{ id: number }>`
    select id from member where email is not null and source_id is null order by created_at desc, id desc`.execute(
    db,
  );
  expect(seen).toEqual(rows.map(({ id }) => id));
});

test('finds members by the beginning of a name, and says when there are more', async () => {
  expect(await names({ q: 'larry' })).toEqual(['Larry Late']);
  expect(await names({ q: '%' })).toEqual([]);
  const crowd = await read({ q: 'CROWD ' });
  expect(crowd.items).toHaveLength(100);
  expect(crowd).toMatchObject({ nextCursor: null, hasMore: true });
  expect(await read({ q: 'crowd 25' })).toMatchObject({ hasMore: false });
  expect(await names({ q: 'crowd 25' })).toEqual(['Crowd 25', 'Crowd 250']);
});

test('only admins search by email address', async () => {
  expect(await names({ q: 'Crowd7@example.org' }, admin)).toEqual(['Crowd 7']);
  expect(await names({ q: 'crowd7@example.org' })).toEqual([]);
});

test('filters by role, suspension, pending step and removed activity', async () => {
  const [bad, waiting, gone] = [
    await server.register('Bad Behaviour'),
    await server.register('Waiting Wendy'),
    await server.register('Gone Gary'),
  ];
  const act = (body: object) =>
    moderator.post('/moderation/member-actions', { reason: 'For the test.', ...body });
  const until = new Date(Date.now() + 86_400_000).toISOString();
  expectOk(await act({ action: 'suspend', memberId: bad.id, until }));
  await sql`insert into registration (member_id, pending_step) values (${waiting.id}, 'moderator')
    on conflict (member_id) do update set pending_step = excluded.pending_step`.execute(db);
  await gone.ask();
  expectOk(await act({ action: 'remove_activity', memberId: gone.id }));
  await runActivityRemovals(db, Date.now() + 60_000);

  expect(await read({ show: 'suspended' })).toMatchObject({
    items: [{ displayName: 'Bad Behaviour', suspendedUntil: until }],
  });
  expect(await read({ show: 'waiting' })).toMatchObject({
    items: [{ displayName: 'Waiting Wendy', pendingStep: 'moderator' }],
  });
  expect(await read({ show: 'removed' })).toMatchObject({
    items: [{ displayName: 'Gone Gary', isRemoved: true }],
  });
  expect(await names({ show: 'suspended', q: 'waiting' })).toEqual([]);
  expect(await names({ show: 'team', q: 'nadia' })).toEqual(['Nadia Owner']);
  expect((await read({ show: 'team' })).items.every(({ role }) => role !== 'member')).toBe(true);
  expectOk(await act({ action: 'lift_suspension', memberId: bad.id }));
  expect(await names({ show: 'suspended' })).toEqual([]);
});

test('admins download all members with their addresses, formulas in names are defused', async () => {
  await sql`insert into member (display_name, email, created_at)
    values ('=SUM(A1)', 'formula@example.org', '2019-01-01')`.execute(db);
  // More than one batch.
  await sql`insert into member (display_name, email, created_at)
    select 'Mass ' || n, 'mass' || n || '@example.org', '2018-01-01' from generate_series(1, 1200) n`.execute(
    db,
  );
  const response = await admin.send('GET', '/admin/members.csv');
  expect(response.headers.get('content-type')).toContain('text/csv');
  expect(response.headers.get('content-disposition')).toContain('members.csv');
  const lines = String(response.body).trim().split('\r\n');
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from member where email is not null and source_id is null`.execute(db);
  expect(lines).toHaveLength((rows[0]?.count ?? 0) + 1);
  expect(lines[0]).toMatch(/^id,name,email,role,/u);
  expect(lines.filter((line) => line.includes("'=SUM(A1),formula@example.org,member,"))).toHaveLength(1);
  expect(await moderator.get('/admin/members.csv')).toMatchObject({ status: 404 });
});

test('refuses malformed queries, and other members', async () => {
  expect(await moderator.get('/moderation/members?show=everybody')).toMatchObject({ status: 400 });
  expect(await moderator.get('/moderation/members?cursor=x')).toMatchObject({ status: 400 });
  expect(await moderator.get(`/moderation/members?q=${'x'.repeat(201)}`)).toMatchObject({ status: 400 });
  expect(await ann.get('/moderation/members')).toMatchObject({ status: 404, kind: 'not-found' });
});

test('lists new accounts whose only content is a profile with links, with the spam rules that it matches', async () => {
  await setSiteSetting(db, 'blockedDomains', ['pills.example']);
  await server.siteSettings.refresh();
  const describe = async (name: string, bio: string) => {
    const member = await server.register(name);
    expectOk(await member.put('/settings', { displayName: name, bio, showEmail: false }));
    return member;
  };
  const seller = await describe('Paula Pills', 'Best prices: https://pills.example/buy');
  await describe('Hugo Homepage', 'I write at www.hugo.example.');
  await describe('Peter Plain', 'I bake bread. No more.');
  const author = await describe('Anna Author', 'See https://anna.example.');
  await author.ask();
  const { items } = await read({ show: 'profile_links' });
  expect(items.map(({ displayName }) => displayName)).toEqual(['Hugo Homepage', 'Paula Pills']);
  expect(items[0]).toMatchObject({ bio: 'I write at www.hugo.example.', matchedRules: [] });
  expect(items[1]?.matchedRules).toEqual([{ rule: 'domain', value: 'pills.example' }]);
  expect((await read({ show: 'all' })).items.every(({ bio }) => bio === null)).toBe(true);

  // The removal of all activity hides the text from others too, and settles the account.
  const profile = async (reader: Member) => expectOk(await reader.get<Profile>(`/members/${seller.id}`)).bio;
  expect(await profile(ann)).toContain('pills.example');
  const act = (action: string) =>
    moderator.post('/moderation/member-actions', { action, memberId: seller.id, reason: 'Advertisement.' });
  expectOk(await act('remove_activity'));
  await runActivityRemovals(db, Date.now() + 60_000);
  expect(await profile(ann)).toBeNull();
  expect(await profile(seller)).toContain('pills.example');
  expect(await names({ show: 'profile_links' })).toEqual(['Hugo Homepage']);
  expectOk(await act('restore_activity'));
  await runActivityRemovals(db, Date.now() + 60_000);
  expect(await profile(ann)).toContain('pills.example');
  expect(await names({ show: 'profile_links' })).toEqual(['Hugo Homepage', 'Paula Pills']);
});
