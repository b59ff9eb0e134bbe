import { sql } from 'kysely';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { setRole } from '#server/admin/roles.ts';
import { createLinkToken } from '#tests/support/email-links.ts';
import { startEmailServer } from '#tests/support/email-server.ts';
import { senderAddress, findLinkToken, siteUrl } from '#tests/support/server-with-email.ts';
import { expectOk, password } from '#tests/support/member.ts';
import { registerFromNetwork, registerManyFromNetwork } from '#tests/support/member-networks.ts';
import { startTestServer } from '#tests/support/server.ts';
import { deleteOldRegistrations } from './registrations.ts';

const server = await startTestServer({ maxAccountsPerNetwork: 20, trustedProxies: 1 });
afterAll(() => server.stop());
const { address, db } = server;
const draft = { title: 'Who are we?', content: 'A hundred people in one office.' };

/** Starts a node with email, which ends with the test. */
async function startMailer() {
  const post = await startEmailServer();
  onTestFinished(() => post.stop());
  const mailer = await server.startSecondNode(
    { maxAccountsPerNetwork: 20, trustedProxies: 1, publicUrl: siteUrl },
    { email: { url: post.url, from: senderAddress } },
  );
  onTestFinished(() => mailer.stop());
  return { post, mailer };
}

test('lets 100 people of one office register and post immediately, without email and moderators', async () => {
  const office = await registerManyFromNetwork(address, '192.0.2.1', 100);
  for (const member of [office[0], office[20], office[99]])
    expect(await member?.post('/questions', draft)).toMatchObject({ status: 201 });
});

test('makes accounts of a network after the first 20 in an hour wait for a moderator, without email', async () => {
  const moderator = await server.register('Olga');
  await setRole(db, { email: moderator.email, role: 'moderator' });
  const members = await registerManyFromNetwork(address, '198.51.100.7', 21);
  const [, twentieth, last] = [members[0], members[19], members[20]];
  const id = expectOk(await twentieth!.post<{ id: number }>('/questions', draft)).id;
  const refused = { status: 403, kind: 'not-approved', body: { pendingStep: 'moderator' } };
  expect((await last!.me()).pendingStep).toBe('moderator');
  expect(await last!.post('/questions', draft)).toMatchObject(refused);
  expect(await last!.post(`/questions/${id}/answers`, { content: 'I too.' })).toMatchObject(refused);
  expect(await last!.put(`/questions/${id}/vote`, { vote: 'up' })).toMatchObject(refused);
  expect(
    await last!.put('/settings', { displayName: 'Buy', bio: 'Buy now', showEmail: false }),
  ).toMatchObject(refused);
  // Reading still works, and so does everything that others do not see.
  expect((await last!.get(`/questions/${id}`)).status).toBe(200);
  expect((await last!.put(`/questions/${id}/bookmark`, { bookmarked: true })).status).toBe(200);
  expect((await last!.put('/drafts/ask', { fields: draft, basedOn: 0 })).status).not.toBe(403);
  // Other networks are not affected.
  await (await registerFromNetwork(address, '198.51.100.8')).ask(draft);
});

test('counts deleted accounts, which no longer wait', async () => {
  const members = await registerManyFromNetwork(address, '198.51.100.9', 20);
  for (const member of members.slice(0, 3))
    expectOk(await member.post('/account-deletion', { password, posts: 'keep' }));
  const last = await registerFromNetwork(address, '198.51.100.9');
  expect((await last.me()).pendingStep).toBe('moderator');
  expectOk(await last.post('/account-deletion', { password, posts: 'keep' }));
  const { rows } = await sql`
    select network, pending_step from registration where member_id = ${last.id}`.execute(db);
  expect(rows).toEqual([{ network: '198.51.100.9', pending_step: null }]);
});

test('lets 20 concurrent accounts of one IPv6 /48 post immediately, whatever their networks in it', async () => {
  const members = await Promise.all(
    Array.from({ length: 26 }, (_, n) => registerFromNetwork(address, `2001:db8:1:${n.toString(16)}::1`)),
  );
  const answers = await Promise.all(members.map((member) => member.post('/questions', draft)));
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(20);
  const elsewhere = await registerFromNetwork(address, '2001:db8:2:1::1');
  await elsewhere.ask(draft);
});

test('lets any number of accounts from the same machine post immediately', async () => {
  const members = await registerManyFromNetwork(address, '127.0.0.1', 22);
  expect((await members[21]!.post('/questions', draft)).status).toBe(201);
});

test('makes them wait until they open the emailed link, with email', async () => {
  const { post, mailer } = await startMailer();
  const members = await registerManyFromNetwork(mailer.address, '203.0.113.9', 21);
  await members[19]!.ask(draft);
  const last = members[20]!;
  expect(await last.post('/questions', draft)).toMatchObject({
    status: 403,
    kind: 'not-approved',
    body: { pendingStep: 'confirmation' },
    detail: expect.stringContaining('Confirm your email address'),
  });
  const [email] = await post.waitForEmails(last.email, 1);
  expectOk(
    await mailer.visitor().post('/email/confirmation', { token: findLinkToken(email, 'confirm-email') }),
  );
  expect((await last.me()).pendingStep).toBeNull();
  await last.ask(draft);
});

test('lets an account post that proves its address by a password reset', async () => {
  const { post, mailer } = await startMailer();
  for (const [step, network, after] of [
    ['confirmation', '203.0.113.78', null],
    ['moderator', '203.0.113.79', 'moderator'],
  ] as const) {
    const member = await registerFromNetwork(mailer.address, network);
    await sql`update registration set pending_step = ${step} where member_id = ${member.id}`.execute(db);
    await post.waitForEmails(member.email, 1);
    expectOk(await mailer.visitor().post('/password-resets', { email: member.email }));
    const [, email] = await post.waitForEmails(member.email, 2);
    const [, token] = /reset-password#(\S+)/u.exec(email?.text ?? '') ?? [];
    const newPassword = 'another long password';
    expectOk(await mailer.visitor().post('/email/password-reset', { token, newPassword }));
    expectOk(await member.signIn(member.email, newPassword));
    expect((await member.me()).pendingStep).toBe(after);
  }
});

test('keeps an account waiting for a moderator when it confirms its email address', async () => {
  const { post, mailer } = await startMailer();
  const member = await registerFromNetwork(mailer.address, '203.0.113.77');
  await sql`update registration set pending_step = 'moderator' where member_id = ${member.id}`.execute(db);
  const [email] = await post.waitForEmails(member.email, 1);
  const open = (path: string, token: string) => mailer.visitor().post(path, { token });
  expectOk(await open('/email/confirmation', findLinkToken(email, 'confirm-email')));
  expect((await member.me()).pendingStep).toBe('moderator');
  const token = await createLinkToken(db, { memberId: member.id, purpose: 'change_email' });
  expectOk(await open('/email/change', token));
  expect((await member.me()).pendingStep).toBe('moderator');
});

test('stores the network of a registration for 30 days, and keeps an account waiting after that', async () => {
  const [early, late] = await registerManyFromNetwork(address, '192.0.2.77', 2);
  await sql`update registration set pending_step = 'moderator' where member_id = ${late!.id}`.execute(db);
  await sql`update registration set registered_at = now() - interval '31 days'
    where network = '192.0.2.77'`.execute(db);
  await deleteOldRegistrations(db);
  const { rows } = await sql`select member_id, network, pending_step from registration
    where member_id in (${early!.id}, ${late!.id})`.execute(db);
  expect(rows).toEqual([{ member_id: late!.id, network: null, pending_step: 'moderator' }]);
});
