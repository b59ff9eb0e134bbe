import { sql } from 'kysely';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { findViolations } from '#server/operations/integrity-check.ts';
import { expectOk, type Member, password } from '#tests/support/member.ts';
import { registerFromNetwork, registerManyFromNetwork } from '#tests/support/member-networks.ts';
import { startTestServer } from '#tests/support/server.ts';

const server = await startTestServer({ maxAccountsPerNetwork: 20, trustedProxies: 1 });
afterAll(() => server.stop());
beforeEach(() => server.resetRateLimits());
const { address, db } = server;

const up = (member: Member, kind: string, id: number) => member.put(`/${kind}/${id}/vote`, { vote: 'up' });
const statuses = async (votes: Promise<{ status: number }>[]) =>
  (await Promise.all(votes)).map(({ status }) => status).toSorted((a, b) => a - b);

test('refuses the sixth vote on a post by new members of one network, also when they vote at the same time', async () => {
  const ann = await server.register('Ann');
  const ring = await registerManyFromNetwork(address, '192.0.2.1', 8);
  const id = await ann.ask();
  expect(await statuses(ring.map((member) => up(member, 'questions', id)))).toEqual([
    200, 200, 200, 200, 200, 403, 403, 403,
  ]);
  const voted = (await ann.read(id)).question;
  expect(voted.upvotes).toBe(5);
  expect((await ann.me()).reputation).toBe(25);
  // Members of other networks can vote. Those who voted can switch their vote or remove it.
  const elsewhere = await registerFromNetwork(address, '192.0.2.2');
  expect((await up(elsewhere, 'questions', id)).status).toBe(200);
  const { rows } = await sql<{
    id: number;
  }>`select member_id as id from vote where question_id = ${id}`.execute(db);
  const voter = ring.find((member) => member.id === rows[0]?.id);
  expect((await voter!.put(`/questions/${id}/vote`, { vote: 'down' })).status).toBe(200);
  expect((await voter!.put(`/questions/${id}/vote`, { vote: null })).status).toBe(200);
  const other = ring.find((member) => !rows.some((row) => row.id === member.id));
  expect((await up(other!, 'questions', id)).status).toBe(200);
  expect(await findViolations(db)).toEqual([]);
});

test('counts the votes of accounts that were deleted', async () => {
  const id = await (await server.register('Author')).ask();
  const results: number[] = [];
  for (let n = 0; n < 7; n++) {
    const voter = await registerFromNetwork(server.address, '198.51.100.200', `Guest ${n}`);
    results.push((await voter.put(`/questions/${id}/vote`, { vote: 'up' })).status);
    expectOk(await voter.post('/account-deletion', { password, posts: 'keep' }));
  }
  expect(results).toEqual([200, 200, 200, 200, 200, 403, 403]);
});

test("refuses the eleventh vote for an author by new members of the same network, on any of the author's posts", async () => {
  const [author, ...ring] = await registerManyFromNetwork(address, '2001:db8:7:1::1', 14);
  const id = await author!.ask();
  const answers = await Promise.all(ring.map(() => author!.answer(id)));
  const votes = ring.map((member, n) => up(member, 'answers', answers[n]!.id));
  expect(await statuses(votes)).toEqual([...Array(10).fill(200), 403, 403, 403]);
  expect(await up(ring[0]!, 'questions', id)).toMatchObject({
    status: 403,
    kind: 'not-allowed',
    detail: expect.stringContaining('3 days'),
  });
  expect((await author!.me()).reputation).toBe(100);
  // The author's vote on their own post does not count towards the limit.
  expect((await up(author!, 'questions', id)).status).toBe(200);
  // After three days, the limit no longer applies.
  await sql`update registration set registered_at = now() - interval '4 days'`.execute(db);
  expect((await up(ring[0]!, 'questions', id)).status).toBe(200);
  expect(await findViolations(db)).toEqual([]);
});

test.each(['127.0.0.1', '::1'])('does not limit votes of members who registered from %s', async (network) => {
  const [author, ...voters] = await registerManyFromNetwork(address, network, 8);
  const id = await author!.ask();
  expect(await statuses(voters.map((member) => up(member, 'questions', id)))).toEqual(Array(7).fill(200));
});
