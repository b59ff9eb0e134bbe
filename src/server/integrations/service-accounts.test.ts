import { sql } from 'kysely';
import { pino } from 'pino';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { setRole } from '#server/admin/roles.ts';
import { countStatistics } from '#server/admin/statistics.ts';
import { createAccountDeletionJob } from '#server/identity/account-deletion.ts';
import type { Statistics } from '#shared/admin/statistics.ts';
import { limits, serverLimits } from '#shared/core/limits.ts';
import type { Profile } from '#shared/identity/profiles.ts';
import type { ServiceAccount, ServiceAccounts } from '#shared/integrations/service-accounts.ts';
import type { QuestionDocument } from '#shared/posts/questions-document.ts';
import { Program } from '#tests/support/api-tokens.ts';
import { expectOk, type Member, password } from '#tests/support/member.ts';
import { getModerationLog } from '#tests/support/moderation.ts';
import { setSiteSetting } from '#tests/support/site-settings.ts';
import { startTestServer } from '#tests/support/server.ts';
import { eventually } from '#tests/support/eventually.ts';

const server = await startTestServer();
afterAll(() => server.stop());
beforeEach(() => server.resetRateLimits());

const [ada, mod, ann] = [
  await server.register('Ada'),
  await server.register('Mo'),
  await server.register('Ann'),
];
await setRole(server.db, { email: ada.email, role: 'admin' });
await setRole(server.db, { email: mod.email, role: 'moderator' });

const draft = {
  displayName: 'Release notes',
  bio: 'Posts what is new.',
  requestsPerMinute: 300,
  postsPerHour: 30,
};
const tokenDraft = { name: 'CI', scopes: ['read', 'write'], expiresInDays: 30, password };
const question = { title: 'What is new in 2.0?', content: 'See below.', tags: ['news'] };

async function addAccount(values: Partial<typeof draft> = {}): Promise<number> {
  return expectOk(await ada.post<{ id: number }>('/admin/service-accounts', { ...draft, ...values })).id;
}

const createToken = (id: number, values: object = {}) =>
  ada.post<{ id: number; token: string }>(`/admin/service-accounts/${id}/tokens`, {
    ...tokenDraft,
    ...values,
  });

async function addProgram(id: number): Promise<Program> {
  return new Program(server.address, expectOk(await createToken(id)).token);
}

const listAccounts = async () => expectOk(await ada.get<ServiceAccounts>('/admin/service-accounts')).items;
const findAccount = async (id: number): Promise<ServiceAccount> => {
  const account = (await listAccounts()).find((each) => each.id === id);
  if (account === undefined) throw new Error('no such account');
  return account;
};
const latestEntries = async (count: number) => (await getModerationLog(mod)).slice(0, count);

describe('an admin', () => {
  test('creates, lists, renames, deactivates and activates an account, which the moderation log has', async () => {
    const id = await addAccount();
    expect(await findAccount(id)).toEqual({
      id,
      ...draft,
      active: true,
      createdAt: expect.any(String),
      questionsCount: 0,
      answersCount: 0,
      tokens: [],
    });
    expectOk(
      await ada.put(`/admin/service-accounts/${id}`, { ...draft, displayName: 'News', postsPerHour: 5 }),
    );
    expectOk(await ada.put(`/admin/service-accounts/${id}/active`, { active: false }));
    expectOk(await ada.put(`/admin/service-accounts/${id}/active`, { active: false }));
    expect(await findAccount(id)).toMatchObject({ displayName: 'News', postsPerHour: 5, active: false });
    expectOk(await ada.put(`/admin/service-accounts/${id}/active`, { active: true }));
    const about = { moderatorName: 'Ada', memberId: id, memberName: 'News' };
    expect(await latestEntries(4)).toMatchObject([
      { action: 'change_service_account', ...about, before: { active: false }, after: { active: true } },
      { action: 'change_service_account', ...about, before: { active: true }, after: { active: false } },
      { action: 'change_service_account', before: { postsPerHour: 30 }, after: { postsPerHour: 5 } },
      { action: 'add_service_account', after: { displayName: 'Release notes' } },
    ]);
  });

  test.each([
    ['no name', { displayName: ' ' }, 'displayName'],
    ['the name of a moderator', { displayName: 'Ada' }, 'displayName'],
    ['a text that is too long', { bio: 'x'.repeat(limits.bio + 1) }, 'bio'],
    ['no request per minute', { requestsPerMinute: 0 }, 'requestsPerMinute'],
    ['more than 360 posts per hour', { postsPerHour: 361 }, 'postsPerHour'],
  ])('cannot give an account %s', async (_, wrong, field) => {
    const response = await ada.post('/admin/service-accounts', { ...draft, ...wrong });
    expect(response.status).toBe(400);
    expect([...new Set(response.errors?.map((each) => each.field))]).toEqual([field]);
  });

  test('creates tokens with the own password, sees their last use and revokes them', async () => {
    const id = await addAccount();
    expect((await createToken(id, { password: 'wrong' })).code).toBe('current-password-wrong');
    for (const scope of ['moderation', 'drafts'])
      expect((await createToken(id, { scopes: ['read', scope] })).code).toBe('value-not-valid');
    const { id: tokenId, token } = expectOk(await createToken(id));
    const program = new Program(server.address, token);
    expectOk(await program.get('/feeds/recent'));
    const [listed] = (await findAccount(id)).tokens;
    expect(listed).toMatchObject({ id: tokenId, name: 'CI', scopes: ['read', 'write'] });
    expect(listed?.lastUsedAt).not.toBeNull();
    expectOk(await ada.delete(`/admin/service-accounts/${id}/tokens/${tokenId}`));
    expect((await program.get('/feeds/recent')).code).toBe('api-token-not-valid');
    expect((await ada.delete(`/admin/service-accounts/${id}/tokens/${tokenId}`)).code).toBe(
      'api-token-not-found',
    );
    expect(await latestEntries(2)).toMatchObject([
      { action: 'revoke_service_account_token', memberId: id, before: { name: 'CI' } },
      { action: 'add_service_account_token', memberId: id, after: { name: 'CI', scopes: ['read', 'write'] } },
    ]);
    expect(JSON.stringify(await getModerationLog(mod))).not.toContain(token);
  });

  test('cannot reach tokens or accounts of people in this way', async () => {
    const id = await addAccount();
    const own = expectOk(await ann.post<{ id: number }>('/api-tokens', tokenDraft));
    for (const response of [
      await createToken(ann.id),
      await ada.put(`/admin/service-accounts/${ann.id}`, draft),
      await ada.put(`/admin/service-accounts/${ann.id}/active`, { active: false }),
      await ada.post(`/admin/service-accounts/${ann.id}/deletion`, { posts: 'delete', password }),
    ])
      expect([response.status, response.code]).toEqual([404, 'service-account-not-found']);
    expect((await ada.delete(`/admin/service-accounts/${id}/tokens/${own.id}`)).code).toBe(
      'api-token-not-found',
    );
  });

  test('can have 50 accounts, also when several are created at once', async () => {
    const present = (await listAccounts()).length;
    await sql`with added as (insert into member (display_name, is_bot)
        select 'Bot ' || n, true from generate_series(1, ${serverLimits.serviceAccounts - present - 1}::int) n returning id)
      insert into service_account (member_id, requests_per_minute, posts_per_hour)
      select id, 1, 1 from added`.execute(server.db);
    const responses = await Promise.all([1, 2, 3].map(() => ada.post('/admin/service-accounts', draft)));
    expect(responses.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([
      201, 403, 403,
    ]);
    await sql`delete from member where display_name like 'Bot %'`.execute(server.db);
  });
});

test.each([
  ['a moderator', mod],
  ['a member', ann],
])('%s cannot see or manage service accounts', async (_, member: Member) => {
  const id = await addAccount();
  for (const response of [
    await member.get('/admin/service-accounts'),
    await member.post('/admin/service-accounts', draft),
    await member.put(`/admin/service-accounts/${id}/active`, { active: false }),
    await member.post(`/admin/service-accounts/${id}/tokens`, tokenDraft),
  ])
    expect(response.status).toBe(404);
  expect(await findAccount(id)).toMatchObject({ active: true, tokens: [] });
});

describe('a program', () => {
  test('posts as a bot, which bylines and the profile show', async () => {
    const id = await addAccount();
    const program = await addProgram(id);
    const asked = expectOk(await program.post<{ id: number }>('/questions', question));
    const answer = await program.post(`/questions/${asked.id}/answers`, { content: 'It is faster.' });
    expect(answer.body).toMatchObject({ authorId: id, authorName: 'Release notes', authorIsBot: true });
    const reply = await program.post(`/questions/${asked.id}/replies`, { content: 'And smaller.' });
    expect(reply.body).toMatchObject({ authorIsBot: true });
    await ann.answer(asked.id);
    const document = expectOk(await ann.get<QuestionDocument>(`/questions/${asked.id}?sort=oldest`));
    expect(document.question.authorIsBot).toBe(true);
    expect(document.answers.items.map(({ authorIsBot }) => authorIsBot)).toEqual([true, false]);
    expect(expectOk(await ann.get<Profile>(`/members/${id}`))).toMatchObject({
      isBot: true,
      email: null,
      bio: 'Posts what is new.',
    });
    expect(expectOk(await ann.get<Profile>(`/members/${ada.id}`)).isBot).toBe(false);
    const { items } = expectOk(await ann.get<{ items: object[] }>('/feeds/recent'));
    expect(items).toContainEqual(expect.objectContaining({ id: asked.id, authorIsBot: true }));
    expect(await findAccount(id)).toMatchObject({ questionsCount: 1, answersCount: 1 });
  });

  test('is refused while the account is deactivated, and works again afterwards', async () => {
    const id = await addAccount();
    const program = await addProgram(id);
    expectOk(await ada.put(`/admin/service-accounts/${id}/active`, { active: false }));
    const refused = await program.get('/feeds/recent');
    expect([refused.status, refused.code]).toEqual([401, 'service-account-deactivated']);
    expect((await program.post('/questions', question)).code).toBe('service-account-deactivated');
    expectOk(await ada.put(`/admin/service-accounts/${id}/active`, { active: true }));
    expectOk(await program.get('/feeds/recent'));
  });

  test('has the requests per minute that the admin set, for all of its tokens together', async () => {
    const id = await addAccount({ requestsPerMinute: 2 });
    const [program, other] = [await addProgram(id), await addProgram(id)];
    expectOk(await program.get('/feeds/recent'));
    expectOk(await other.get('/feeds/recent'));
    const refused = await program.get('/feeds/recent');
    expect([refused.status, refused.code]).toEqual([429, 'service-account-limit']);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(60);
    expectOk(await ada.put(`/admin/service-accounts/${id}`, { ...draft, requestsPerMinute: 100 }));
    expectOk(await program.get('/feeds/recent'));
  });

  test('has the posts per hour that the admin set, and reads without limit by them', async () => {
    const id = await addAccount({ postsPerHour: 2 });
    const program = await addProgram(id);
    const asked = expectOk(await program.post<{ id: number }>('/questions', question));
    expectOk(await program.post(`/questions/${asked.id}/answers`, { content: 'It is faster.' }));
    const refused = await program.post(`/questions/${asked.id}/replies`, { content: 'And smaller.' });
    expect([refused.status, refused.code]).toEqual([429, 'service-account-limit']);
    expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(3_600);
    expectOk(await program.get(`/questions/${asked.id}`));
  });

  test('cannot reach an account or its settings', async () => {
    const program = await addProgram(await addAccount());
    for (const response of [
      await program.get('/settings'),
      await program.get('/admin/service-accounts'),
      await program.post('/api-tokens', tokenDraft),
      await program.put('/password', { currentPassword: '', newPassword: 'A new password 7' }),
    ])
      expect(response.code).toBe('api-token-not-accepted');
  });
});

describe('a service account', () => {
  test('gets no role, in the API and in the database', async () => {
    const id = await addAccount();
    expect((await ada.put(`/admin/members/${id}/role`, { role: 'moderator' })).code).toBe('role-needs-email');
    for (const change of [sql`role = 'moderator'`, sql`role = 'admin'`, sql`email = 'bot@example.org'`])
      await expect(sql`update member set ${change} where id = ${id}`.execute(server.db)).rejects.toThrow(
        /member_bot_cannot_sign_in|member_moderator_can_sign_in/u,
      );
  });

  test('cannot be claimed or merged', async () => {
    const id = await addAccount();
    expect((await ann.get(`/members/${id}/claim`)).status).toBe(404);
    for (const [from, into] of [
      [id, ann.id],
      [ann.id, id],
    ])
      expect(
        (await ada.post(`/admin/members/${from}/merge`, { into, name: 'Release notes', password })).code,
      ).toBe('merge-of-service-account');
  });

  test('gets notifications, but no emails', async () => {
    const id = await addAccount();
    const program = new Program(
      server.address,
      expectOk(await createToken(id, { scopes: ['read', 'write', 'notifications'] })).token,
    );
    const asked = expectOk(await program.post<{ id: number }>('/questions', question));
    await ann.answer(asked.id);
    const { items } = expectOk(await program.get<{ items: object[] }>('/notifications'));
    expect(items).toEqual([expect.objectContaining({ type: 'answer' })]);
    const { rows } = await sql`select pending_email from notification where recipient_id = ${id}`.execute(
      server.db,
    );
    expect(rows).toEqual([{ pending_email: null }]);
  });

  test('is not in the list of members, not suggested for mentions, and not counted among them', async () => {
    const before = await countMembers();
    const program = await addProgram(await addAccount({ displayName: 'Uncounted' }));
    expectOk(await program.post('/questions', question));
    const { items } = expectOk(await mod.get<{ items: { displayName: string }[] }>('/moderation/members'));
    expect(items.map(({ displayName }) => displayName)).not.toContain('Uncounted');
    const suggest = async (name: string) =>
      expectOk(await ann.get<{ items: { displayName: string }[] }>(`/members?q=${name}`)).items;
    expect((await suggest('Mo')).map(({ displayName }) => displayName)).toEqual(['Mo']);
    expect(await suggest('Uncounted')).toEqual([]);
    const after = await countMembers();
    expect(after).toEqual({ ...before, questions: before.questions + 1 });
  });

  async function countMembers() {
    await countStatistics(server.db, Number.POSITIVE_INFINITY);
    const { periods } = expectOk(await mod.get<Statistics>('/admin/statistics?unit=month'));
    const latest = periods.at(-1);
    if (latest === undefined) throw new Error('no statistics');
    const { questions, community } = latest;
    return { questions, active: community?.activeMembers, joined: community?.newMembers };
  }
});

describe('deleting a service account', () => {
  const remove = (id: number, values: object = {}) =>
    ada.post(`/admin/service-accounts/${id}/deletion`, { posts: 'keep', password, ...values });

  test('needs the password of the admin, ends its tokens and keeps its posts as those of a former bot', async () => {
    const id = await addAccount();
    const program = await addProgram(id);
    const asked = expectOk(await program.post<{ id: number }>('/questions', question));
    expect((await remove(id, { password: 'wrong' })).code).toBe('current-password-wrong');
    expectOk(await program.get('/feeds/recent'));
    expectOk(await remove(id));
    expect((await program.get('/feeds/recent')).code).toBe('api-token-not-valid');
    expect((await listAccounts()).map((each) => each.id)).not.toContain(id);
    const document = expectOk(await ann.get<QuestionDocument>(`/questions/${asked.id}`));
    expect(document.question).toMatchObject({ authorName: 'Former member', authorIsBot: true });
    expect((await remove(id)).code).toBe('service-account-not-found');
    expect(await latestEntries(1)).toMatchObject([
      {
        action: 'delete_service_account',
        before: { displayName: 'Release notes' },
        after: { posts: 'keep' },
      },
    ]);
  });

  test('deletes its posts if the admin chose that', async () => {
    const id = await addAccount();
    const asked = expectOk(await (await addProgram(id)).post<{ id: number }>('/questions', question));
    expectOk(await remove(id, { posts: 'delete' }));
    await createAccountDeletionJob({ db: server.db, log: pino({ level: 'silent' }) }).run({ memberId: id });
    expect((await ann.get(`/questions/${asked.id}`)).status).toBe(404);
  });
});

test('creates no tokens while API tokens are switched off', async () => {
  const id = await addAccount();
  await setSiteSetting(server.db, 'apiTokens', false);
  await eventually(async () => (await createToken(id)).code === 'api-tokens-disabled');
  expect(expectOk(await ada.get<ServiceAccounts>('/admin/service-accounts')).tokensEnabled).toBe(false);
  await setSiteSetting(server.db, 'apiTokens', true);
  await eventually(async () => (await createToken(id)).status === 201);
});
