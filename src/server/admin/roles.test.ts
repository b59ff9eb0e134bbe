import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { startTestServer } from '#tests/support/server.ts';
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
