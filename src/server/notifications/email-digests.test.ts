import { sql } from 'kysely';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { createManyMembers } from '#tests/support/many-members.ts';
import { startServerWithEmail } from '#tests/support/server-with-email.ts';
import { eventually } from '#tests/support/eventually.ts';
import { expectOk, type Member } from '#tests/support/member.ts';

const emailServer = await startServerWithEmail();
const { post, server, node, choose, enableEmail, untilQuiet } = emailServer;
afterAll(() => emailServer.stop());

let ann: Member;
let bob: Member;
beforeEach(async () => {
  await server.resetRateLimits();
  [ann, bob] = [await node.register('Ann'), await node.register('Bob')];
});

/** When the next digest is due, in the member's local time. */
async function dueAt(member: Member, period: 'daily' | 'weekly'): Promise<string | null> {
  const { rows } = await sql<{ at: string | null }>`
    select to_char(${sql.ref(`${period}_at`)} at time zone time_zone, 'ID HH24:MI') as at
    from email_schedule where member_id = ${member.id}`.execute(server.db);
  return rows[0]?.at ?? null;
}

/** Makes all scheduled digests due. */
async function morningComes(): Promise<void> {
  await sql`
    update email_schedule set daily_at = daily_at - interval '8 days', weekly_at = weekly_at - interval '8 days'`.execute(
    server.db,
  );
  await node.backgroundJobs?.enqueueDueJobs();
}

test("sends digests at 8:00 in the member's time zone, weekly ones on Mondays", async () => {
  for (const zone of ['Asia/Kathmandu', 'America/Los_Angeles', 'Europe/Berlin']) {
    await choose(ann, 'answers', 'daily', zone);
    await choose(ann, 'votes', 'weekly', zone);
    expect(await dueAt(ann, 'daily')).toMatch(/^\d 08:00$/);
    expect(await dueAt(ann, 'weekly')).toBe('1 08:00');
  }
  await choose(ann, 'answers', 'off');
  expect(await dueAt(ann, 'daily')).toBeNull();
  expect(
    (await ann.put('/notification-preferences/votes', { email: 'daily', timeZone: 'Nowhere/At_all' })).status,
  ).toBe(400);
});

test('lists unread notifications in a daily digest once, and schedules the next morning', async () => {
  await enableEmail(ann, 'answers', 'daily');
  const id = await ann.ask({ title: 'Does bread freeze?' });
  await bob.answer(id);
  expectOk(await ann.put('/notifications/read', { upTo: null }));
  await bob.answer(id);
  await bob.vote('questions', id, 'up');
  await morningComes();
  const [, digest] = await post.waitForEmails(ann.email, 2);
  expect(digest?.subject).toBe('Your daily digest from Parley');
  expect(digest?.text?.match(/answered your question "Does bread freeze\?"/g)).toHaveLength(1);
  expect(digest?.text).not.toContain('upvoted');
  const planned = await sql<{ ahead: boolean }>`
    select daily_at > now() as ahead from email_schedule where member_id = ${ann.id}`.execute(server.db);
  expect(planned.rows).toEqual([{ ahead: true }]);

  await untilQuiet();
  await morningComes();
  await untilQuiet();
  expect(await post.waitForEmails(ann.email, 2)).toHaveLength(2);
});

test("includes good questions of followed tags in a weekly digest, but not the member's own or muted ones", async () => {
  await enableEmail(ann, 'votes', 'weekly');
  expectOk(await ann.put('/tags/sourdough/follow', { following: true }));
  const good = await bob.ask({ title: 'How do I feed a starter?', tags: ['sourdough'] });
  const own = await ann.ask({ title: 'Is mine in it?', tags: ['sourdough'] });
  await bob.ask({ title: 'Did nobody like this one?', tags: ['sourdough'] });
  const elsewhere = await bob.ask({ title: 'What about jam?', tags: ['jam'] });
  const muted = await bob.ask({ title: 'Which jar is best?', tags: ['sourdough'] });
  const ofMutedTag = await bob.ask({ title: 'Is flour political?', tags: ['sourdough', 'politics'] });
  await ann.mute(`questions/${muted}`);
  await ann.mute('tags/politics');
  const eve = await node.register('Eve');
  for (const id of [good, own, elsewhere, muted, ofMutedTag]) await eve.vote('questions', id, 'up');
  expectOk(await ann.put('/notifications/read', { upTo: null }));
  await morningComes();
  const [, digest] = await post.waitForEmails(ann.email, 2);
  expect(digest?.subject).toBe('Your weekly digest from Parley');
  expect(digest?.text).toContain('How do I feed a starter? (1 upvote, 0 answers)');
  for (const title of ['Is mine', 'Did nobody', 'What about jam', 'Which jar', 'Is flour'])
    expect(digest?.text).not.toContain(title);
});

test('sends no empty digest', async () => {
  await enableEmail(ann, 'answers', 'daily');
  await choose(ann, 'votes', 'weekly');
  await enableEmail(bob, 'answers', 'daily');
  await ann.answer(await bob.ask());
  await morningComes();
  await post.waitForEmails(bob.email, 2);
  await untilQuiet();
  expect(await post.waitForEmails(ann.email, 1)).toHaveLength(1);
});

test('sends each digest once when two nodes run in the same morning', async () => {
  const members = [];
  for (let n = 0; n < 5; n++) members.push(await node.register(`Reader ${n}`));
  for (const member of members) await enableEmail(member, 'answers', 'daily');
  for (const member of members) await bob.answer(await member.ask());
  const other = await server.startSecondNode(
    { publicUrl: 'https://ask.example.org' },
    { email: { url: post.url, from: 'parley@example.org' } },
  );
  try {
    await Promise.all([
      morningComes(),
      other.backgroundJobs?.enqueueDueJobs(),
      other.backgroundJobs?.enqueueDueJobs(),
    ]);
    for (const { email } of members) await post.waitForEmails(email, 2);
    await untilQuiet();
    for (const { email } of members) expect(await post.waitForEmails(email, 2)).toHaveLength(2);
  } finally {
    await other.stop();
  }
});

test('sends no weekly digest of topics after the member turned it off', async () => {
  await enableEmail(ann, 'votes', 'weekly');
  expectOk(await ann.put('/tags/crumbs/follow', { following: true }));
  await bob.vote('questions', await (await node.register('Cy')).ask({ tags: ['crumbs'] }), 'up');
  await post.goDown();
  await morningComes();
  await untilQuiet();
  expectOk(await ann.put('/notification-preferences/votes', { email: 'off' }));
  await post.start();
  await sql`update parley_jobs.job set start_after = now() where state = 'retry'`.execute(server.db);
  await eventually(async () => {
    const { rows } = await sql`
      select from parley_jobs.job where name = 'email-digest' and state in ('created', 'retry', 'active')`.execute(
      server.db,
    );
    return rows.length === 0;
  });
  expect(post.emails.filter(({ recipients }) => recipients.includes(ann.email))).toHaveLength(1);
});

test('queues all digests of a morning at once', async () => {
  const members = await createManyMembers(server, 600);
  await sql`
    insert into email_schedule (member_id, daily_at)
    select id, now() from unnest(${members.map(({ id }) => id)}::bigint[]) id`.execute(server.db);
  await morningComes();
  const { rows } = await sql`select from email_schedule where daily_at <= now()`.execute(server.db);
  expect(rows).toHaveLength(0);
  await untilQuiet();
});
