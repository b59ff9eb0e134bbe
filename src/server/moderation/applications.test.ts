import { sql } from 'kysely';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { setRole } from '#server/admin/roles.ts';
import { changeSetting } from '#server/admin/settings.ts';
import type { SessionState } from '#shared/identity/accounts.ts';
import type { OwnApplication } from '#shared/identity/applications.ts';
import type { SignUpAnswer } from '#shared/identity/sign-up-questions.ts';
import type { Applications } from '#shared/moderation/applications.ts';
import type { ModeratedMember, ModerationLog } from '#shared/moderation/moderation.ts';
import type { Notifications } from '#shared/notifications/notifications.ts';
import { startCachingNode } from '#tests/support/caching-node.ts';
import { eventually } from '#tests/support/eventually.ts';
import { LiveClient, startLiveNode } from '#tests/support/live-node.ts';
import { type ApiClient, expectOk, Member, password } from '#tests/support/member.ts';
import { signInAtProvider } from '#tests/support/oidc-provider.ts';
import { type Document, listOperations } from '#tests/support/openapi.ts';
import { forApplicants, publicReads } from '#tests/support/permissions.ts';
import { createPngPicture } from '#tests/support/pictures.ts';
import { startServerWithProvider } from '#tests/support/server-with-provider.ts';

const { server } = await startServerWithProvider();
const { db } = server;
const [moderator, second, member] = await server.registerAll('Mona', 'Moritz', 'Ann');
await setRole(db, { email: moderator.email, role: 'moderator' });
await setRole(db, { email: second.email, role: 'moderator' });
const live = await startLiveNode(server.database);
const caching = await startCachingNode(server.database);
afterAll(async () => {
  await live.stop();
  await caching.stop();
});

async function set(name: string, value: unknown) {
  await changeSetting(db, { adminId: null, name, value });
  for (const node of [server, caching]) await node.siteSettings.refresh();
}

beforeEach(async () => {
  await set('joining', 'approval');
  await set('signUpQuestions', []);
  await set('publicReading', false);
});

let count = 0;
const newAddress = () => `applicant${++count}@guests.example.org`;

/** Registers with the settings of the moment. */
async function register(
  more: { signUpAnswers?: SignUpAnswer[]; invitation?: string; displayName?: string } = {},
) {
  const browser = server.visitor();
  const form = { displayName: 'Guest', email: newAddress(), password, ...more };
  return { browser, email: form.email, response: await browser.post<SessionState>('/members', form) };
}

/** An account that waits, as a member's browser. */
async function apply(displayName = 'Guest'): Promise<Member> {
  const { browser, email, response } = await register({ displayName });
  expectOk(response);
  const { rows } = await sql<{ id: number }>`select id from member where email = ${email}`.execute(db);
  const applicant = new Member(server.address, { id: rows[0]?.id ?? 0, displayName, email });
  applicant.cookies = browser.cookies;
  return applicant;
}

const decide = (by: Member, id: number, decision: 'approve' | 'refuse', reason = '') =>
  by.put(`/moderation/applications/${id}/decision`, { decision, reason });

const queue = async (status = 'waiting') =>
  expectOk(await moderator.get<Applications>(`/moderation/applications?status=${status}`)).items;

const state = async (browser: ApiClient) => expectOk(await browser.get<SessionState>('/session'));

describe('an account that waits for approval', () => {
  test('is signed in, but no member of the session', async () => {
    const { browser, email, response } = await register();
    expect(response).toMatchObject({ status: 201, body: { member: null } });
    const account = { status: 'waiting', displayName: 'Guest', email };
    expect(await state(browser)).toMatchObject({ member: null, account });
    const elsewhere = server.visitor();
    expect((await elsewhere.signIn(email, password)).body).toEqual({ member: null, account });
    expect((await browser.delete('/session')).status).toBe(204);
    expect(await state(browser)).not.toHaveProperty('account');
  });

  test('is refused by every endpoint for members, with an error that does not end the session', async () => {
    const applicant = await apply();
    const operations = listOperations(expectOk(await server.visitor().get<Document>('/openapi.json')));
    const questionId = await member.ask();
    let refused = 0;
    for (const { method, path, name } of operations) {
      const address = path.replace('{id}', `${questionId}`).replaceAll(/\{\w+\}/gu, '1');
      const outsider = await server.visitor().send(method, address, method === 'GET' ? {} : { body: {} });
      if (outsider.code !== 'signed-out' || forApplicants.has(name)) continue;
      const answer = await applicant.send(method, address, method === 'GET' ? {} : { body: {} });
      expect({ name, status: answer.status, code: answer.code }).toEqual({
        name,
        status: 403,
        code: 'application-waiting',
      });
      refused++;
    }
    expect(refused).toBeGreaterThan(150);
  });

  test('gets no document from the response cache, on the node that has it', async () => {
    const applicant = await apply();
    const questionId = await member.ask();
    const path = `/questions/${questionId}`;
    const reader = caching.browserOf(member);
    await eventually(async () => (await reader.get(path)).status === 200);
    const before = caching.caches.responses.documentsRead;
    expect((await reader.get(path)).status).toBe(200);
    expect(caching.caches.responses.documentsRead).toBe(before);
    const waiting = caching.browserOf(applicant);
    // The first request stores the session in the cache, the second finds it there.
    for (const _ of [1, 2]) expect((await waiting.get(path)).code).toBe('application-waiting');
    expect((await waiting.get('/application')).status).toBe(200);
    expectOk(await decide(moderator, applicant.id, 'approve'));
    await eventually(async () => (await waiting.get(path)).status === 200);
  });

  test('gets no live socket', async () => {
    const applicant = await apply();
    const client = new LiveClient(live.address, applicant);
    expect(await client.ended).toBe('signed-out');
    client.close();
  });

  test('gets no uploads', async () => {
    const applicant = await apply();
    const path = await member.upload(createPngPicture());
    await member.ask({ content: `![A loaf](${path})` });
    const load = (browser: ApiClient) =>
      fetch(`${server.address}${path}`, {
        headers: { cookie: [...browser.cookies].map((pair) => pair.join('=')).join('; ') },
      });
    expect((await load(member)).status).toBe(200);
    expect((await load(applicant)).status).toBe(404);
  });

  test('reads what visitors read while public reading is on', async () => {
    await set('publicReading', true);
    const applicant = await apply();
    const questionId = await member.ask();
    expect(publicReads.has('GET /questions/{id}')).toBe(true);
    const seen = await applicant.get(`/questions/${questionId}`);
    expect(seen.status).toBe(200);
    // Nothing of it is stored by shared caches, because the session can become a member's.
    expect(seen.headers.get('cache-control')).toMatch(/private/u);
    expect((await applicant.get('/notifications')).code).toBe('application-waiting');
    expect((await applicant.post('/questions', {})).code).toBe('application-waiting');
  });

  test('does not exist for members, visitors and feeds', async () => {
    const name = 'Zacharias Quandt';
    const applicant = await apply(name);
    await set('publicReading', true);
    const missing = await member.get('/members/999999999');
    for (const reader of [member, moderator, server.visitor()]) {
      const profile = await reader.get(`/members/${applicant.id}`);
      expect(profile).toMatchObject({ status: 404, code: missing.code });
      for (const path of [
        '/search?in=users&q=Zacharias',
        '/search?in=all&q=Zacharias',
        '/search/instant?q=Zacharias',
        `/members/${applicant.id}/activity`,
        '/members?q=Zacharias',
      ])
        expect(JSON.stringify((await reader.get(path)).body)).not.toContain(name);
    }
    expect(JSON.stringify((await moderator.get('/moderation/members?q=Zacharias')).body)).not.toContain(name);
    const feed = await fetch(`${server.address}/feeds/members/${applicant.id}.xml`);
    expect(feed.status).toBe(404);
    expectOk(await decide(moderator, applicant.id, 'approve'));
    expect((await member.get(`/members/${applicant.id}`)).status).toBe(200);
    expect(JSON.stringify((await member.get('/search?in=users&q=Zacharias')).body)).toContain(name);
    expect(JSON.stringify((await moderator.get('/moderation/members?q=Zacharias')).body)).toContain(name);
  });

  test('is not notified of a mention', async () => {
    const applicant = await apply();
    await member.ask({ content: `Hello [@Guest](/profile/${applicant.id})` });
    const { rows } = await sql`select from notification where recipient_id = ${applicant.id}`.execute(db);
    expect(rows).toEqual([]);
  });

  test('counts as a new member only once it is approved, on the day of its registration', async () => {
    const applicant = await apply();
    await sql`update member set created_at = now() - interval '3 days' where id = ${applicant.id}`.execute(
      db,
    );
    await sql`delete from stale_statistics_day`.execute(db);
    expectOk(await decide(moderator, applicant.id, 'approve'));
    const { rows } = await sql<{ age: number }>`
      select utc_day(now()) - day as age from stale_statistics_day`.execute(db);
    expect(rows).toEqual([{ age: 3 }]);
  });

  test('downloads its data and deletes the account', async () => {
    await set('signUpQuestions', ['Why?']);
    const applicant = await apply();
    expect((await applicant.get('/data-export')).status).toBe(200);
    const deletion = await applicant.post('/account-deletion', { password, posts: 'delete' });
    expect(deletion.status).toBe(204);
    expect((await queue()).map(({ id }) => id)).not.toContain(applicant.id);
  });

  test('becomes a member when the operator gives it a role', async () => {
    const applicant = await apply('Rolf');
    expectOk(await decide(second, applicant.id, 'refuse', 'Please use your own name.'));
    await sql`
      insert into registration (member_id, pending_step) values (${applicant.id}, 'moderator')
      on conflict (member_id) do update set pending_step = 'moderator'`.execute(db);
    await sql`delete from stale_statistics_day`.execute(db);
    await setRole(db, { email: applicant.email, role: 'moderator' });
    expect((await state(applicant)).member?.role).toBe('moderator');
    await setRole(db, { email: applicant.email, role: 'member' });
    expect((await state(applicant)).member?.role).toBe('member');
    // As after an approval.
    const { rows } = await sql`
      select (select count(*) from membership_application where member_id = ${applicant.id}) as applications,
        (select count(*) from stale_statistics_day) as days`.execute(db);
    expect(rows).toEqual([{ applications: 0, days: 1 }]);
    await applicant.ask();
  });

  test('stays in the queue when approval is switched off', async () => {
    const applicant = await apply();
    await set('joining', 'open');
    expect((await register()).response.body.member?.displayName).toBe('Guest');
    expect((await queue()).map(({ id }) => id)).toContain(applicant.id);
    expect((await applicant.get('/feeds/recent')).code).toBe('application-waiting');
  });
});

describe('the queue of accounts', () => {
  test('shows what moderators decide by, the oldest first', async () => {
    await set('signUpQuestions', ['Why do you want to join? | required | 50']);
    const answers = [{ question: 'Why do you want to join?', answer: 'To bake.' }];
    const { response } = await register({ signUpAnswers: answers, displayName: 'Bea' });
    expectOk(response);
    const items = await queue();
    expect(items.map(({ id }) => id)).toEqual(items.map(({ id }) => id).toSorted((a, b) => a - b));
    expect(items.at(-1)).toMatchObject({
      displayName: 'Bea',
      status: 'waiting',
      emailDomain: 'guests.example.org',
      emailConfirmed: false,
      signUpAnswers: answers,
      claim: null,
      refusal: null,
    });
    expect(items.at(-1)?.networkAccounts).toBeGreaterThan(0);
    expect(JSON.stringify(items)).not.toContain('@guests.example.org');
  });

  test('notifies moderators once, until it is empty', async () => {
    for (const { id } of await queue()) expectOk(await decide(moderator, id, 'approve'));
    await sql`delete from base_notification`.execute(db);
    const first = await apply();
    const latest = await apply();
    const unread = async () =>
      expectOk(await moderator.get<Notifications>('/notifications?filter=unread')).items;
    expect(await unread()).toMatchObject([
      {
        kind: 'application',
        link: '/moderation/applications',
        message: 'New accounts are waiting for approval',
      },
    ]);
    expect((await moderator.get('/moderation/applications/count')).body).toEqual({ waiting: 2 });
    expectOk(await decide(moderator, first.id, 'approve'));
    expect(await unread()).toHaveLength(1);
    expectOk(await decide(second, latest.id, 'refuse', 'Advertising.'));
    expect(await unread()).toEqual([]);
    expect((await moderator.get('/moderation/applications/count')).body).toEqual({ waiting: 0 });
  });

  test.each(['is deleted', 'gets a role'])(
    'ends the notifications when the last account %s, and notifies of the next one',
    async (how) => {
      for (const { id } of await queue()) expectOk(await decide(moderator, id, 'approve'));
      await sql`delete from base_notification`.execute(db);
      const applicant = await apply('Rita');
      const unread = async () =>
        expectOk(await second.get<Notifications>('/notifications?filter=unread')).items;
      expect(await unread()).toHaveLength(1);
      await sql`delete from event`.execute(db);
      if (how === 'is deleted')
        expectOk(await applicant.post('/account-deletion', { password, posts: 'delete' }));
      else await setRole(db, { email: applicant.email, role: 'moderator' });
      expect(await unread()).toEqual([]);
      const { rows } = await sql`select from event where topic = 'moderation'`.execute(db);
      expect(rows).toHaveLength(1);
      await sql`update base_notification set created_at = created_at - interval '11 minutes'`.execute(db);
      await apply();
      expect(await unread()).toHaveLength(1);
    },
  );

  test('approves an account, which can then read and post, and logs it', async () => {
    const applicant = await apply();
    expectOk(await decide(moderator, applicant.id, 'approve'));
    expect((await state(applicant)).member?.id).toBe(applicant.id);
    await applicant.ask();
    expect((await applicant.get('/application')).code).toBe('application-not-found');
    const log = expectOk(await moderator.get<ModerationLog>('/moderation/log'));
    expect(log.items[0]).toMatchObject({ action: 'approve_account', memberId: applicant.id, reason: '' });
  });

  test('refuses an account with a reason that only the applicant and moderators see', async () => {
    const applicant = await apply();
    expect((await decide(moderator, applicant.id, 'refuse')).code).toBe('reason-required');
    expectOk(await decide(moderator, applicant.id, 'refuse', 'Please use your own name.'));
    const own = expectOk(await applicant.get<OwnApplication>('/application'));
    expect(own).toMatchObject({ status: 'refused', reason: 'Please use your own name.' });
    expect((await applicant.get('/feeds/recent')).code).toBe('application-refused');
    expect((await applicant.put('/application', { signUpAnswers: [] })).code).toBe('application-not-found');
    expect((await queue('refused'))[0]).toMatchObject({
      id: applicant.id,
      refusal: { name: 'Mona', reason: 'Please use your own name.' },
    });
    const log = JSON.stringify((await member.get('/moderation/log')).body);
    expect(log).toContain('refuse_account');
    expect(log).not.toContain('your own name');
    const page = expectOk(await moderator.get<ModeratedMember>(`/moderation/members/${applicant.id}`));
    expect(page).toMatchObject({ application: 'refused', refusalReason: 'Please use your own name.' });
    // A refusal can be undone.
    expectOk(await decide(second, applicant.id, 'approve'));
    expect((await state(applicant)).member?.id).toBe(applicant.id);
  });

  test('decides each account once, also when moderators approve and refuse it at the same time', async () => {
    for (let round = 0; round < 5; round++) {
      const applicant = await apply();
      const answers = await Promise.all([
        decide(moderator, applicant.id, 'approve'),
        decide(second, applicant.id, 'refuse', 'Advertising.'),
        decide(second, applicant.id, 'refuse', 'Advertising.'),
      ]);
      const [approval, ...refusals] = answers.map(({ status }) => status);
      const isMember = (await state(applicant)).member !== null;
      const { rows } = await sql<{ action: string }>`
        select action from moderation_log where member_id = ${applicant.id} order by id`.execute(db);
      const actions = rows.map(({ action }) => action);
      // A refusal can be followed by the approval, but never the other way round.
      expect(approval).toBe(204);
      expect(isMember).toBe(true);
      const refused = refusals.filter((status) => status === 204).length;
      expect(refused).toBeLessThanOrEqual(1);
      expect(actions).toEqual([...(refused === 1 ? ['refuse_account'] : []), 'approve_account']);
    }
  });

  test('lets one moderator work on an account, until another takes it over', async () => {
    const { id } = await apply();
    const claim = (by: Member, takeOver = false) =>
      by.put(`/moderation/applications/${id}/claim`, { takeOver });
    expect((await claim(moderator)).status).toBe(204);
    expect((await claim(moderator)).status).toBe(204);
    expect((await claim(second)).code).toBe('claimed-by-moderator');
    expect((await decide(second, id, 'approve')).code).toBe('claimed-by-moderator');
    expect((await queue()).find((item) => item.id === id)?.claim).toMatchObject({ name: 'Mona' });
    // Another's claim is not released.
    expect((await second.delete(`/moderation/applications/${id}/claim`)).status).toBe(204);
    expect((await decide(second, id, 'approve')).code).toBe('claimed-by-moderator');
    expect((await claim(second, true)).status).toBe(204);
    expect((await second.delete(`/moderation/applications/${id}/claim`)).status).toBe(204);
    expect((await decide(moderator, id, 'approve')).status).toBe(204);
    expect((await claim(moderator)).code).toBe('handled-already');
  });

  test('does not exist for members', async () => {
    expect((await member.get('/moderation/applications')).status).toBe(404);
    expect((await member.get('/moderation/applications/count')).status).toBe(404);
  });
});

test('an invitation skips the approval', async () => {
  const draft = { note: '', maxUses: 1, expiresAt: new Date(Date.now() + 86_400_000).toISOString() };
  const { token } = expectOk(await moderator.post<{ token: string }>('/admin/invitations', draft));
  const { response } = await register({ invitation: token });
  expect(response.body.member?.displayName).toBe('Guest');
});

test('two accounts are merged only if both are members', async () => {
  await set('joining', 'open');
  const [admin] = await server.registerAll('Adele');
  await set('joining', 'approval');
  await setRole(db, { email: admin.email, role: 'admin' });
  const applicant = await apply();
  const preview = (from: number, into: number) =>
    admin.get(`/admin/members/${from}/merge-preview?into=${into}`);
  expect((await preview(applicant.id, member.id)).code).toBe('merge-of-applicant');
  expect((await preview(member.id, applicant.id)).code).toBe('merge-of-applicant');
});

describe('questions for people who register', () => {
  const questions = ['Why do you want to join? | required | 20', 'Where did you hear of us?'];
  const given = (why: string, where?: string) => [
    { question: 'Why do you want to join?', answer: why },
    ...(where === undefined ? [] : [{ question: 'Where did you hear of us?', answer: where }]),
  ];

  test('are named with the sign-in settings', async () => {
    await set('signUpQuestions', questions);
    expect((await server.visitor().get('/sign-in')).body).toMatchObject({
      joining: 'approval',
      signUpQuestions: [
        { question: 'Why do you want to join?', required: true, maxLength: 20 },
        { question: 'Where did you hear of us?', required: false, maxLength: 500 },
      ],
    });
  });

  test.each([
    ['no answers', undefined, 'sign-up-answer-required'],
    ['an empty answer', given('  '), 'sign-up-answer-required'],
    ['an answer that is too long', given('x'.repeat(21)), 'text-too-long'],
  ])('refuse %s, at the question', async (_, signUpAnswers, code) => {
    await set('signUpQuestions', questions);
    const { response, email } = await register(signUpAnswers && { signUpAnswers });
    expect(response).toMatchObject({ status: 400, code, errors: [{ field: 'signUpAnswers.0' }] });
    const { rows } = await sql`select from member where email = ${email}`.execute(db);
    expect(rows).toEqual([]);
  });

  test('refuse answers to a question that has changed', async () => {
    await set('signUpQuestions', ['Who are you? | required']);
    const { response } = await register({ signUpAnswers: given('To bake.') });
    expect(response).toMatchObject({ status: 409, code: 'sign-up-questions-changed' });
  });

  test('are stored as they were asked, also with open joining, for moderators', async () => {
    await set('joining', 'open');
    await set('signUpQuestions', questions);
    const { response } = await register({ signUpAnswers: given('To bake.', ' A friend ') });
    const id = response.body.member?.id ?? 0;
    await set('signUpQuestions', []);
    const page = expectOk(await moderator.get<ModeratedMember>(`/moderation/members/${id}`));
    expect(page).toMatchObject({ application: null, signUpAnswers: given('To bake.', 'A friend') });
    expect((await member.get(`/moderation/members/${id}`)).status).toBe(404);
  });

  test('can be answered again while the account waits', async () => {
    await set('signUpQuestions', questions);
    const { browser, response } = await register({ signUpAnswers: given('To bake.', 'A friend') });
    expectOk(response);
    const change = (signUpAnswers: SignUpAnswer[]) =>
      browser.put<OwnApplication>('/application', { signUpAnswers });
    expect((await change(given(''))).code).toBe('sign-up-answer-required');
    expect(expectOk(await change(given('To learn.'))).signUpAnswers).toEqual(given('To learn.'));
    expect((await queue()).at(-1)?.signUpAnswers).toEqual(given('To learn.'));
  });
});

describe('an account from the sign-in provider', () => {
  async function returnFromProvider(email: string) {
    const browser = server.visitor();
    const { url } = expectOk(
      await browser.post<{ url: string }>('/session/provider', { provider: 'oidc', next: '/topics' }),
    );
    const query = await signInAtProvider(url, email);
    return {
      browser,
      result: await browser.post<Record<string, unknown>>('/session/provider/callback', { query }),
    };
  }

  test('waits for approval', async () => {
    const { browser, result } = await returnFromProvider('waits@example.net');
    expect(result.body).toMatchObject({ member: null, account: { status: 'waiting' }, next: '/topics' });
    expect((await browser.get('/feeds/recent')).code).toBe('application-waiting');
  });

  test('is created once the questions are answered', async () => {
    await set('signUpQuestions', ['Why? | required']);
    const { browser, result } = await returnFromProvider('answers@example.net');
    expect(result.body).toMatchObject({ member: null, needs: 'sign-up-answers' });
    const { rows: before } = await sql`select from member where email = 'answers@example.net'`.execute(db);
    expect(before).toEqual([]);
    const answer = (signUpAnswers: SignUpAnswer[]) =>
      browser.post<SessionState>('/session/provider/registration', { signUpAnswers });
    expect((await answer([])).code).toBe('sign-up-answer-required');
    const { body } = await answer([{ question: 'Why?', answer: 'To bake.' }]);
    expect(body).toMatchObject({ member: null, account: { status: 'waiting' } });
    expect((await queue()).at(-1)?.signUpAnswers).toEqual([{ question: 'Why?', answer: 'To bake.' }]);
    expect((await answer([{ question: 'Why?', answer: 'Again.' }])).code).toBe('sign-in-expired');
  });

  test('is not created without a return from the provider', async () => {
    const visitor = server.visitor();
    const response = await visitor.post('/session/provider/registration', { signUpAnswers: [] });
    expect(response.code).toBe('sign-in-expired');
  });
});
