import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { transaction } from '#server/core/database.ts';
import { eventually } from '#tests/support/eventually.ts';
import { expectOk, type Member, password } from '#tests/support/member.ts';
import { startTestServer } from '#tests/support/server.ts';
import type { Notifications } from '#shared/notifications/notifications.ts';
import type { ModerationLog } from '#shared/moderation/moderation.ts';
import { listMembersWithRole, setRole } from './roles.ts';

const server = await startTestServer();
afterAll(() => server.stop());

test("applies a new role, and its removal, from the member's next request on", async () => {
  const ann = await server.register('Ann');
  expect((await ann.me()).role).toBe('member');
  expect(await setRole(server.db, { email: ` ${ann.email.toUpperCase()} `, role: 'moderator' })).toBe(true);
  expect((await ann.me()).role).toBe('moderator');
  expect(await listMembersWithRole(server.db, { role: 'moderator', after: 0, limit: 10 })).toEqual([
    { id: ann.id, email: ann.email, name: 'Ann' },
  ]);
  expect(await setRole(server.db, { email: ann.email, role: 'member' })).toBe(true);
  expect((await ann.me()).role).toBe('member');
  expect(await setRole(server.db, { email: 'nobody@example.org', role: 'moderator' })).toBe(false);
});

test('lets a suspended member read, sign in and manage their account, and refuses everything they write', async () => {
  const bob = await server.register('Bob');
  const id = await bob.ask();
  await sql`
    update member set suspended_until = now() + interval '1 hour', suspension_reason = 'Three warnings.'
    where id = ${bob.id}`.execute(server.db);
  const refused = await bob.post('/questions', { title: 'One more?', content: 'Please.' });
  expect(refused).toMatchObject({
    status: 403,
    kind: 'suspended',
    detail: expect.stringMatching(
      /^Your account is suspended until .* UTC\. You can read but not post\. Reason: Three warnings\.$/,
    ),
    body: { reason: 'Three warnings.', until: expect.any(String) },
  });
  expect((await bob.put(`/questions/${id}/vote`, { vote: 'up' })).status).toBe(403);
  expect((await bob.delete(`/questions/${id}`)).status).toBe(403);
  expect((await bob.read(id)).question.id).toBe(id);
  const elsewhere = await bob.signInElsewhere();
  expect((await elsewhere.me()).suspended).toMatchObject({ reason: 'Three warnings.' });
  expect((await elsewhere.delete('/sessions')).status).toBe(204);
  await sql`update member set suspended_until = now() - interval '1 second' where id = ${bob.id}`.execute(
    server.db,
  );
  expect((await elsewhere.me()).suspended).toBeNull();
  await elsewhere.vote('questions', id, 'up');
});

test('refuses to change or delete entries of the moderation log, even in the database', async () => {
  const { rows } = await sql<{ count: number }>`select count(*) from moderation_log`.execute(server.db);
  expect(rows[0]?.count).toBe(2);
  for (const change of [
    sql`update moderation_log set reason = 'Another.'`,
    sql`delete from moderation_log`,
    sql`truncate moderation_log`,
  ])
    await expect(change.execute(server.db)).rejects.toThrow(/append-only/);
});

test('lets admins change roles, and everyone else find nothing', async () => {
  const [adele, maud, carl] = [
    await server.register('Adele'),
    await server.register('Maud'),
    await server.register('Carl'),
  ];
  await setRole(server.db, { email: adele.email, role: 'admin' });
  const path = (id: number) => `/admin/members/${id}/role`;
  expect((await adele.put(path(maud.id), { role: 'moderator' })).status).toBe(204);
  expect((await maud.me()).role).toBe('moderator');
  expect((await adele.get(`/moderation/members/${carl.id}`)).status).toBe(200);
  expect((await maud.put(path(carl.id), { role: 'admin' })).status).toBe(404);
  expect((await carl.put(path(carl.id), { role: 'admin' })).status).toBe(404);
  expect((await adele.put(path(999_999_999), { role: 'admin' })).kind).toBe('not-found');
  expect((await adele.put(path(carl.id), { role: 'owner' })).kind).toBe('invalid');
  expect(await adele.put(path(adele.id), { role: 'moderator', password })).toMatchObject({
    status: 403,
    detail: expect.stringContaining('You are the only admin.'),
  });
  const log = await adele.get<ModerationLog>('/moderation/log');
  expect(log.body.items[0]).toMatchObject({
    action: 'role',
    memberName: 'Maud',
    moderatorName: 'Adele',
    before: { role: 'member' },
    after: { role: 'moderator' },
  });
});

async function readSecurityEvents({ id }: Member): Promise<string[]> {
  const { rows } = await sql<{ event: string }>`
    select event from security_event where member_id = ${id} and notify_email is not null order by id`.execute(
    server.db,
  );
  return rows.map(({ event }) => event);
}

test('requires the password to give or take the role of an admin, and emails the member and all admins', async () => {
  await sql`update member set role = 'member'`.execute(server.db);
  const [alma, ben, cora] = [
    await server.register('Alma'),
    await server.register('Ben'),
    await server.register('Cora'),
  ];
  for (const { email } of [alma, ben]) await setRole(server.db, { email, role: 'admin' });
  await sql`delete from security_event`.execute(server.db);
  const change = ({ id }: Member, draft: object) => alma.put(`/admin/members/${id}/role`, draft);
  for (const draft of [{}, { password: 'wrong password' }])
    for (const [member, role] of [
      [cora, 'admin'],
      [ben, 'moderator'],
      [alma, 'member'],
    ] as const)
      expect(await change(member, { role, ...draft })).toMatchObject({
        status: 400,
        errors: [{ field: 'password', code: 'current-password-wrong' }],
      });
  expect([(await alma.me()).role, (await ben.me()).role, (await cora.me()).role]).toEqual([
    'admin',
    'admin',
    'member',
  ]);
  expectOk(await change(cora, { role: 'moderator' }));
  expectOk(await change(ben, { role: 'admin' }));
  for (const admin of [alma, ben]) expect(await readSecurityEvents(admin)).toEqual([]);
  expectOk(await change(cora, { role: 'admin', password }));
  expect(await readSecurityEvents(cora)).toEqual(['role-changed', 'role-changed']);
  for (const admin of [alma, ben]) expect(await readSecurityEvents(admin)).toEqual(['admin-added']);
  expectOk(await change(ben, { role: 'member', password }));
  expect(await readSecurityEvents(ben)).toEqual(['admin-added', 'role-changed']);
  expectOk(await change(alma, { role: 'member', password }));
  expect((await alma.me()).role).toBe('member');
  expect(await readSecurityEvents(alma)).toEqual(['admin-added', 'role-changed']);
  expect(await readSecurityEvents(cora)).toHaveLength(2);
});

test('requires a recent sign-in of an admin without a password who makes a member an admin', async () => {
  const [nina, otto] = [await server.register('Nina'), await server.register('Otto')];
  await setRole(server.db, { email: nina.email, role: 'admin' });
  await sql`update account set password = null where member_id = ${nina.id}`.execute(server.db);
  const change = () => nina.put(`/admin/members/${otto.id}/role`, { role: 'admin' });
  await sql`update session set created_at = now() - interval '1 hour' where member_id = ${nina.id}`.execute(
    server.db,
  );
  expect(await change()).toMatchObject({ status: 403, code: 'sign-in-too-old' });
  expect((await otto.me()).role).toBe('member');
  await sql`update session set created_at = now() where member_id = ${nina.id}`.execute(server.db);
  expectOk(await change());
  expect((await otto.me()).role).toBe('admin');
});

test('does not take the role of an admin from a member who got it meanwhile, without the password', async () => {
  const [rita, sven] = [await server.register('Rita'), await server.register('Sven')];
  await setRole(server.db, { email: rita.email, role: 'admin' });
  const changes = await transaction(server.db, async (tx) => {
    await sql`update member set role = 'admin' where id = ${sven.id}`.execute(tx);
    const change = rita.put(`/admin/members/${sven.id}/role`, { role: 'moderator' });
    await untilWaiting(1);
    return [change];
  });
  expect(await changes[0]).toMatchObject({ status: 409, code: 'handled-already' });
  expect((await sven.me()).role).toBe('admin');
});

test('leaves one of two admins who give up the role at the same time', async () => {
  const [one, two] = [await server.register('One'), await server.register('Two')];
  for (const { email } of [one, two]) await setRole(server.db, { email, role: 'admin' });
  await sql`update member set role = 'member' where role = 'admin' and id not in (${one.id}, ${two.id})`.execute(
    server.db,
  );
  const given = await Promise.all(
    [one, two].map((admin) => admin.put(`/admin/members/${admin.id}/role`, { role: 'member', password })),
  );
  expect(given.map(({ status }) => status)).toEqual(expect.arrayContaining([204, 403]));
});

test('ends the suspension of a member who gets a role', async () => {
  const max = await server.register('Max');
  await sql`
    update member set suspended_until = now() + interval '1 day', suspension_reason = 'Spam.' where id = ${max.id}`.execute(
    server.db,
  );
  expect(await max.post('/questions', { title: 'Who?', content: 'Me.' })).toMatchObject({ status: 403 });
  await setRole(server.db, { email: max.email, role: 'moderator' });
  await max.ask();
  await setRole(server.db, { email: max.email, role: 'member' });
  await max.ask();
});

test('deletes the notifications of queues that a new role does not see', async () => {
  const former = await server.register('Frieda');
  const kinds = async () =>
    expectOk(await former.get<Notifications>('/notifications'))
      .items.map(({ kind }) => kind)
      .toSorted();
  await setRole(server.db, { email: former.email, role: 'admin' });
  await sql`
    insert into base_notification (recipient_id, kind, pending_email)
    select ${former.id}, unnest(array['review', 'application', 'profile_claim', 'webhook']), 'daily'`.execute(
    server.db,
  );
  const all = await kinds();
  expect(all).toHaveLength(4);
  await setRole(server.db, { email: former.email, role: 'moderator' });
  expect(await kinds()).toEqual(all.filter((kind) => kind !== 'webhook'));
  await setRole(server.db, { email: former.email, role: 'member' });
  expect(await kinds()).toEqual([]);
});

/** Waits until so many requests wait for a lock. */
const untilWaiting = (count: number) =>
  eventually(async () => {
    const { rows } = await sql`
      select from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`.execute(server.db);
    return rows.length === count;
  });

test.each([
  ['deletes the account', 'Hilbert'],
  ['gets a role', 'Hawking'],
])('locks no admin before a member with a lower id who %s', async (how, name) => {
  const [low, high] = [await server.register('Low'), await server.register(name)];
  await setRole(server.db, { email: high.email, role: 'admin' });
  const change = await transaction(server.db, async (tx) => {
    await sql`select from member where id = ${low.id} for no key update`.execute(tx);
    const started =
      how === 'deletes the account'
        ? low.post('/account-deletion', { password, posts: 'keep' })
        : high.put(`/admin/members/${low.id}/role`, { role: 'moderator' });
    await untilWaiting(1);
    await sql`select from member where id = ${high.id} for no key update nowait`.execute(tx);
    return [started];
  });
  expect(await change[0]).toMatchObject({ status: 204 });
});

test.each(['deletes the account', 'gives up the role'])(
  'leaves one of two admins who delete their accounts or give up the role at the same time: the other one %s',
  async (how) => {
    await sql`update member set role = 'member'`.execute(server.db);
    const [one, two] = [await server.register('One'), await server.register('Two')];
    for (const { email } of [one, two]) await setRole(server.db, { email, role: 'admin' });
    const changes = await transaction(server.db, async (tx) => {
      await sql`select from member where id in (${one.id}, ${two.id}) order by id for no key update`.execute(
        tx,
      );
      const ofTwo =
        how === 'deletes the account'
          ? two.post('/account-deletion', { password, posts: 'keep' })
          : two.put(`/admin/members/${two.id}/role`, { role: 'member', password });
      await untilWaiting(1);
      const ofOne = one.post('/account-deletion', { password, posts: 'keep' });
      await untilWaiting(2);
      return [ofOne, ofTwo];
    });
    const outcomes = await Promise.all(changes);
    expect(outcomes.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([204, 403]);
    const { rows } = await sql`select from member where role = 'admin'`.execute(server.db);
    expect(rows).toHaveLength(1);
  },
);
