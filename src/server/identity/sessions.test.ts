import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { expectOk, type Member, password } from '#tests/support/member.ts';
import { startTestServer } from '#tests/support/server.ts';
import type { SessionState } from '#shared/identity/accounts.ts';

const server = await startTestServer();
afterAll(() => server.stop());

test('limits a member to a hundred sessions, lists them all, ends the oldest when another starts, and deletes expired ones', async () => {
  const ann = await server.register('Ann');
  const bob = await server.register('Bob');
  await sql`
    insert into session (member_id, token, created_at, expires_at)
    select member.id, member.id || ' began ' || days || ' days ago', now() - make_interval(days => days),
      now() + make_interval(days => 110 - days)
    from member, generate_series(1, 120) days`.execute(server.db);

  const elsewhere = await ann.signInElsewhere();
  const { items } = expectOk(await elsewhere.get<{ items: { current: boolean }[] }>('/sessions'));
  expect(items).toHaveLength(100);
  expect(items[0]).toMatchObject({ current: true });
  const { rows: remaining } = await sql`
    select member_id, count(*) as count, min(created_at) > now() - interval '100 days' as "areNewest"
    from session group by member_id order by member_id`.execute(server.db);
  expect(remaining).toEqual([
    { member_id: ann.id, count: 100, areNewest: true },
    { member_id: bob.id, count: 121, areNewest: false },
  ]);
  const { rows: recorded } = await sql<{ topic: string }>`
    select distinct topic from event where event ->> 'kind' = 'sessions-ended'`.execute(server.db);
  expect(recorded).toEqual([{ topic: `member:${ann.id}` }]);
  expect((await bob.me()).id).toBe(bob.id);
});

test('ends the session of the browser when someone signs in or registers there', async () => {
  const [ann, bob] = [await server.register('Ann'), await server.register('Bob')];
  const elsewhere = await ann.signInElsewhere();
  const sessionOf = async (member: Member) => {
    const { items } = expectOk(await member.get<{ items: { id: number; current: boolean }[] }>('/sessions'));
    return items.find(({ current }) => current)?.id;
  };
  const first = await sessionOf(ann);
  expect(expectOk(await ann.signIn(bob.email, password)).member?.id).toBe(bob.id);
  const second = await sessionOf(ann);
  const registration = { displayName: 'Cid', email: 'cid@example.org', password };
  expectOk(await ann.post<SessionState>('/members', registration));

  const { rows: remaining } = await sql`
    select id from session where member_id = any(${[ann.id, bob.id]}::bigint[]) order by id`.execute(
    server.db,
  );
  expect(remaining).toEqual([{ id: await sessionOf(bob) }, { id: await sessionOf(elsewhere) }]);
  const { rows: events } = await sql`
    select topic, (event ->> 'sessionId')::int as session from event
    where event ->> 'kind' = 'sessions-ended' and topic = any(${[`member:${ann.id}`, `member:${bob.id}`]}::text[])
    order by session`.execute(server.db);
  expect(events).toEqual([
    { topic: `member:${ann.id}`, session: first },
    { topic: `member:${bob.id}`, session: second },
  ]);
});

test('reads no session from a cookie whose name only ends like that of the session', async () => {
  const ann = await server.register('Ann');
  const cookie = [...ann.cookies].map(([name, value]) => `x ${name}=${value}`).join('; ');
  const bob = server.visitor();
  expect(expectOk(await bob.send('GET', '/session', { headers: { cookie } }))).toMatchObject({
    member: null,
  });
});

test('refuses a session that began while the account was deleted', async () => {
  const ann = await server.register('Ann');
  const { rows } = await sql<{
    token: string;
  }>`select token from session where member_id = ${ann.id}`.execute(server.db);
  const cookies = new Map(ann.cookies);
  expectOk(await ann.post('/account-deletion', { password, posts: 'keep' }));
  await sql`
    insert into session (member_id, token, expires_at)
    values (${ann.id}, ${rows[0]?.token}, now() + interval '1 day')`.execute(server.db);
  ann.cookies = cookies;
  const question = { title: 'Am I deleted?', content: 'In a bag, on the table.' };
  expect(await ann.post('/questions', question)).toMatchObject({ status: 401, kind: 'signed-out' });
  expect(expectOk(await ann.get('/session'))).toMatchObject({ member: null });
});
