import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import {
  senderAddress,
  findLinkToken,
  siteUrl,
  startServerWithEmail,
} from '#tests/support/server-with-email.ts';
import { expectOk, type Member } from '#tests/support/member.ts';
import { actOnPost } from '#tests/support/moderation.ts';
import { eventually } from '#tests/support/parley.ts';
import { setRole } from '#server/admin/roles.ts';

const emailServer = await startServerWithEmail();
const { post, server, node, choose, enableEmail, letTimePass, sendDue, untilQuiet } = emailServer;
afterAll(() => emailServer.stop());
const moderator = await node.register('Olga');
await setRole(server.db, { email: moderator.email, role: 'moderator' });

let ann: Member;
let bob: Member;
beforeEach(async () => {
  await server.resetRateLimits();
  post.rejectWith(undefined);
  post.onEmail(() => {});
  [ann, bob] = [await node.register('Ann'), await node.register('Bob')];
});

async function jobsIn(state: 'active' | 'retry'): Promise<number> {
  const { rows } = await sql`
    select from parley_jobs.job where state = ${state}::parley_jobs.job_state and name = 'instant-email'`.execute(
    server.db,
  );
  return rows.length;
}

/** Makes the notifications about answers as if their transactions had not been committed yet. */
async function insertAgainUncommitted(
  answerIds: readonly number[],
): Promise<{ commit: () => Promise<void> }> {
  const client = new pg.Client(server.database.connection);
  await client.connect();
  onTestFinished(() => client.end());
  const { rows } = await client.query('delete from notification where answer_id = any($1) returning *', [
    answerIds,
  ]);
  await client.query('begin');
  await client.query(
    'insert into notification overriding system value select * from json_populate_recordset(null::notification, $1)',
    [JSON.stringify(rows)],
  );
  return { commit: async () => void (await client.query('commit')) };
}

/** The number of jobs waiting for a retry. */
const countRetriedJobs = () => jobsIn('retry');

test('emails a member only after the confirmation link was opened', async () => {
  await choose(ann, 'answers', 'instant');
  const [confirmation] = await post.waitForEmails(ann.email, 1);
  expect(confirmation?.subject).toBe('Confirm your email address');
  await bob.answer(await ann.ask());
  await sendDue();
  await untilQuiet();
  expect(await post.waitForEmails(ann.email, 1)).toHaveLength(1);
  expect((await ann.get('/notification-preferences')).body).toMatchObject({ emailStatus: 'unconfirmed' });

  const token = findLinkToken(confirmation, 'confirm-email');
  expectOk(await server.visitor().post('/email/confirmation', { token }));
  expect((await ann.get('/notification-preferences')).body).toMatchObject({ emailStatus: 'confirmed' });
  await bob.answer(await ann.ask());
  await sendDue();
  const [, email] = await post.waitForEmails(ann.email, 2);
  expect(email?.subject).toBe('Bob answered your question "How long does bread keep?"');
  await untilQuiet();
});

test('refuses a confirmation link that was changed, has expired or is for another address', async () => {
  await choose(ann, 'answers', 'daily');
  const [confirmation] = await post.waitForEmails(ann.email, 1);
  const token = findLinkToken(confirmation, 'confirm-email');
  const confirm = (given: string) => server.visitor().post('/email/confirmation', { token: given });
  const expired = { status: 410, code: 'confirmation-link-not-valid' };
  const [, until = ''] = token.split('.');
  expect(await confirm(token.replace(until, String(Number(until) + 1)))).toMatchObject(expired);
  expect(await confirm(token.replace(String(ann.id), String(bob.id)))).toMatchObject(expired);
  expect(await confirm('nonsense')).toMatchObject(expired);
  await sql`update member set email = 'moved@example.org' where id = ${ann.id}`.execute(server.db);
  expect(await confirm(token)).toMatchObject(expired);
});

test('limits confirmation emails per day', async () => {
  await choose(ann, 'answers', 'daily');
  const again = () => ann.post('/notification-preferences/confirmation', undefined);
  expect([(await again()).status, (await again()).status, (await again()).status]).toEqual([204, 204, 429]);
});

test('limits confirmation emails to one address per hour, and counts no refused request of the member', async () => {
  const request = (member: Member) => member.post('/notification-preferences/confirmation', undefined);
  const address = 'shared@example.org';
  for (const member of [bob, bob, ann]) {
    await sql`update member set email = 'free-' || id || '@example.org' where email = ${address}`.execute(
      server.db,
    );
    await sql`update member set email = ${address} where id = ${member.id}`.execute(server.db);
    expect(await request(member)).toMatchObject({ status: 204 });
  }
  for (let tries = 0; tries < 3; tries++)
    expect(await request(ann)).toMatchObject({ status: 429, code: 'too-many-emails-to-address' });
  await sql`delete from rate_limit where key like 'email-confirmation-address:%'`.execute(server.db);
  expect(await request(ann)).toMatchObject({ status: 204 });
});

test('combines many votes into one email and pauses before the next', async () => {
  await enableEmail(ann, 'votes', 'instant');
  const id = await ann.ask();
  const voters = [];
  for (let n = 0; n < 25; n++) voters.push(await node.register(`Voter ${n}`));
  for (const voter of voters) await voter.vote('questions', id, 'up');
  await sendDue();
  const [, email] = await post.waitForEmails(ann.email, 2);
  expect(email?.subject).toBe('You have 25 new notifications on Parley');
  expect(email?.text?.match(/upvoted your question/g)).toHaveLength(20);
  expect(email?.text).toContain('5 more notifications');
  await untilQuiet();

  const late = await ann.ask();
  await bob.vote('questions', late, 'up');
  await sql`update notification set created_at = created_at - interval '3 minutes'`.execute(server.db);
  await node.backgroundJobs?.enqueueDueJobs();
  await untilQuiet();
  expect(await post.waitForEmails(ann.email, 2)).toHaveLength(2);
  await sendDue();
  expect((await post.waitForEmails(ann.email, 3))[2]?.subject).toContain('Bob upvoted your question');
});

test('does not email notifications that were read, seen on an open page or deleted', async () => {
  await enableEmail(ann, 'answers', 'instant');
  const id = await ann.ask();
  await bob.answer(id);
  expectOk(await ann.put('/notifications/read', { upTo: null }));
  await sendDue();
  await bob.answer(id);
  expectOk(await ann.put('/notifications/seen'));
  await sendDue();
  await bob.remove('answers', (await bob.answer(id)).id);
  await sendDue();
  await bob.answer(await ann.ask({ title: 'Is this the one that is mailed?' }));
  await sendDue();
  const [, ...emails] = await post.waitForEmails(ann.email, 2);
  await untilQuiet();
  expect(emails.map(({ subject }) => subject)).toEqual([
    'Bob answered your question "Is this the one that is mailed?"',
  ]);
});

test('emails a notification after its hidden post was restored, unless the member turned emails off meanwhile', async () => {
  const eve = await node.register('Eve');
  for (const member of [ann, eve]) await enableEmail(member, 'answers', 'instant');
  const answers = [
    await bob.answer(await ann.ask({ title: 'Is this restored?' })),
    await bob.answer(await eve.ask()),
  ];
  for (const { id } of answers) expectOk(await actOnPost(moderator, 'hide', 'answer', id));
  await sendDue();
  await untilQuiet();
  expect(await post.waitForEmails(ann.email, 1)).toHaveLength(1);
  await choose(eve, 'answers', 'off');
  for (const { id } of answers) expectOk(await actOnPost(moderator, 'restore', 'answer', id));
  await sendDue();
  const [, email] = await post.waitForEmails(ann.email, 2);
  expect(email?.subject).toBe('Bob answered your question "Is this restored?"');
  await untilQuiet();
  expect(await post.waitForEmails(eve.email, 1)).toHaveLength(1);
});

test('emails nothing about a question that the member muted meanwhile, also after its hidden post was restored', async () => {
  const eve = await node.register('Eve');
  for (const author of [ann, eve]) {
    await enableEmail(author, 'answers', 'instant');
    const [id, other] = [await author.ask(), await author.ask()];
    await bob.answer(id);
    const hidden = await bob.answer(other);
    expectOk(await actOnPost(moderator, 'hide', 'answer', hidden.id));
    if (author === ann) for (const muted of [id, other]) await author.mute(`questions/${muted}`);
    expectOk(await actOnPost(moderator, 'restore', 'answer', hidden.id));
  }
  await sendDue();
  await post.waitForEmails(eve.email, 2);
  await untilQuiet();
  expect(await post.waitForEmails(ann.email, 1)).toHaveLength(1);
});

test('does not email a notification whose post was restored after days', async () => {
  await enableEmail(ann, 'answers', 'instant');
  const answer = await bob.answer(await ann.ask());
  expectOk(await actOnPost(moderator, 'hide', 'answer', answer.id));
  expectOk(await actOnPost(moderator, 'restore', 'answer', answer.id));
  await sql`update notification set created_at = now() - interval '4 days'`.execute(server.db);
  await sendDue();
  await untilQuiet();
  expect(await post.waitForEmails(ann.email, 1)).toHaveLength(1);
});

test('sends nothing about a category that the member turned off, without affecting other members', async () => {
  await enableEmail(ann, 'answers', 'instant');
  const id = await ann.ask();
  const eve = await node.register('Eve');
  expectOk(await eve.put(`/questions/${id}/follow`, { following: true }));
  expectOk(await ann.put('/notification-preferences/answers', { inApp: false }));
  await bob.answer(id);
  expect((await ann.get('/notifications')).body).toMatchObject({ items: [], unreadCount: 0 });
  expect((await eve.get('/notifications')).body).toMatchObject({ unreadCount: 1 });
  await sendDue();
  await untilQuiet();
  expect(await post.waitForEmails(ann.email, 1)).toHaveLength(1);
  expectOk(await ann.put('/notification-preferences/answers', { inApp: true }));
  await bob.answer(id);
  await sendDue();
  await post.waitForEmails(ann.email, 2);
});

test('emails nothing about a notification that is committed just after the member turned emails off or muted', async () => {
  const eve = await node.register('Eve');
  for (const member of [ann, eve]) await enableEmail(member, 'answers', 'instant');
  const [ofAnn, ofEve] = [await ann.ask(), await eve.ask()];
  const answers = [await bob.answer(ofAnn), await bob.answer(ofEve)];
  const { commit } = await insertAgainUncommitted(answers.map(({ id }) => id));
  await choose(ann, 'answers', 'off');
  await eve.mute(`questions/${ofEve}`);
  await commit();
  await sendDue();
  await untilQuiet();
  for (const member of [ann, eve]) expect(await post.waitForEmails(member.email, 1)).toHaveLength(1);
});

test('emails a notification with a lower id that is committed while an email is sent', async () => {
  await enableEmail(ann, 'answers', 'instant');
  const question = await ann.ask();
  const first = await bob.answer(question);
  const { commit } = await insertAgainUncommitted([first.id]);
  await bob.answer(question);
  post.onEmail(commit);
  await sendDue();
  await post.waitForEmails(ann.email, 2);
  await untilQuiet();
  await sendDue();
  expect(await post.waitForEmails(ann.email, 3)).toHaveLength(3);
});

test('sends one email when two nodes check at the same time', async () => {
  const other = await server.startSecondNode(
    { publicUrl: siteUrl },
    { email: { url: post.url, from: senderAddress } },
  );
  onTestFinished(() => other.stop());
  await enableEmail(ann, 'answers', 'instant');
  await bob.answer(await ann.ask());
  await letTimePass();
  await Promise.all([node, other, node, other].map(async (at) => at.backgroundJobs?.enqueueDueJobs()));
  await post.waitForEmails(ann.email, 2);
  await untilQuiet();
  expect(await post.waitForEmails(ann.email, 2)).toHaveLength(2);
});

test('sends emails once after an outage of the mail server', async () => {
  await enableEmail(ann, 'answers', 'instant');
  await bob.answer(await ann.ask());
  post.rejectWith(451);
  await sendDue();
  await eventually(() => post.rejectedRecipients.includes(ann.email));
  await untilQuiet();
  post.rejectWith(undefined);
  // Makes the retry due.
  await sql`update parley_jobs.job set start_after = now() where state = 'retry'`.execute(server.db);
  await sendDue();
  await post.waitForEmails(ann.email, 2);
  await untilQuiet();
  expect(await post.waitForEmails(ann.email, 2)).toHaveLength(2);
});

test('retries emails while nothing listens on the address of the mail server', async () => {
  await enableEmail(ann, 'answers', 'instant');
  await bob.answer(await ann.ask());
  await post.goDown();
  await sendDue();
  await untilQuiet();
  expect(await countRetriedJobs()).toBe(1);
  await post.start();
  await sql`update parley_jobs.job set start_after = now() where state = 'retry'`.execute(server.db);
  await post.waitForEmails(ann.email, 2);
});

test('sends an email once on another node when its node died', async () => {
  await enableEmail(ann, 'answers', 'instant');
  await bob.answer(await ann.ask());
  // A node that hangs: it has the job, and the job has timed out.
  let release: (() => void) | undefined;
  post.onEmail(() => new Promise<void>((resolve) => (release = resolve)));
  await sendDue();
  await eventually(() => release !== undefined);
  post.onEmail(() => {});
  await sql`
    update parley_jobs.job set started_on = now() - interval '1 hour' where state = 'active' and name = 'instant-email'`.execute(
    server.db,
  );
  await eventually(async () => (await jobsIn('retry')) === 1);
  await sql`update parley_jobs.job set start_after = now() where state = 'retry'`.execute(server.db);
  const emails = await post.waitForEmails(ann.email, 2);
  await untilQuiet();
  expect(emails.filter(({ subject }) => subject?.includes('answered'))).toHaveLength(1);
  release?.();
});

test('retries emails while the mail server refuses the sender', async () => {
  await enableEmail(ann, 'answers', 'instant');
  await bob.answer(await ann.ask());
  post.rejectSenderWith(530);
  onTestFinished(() => post.rejectSenderWith(undefined));
  await sendDue();
  await eventually(() => post.rejectedSenders.length > 0);
  await untilQuiet();
  expect(await countRetriedJobs()).toBe(1);
  post.rejectSenderWith(undefined);
  await sql`update parley_jobs.job set start_after = now() where state = 'retry'`.execute(server.db);
  await post.waitForEmails(ann.email, 2);
});

test('does not retry an address that the mail server rejected permanently', async () => {
  await enableEmail(ann, 'answers', 'instant');
  await bob.answer(await ann.ask());
  post.rejectWith(550);
  await sendDue();
  await eventually(() => post.rejectedRecipients.includes(ann.email));
  await untilQuiet();
  const { rows } =
    await sql`select from parley_jobs.job where state = 'retry' and name = 'instant-email'`.execute(
      server.db,
    );
  expect(rows).toHaveLength(0);
});

test('drops emails that the mail server did not accept for days', async () => {
  await enableEmail(ann, 'answers', 'instant');
  await bob.answer(await ann.ask());
  await sql`update notification set created_at = now() - interval '4 days'`.execute(server.db);
  const withoutEmail = await server.startSecondNode({}, {});
  onTestFinished(() => withoutEmail.stop());
  await withoutEmail.backgroundJobs?.enqueueDueJobs();
  const { rows } = await sql`select from notification where pending_email is not null`.execute(server.db);
  expect(rows).toHaveLength(0);
});

test('never emails imported members, whatever their rows contain', async () => {
  await sql`
    with source as (insert into import_source (site, license) values ('old.example.org', 'CC') returning id)
    insert into member (display_name, email_verified, source_id, source_key)
    select 'Old', true, id, '1' from source`.execute(server.db);
  await sql`
    insert into notification_preference (member_id, category, in_app, email, push)
    select id, 'votes', true, 'instant', false from member where display_name = 'Old'`.execute(server.db);
  await sql`
    insert into question (author_id, title, content, excerpt, excerpt_cut)
    select id, 'Old?', 'Old.', 'Old.', false from member where display_name = 'Old'`.execute(server.db);
  const { rows } = await sql<{ id: number }>`select id from question where title = 'Old?'`.execute(server.db);
  await bob.vote('questions', rows[0]?.id ?? 0, 'up');
  const marks = await sql<{ pending_email: string | null }>`
    select pending_email from notification where question_id = ${rows[0]?.id}`.execute(server.db);
  expect(marks.rows).toEqual([{ pending_email: null }]);
});
