import { sql } from 'kysely';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { apiScope, type ApiToken } from '#shared/integrations/api-tokens.ts';
import { serverLimits } from '#shared/core/limits.ts';
import type { SessionState } from '#shared/identity/accounts.ts';
import { createToken, Program, programOf } from '#tests/support/api-tokens.ts';
import { createLinkToken } from '#tests/support/email-links.ts';
import { eventually } from '#tests/support/eventually.ts';
import { expectOk, type Member, password } from '#tests/support/member.ts';
import { setSiteSetting } from '#tests/support/site-settings.ts';
import { startTestServer } from '#tests/support/server.ts';
import { deleteInvalidApiTokens } from './api-tokens.ts';

const server = await startTestServer();
afterAll(() => server.stop());
beforeEach(() => server.resetRateLimits());

const ann = await server.register('Ann');
const questionId = await ann.ask();
const draft = { name: 'Script', scopes: ['read'], expiresInDays: 30, password };
const listTokens = async (member: Member) =>
  expectOk(await member.get<{ items: ApiToken[]; enabled: boolean }>('/api-tokens')).items;
const readQuestion = (program: Program) => program.get(`/questions/${questionId}`);

/** Shifts the times of a token into the past. */
const age = (id: number, days: number) =>
  sql`update api_token set created_at = created_at - make_interval(days => ${days}::int),
    expires_at = expires_at - make_interval(days => ${days}::int),
    last_used_at = last_used_at - make_interval(days => ${days}::int) where id = ${id}`.execute(server.db);

describe('creating a token', () => {
  test('responds with the token once, and stores only its hash', async () => {
    const member = await server.register('Once');
    const created = expectOk(await member.post<ApiToken & { token: string }>('/api-tokens', draft));
    expect(created.token).toMatch(/^parley_[\w-]{43}$/);
    const { token, ...rest } = created;
    expect(await listTokens(member)).toEqual([rest]);
    const { rows } = await sql<{ row: string }>`
      select row::text from api_token row where member_id = ${member.id}`.execute(server.db);
    expect(rows[0]?.row).not.toContain(token.slice('parley_'.length));
  });

  test('records a security event, which is emailed', async () => {
    const member = await server.register('Careful');
    await createToken(member, ['read']);
    const { rows } = await sql`select event from security_event where member_id = ${member.id}`.execute(
      server.db,
    );
    expect(rows).toEqual([{ event: 'api-token-created' }]);
  });

  test.each([
    ['a wrong password', { password: 'wrong' }, 'password', 'current-password-wrong'],
    ['no name', { name: ' ' }, 'name', 'api-token-name-required'],
    ['no scope', { scopes: [] }, 'scopes', 'api-token-scope-required'],
    ['an unknown scope', { scopes: ['everything'] }, 'scopes.0', 'value-not-valid'],
    ['more than a year', { expiresInDays: 366 }, 'expiresInDays', 'setting-not-in-range'],
  ])('is refused with %s', async (_, wrong, field, code) => {
    const member = await server.register('Wrong');
    const response = await member.post('/api-tokens', { ...draft, ...wrong });
    expect(response.status).toBe(400);
    expect(response.errors?.map((error) => [error.field, error.code])).toEqual([[field, code]]);
    expect(await listTokens(member)).toEqual([]);
  });

  test('is refused above the limit, also when several are created at once', async () => {
    const member = await server.register('Many');
    for (let index = 1; index < serverLimits.apiTokens; index++) await createToken(member, ['read']);
    const responses = await Promise.all([1, 2, 3].map(() => member.post('/api-tokens', draft)));
    expect(responses.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 403, 403]);
    expect(await listTokens(member)).toHaveLength(serverLimits.apiTokens);
  });
});

describe('a request with a token', () => {
  test('is made in the name of the member, without setting a cookie', async () => {
    const program = await programOf(ann, ['write']);
    const asked = await program.post<{ id: number }>('/questions', {
      title: 'Asked by a program',
      content: 'Which flour is best?',
      tags: ['flour'],
    });
    expect(asked.status).toBe(201);
    expect(asked.headers.getSetCookie()).toEqual([]);
    const { rows } = await sql`select author_id from question where id = ${asked.body.id}`.execute(server.db);
    expect(rows).toEqual([{ author_id: ann.id }]);
  });

  test('records when the token was last used', async () => {
    const member = await server.register('Used');
    expectOk(await readQuestion(await programOf(member, ['read'])));
    const [token] = await listTokens(member);
    expect(token?.lastUsedAt).not.toBeNull();
  });

  test.each(['parley_made-up', 'unknown', 'two words', ''])(
    'is refused with the token %s, also beside a valid cookie',
    async (token) => {
      const response = await ann.send('GET', `/questions/${questionId}`, {
        headers: { authorization: `Bearer ${token}` },
      });
      expect([response.status, response.code]).toEqual([401, 'api-token-not-valid']);
      expect(response.headers.get('www-authenticate')).toBe('Bearer error="invalid_token"');
    },
  );

  test('ignores other schemes, such as the password of a proxy', async () => {
    const response = await ann.send('GET', `/questions/${questionId}`, {
      headers: { authorization: 'Basic cHJveHk6cHJveHk=' },
    });
    expect(response.status).toBe(200);
  });

  test('responds 404 for a path that does not exist', async () => {
    const program = await programOf(ann, ['read']);
    expect((await program.get('/nothing')).status).toBe(404);
  });

  test('is refused once the token is revoked', async () => {
    const member = await server.register('Revoker');
    const { id, token } = await createToken(member, ['read']);
    const program = new Program(server.address, token);
    expectOk(await readQuestion(program));
    expectOk(await member.delete(`/api-tokens/${id}`));
    expect((await readQuestion(program)).code).toBe('api-token-not-valid');
    expect((await member.delete(`/api-tokens/${id}`)).code).toBe('api-token-not-found');
  });

  test.each([
    ['has expired', 31, 30],
    ['was not used for half a year', 181, 365],
  ])('is refused and deleted once the token %s', async (_, days, expiresInDays) => {
    const member = await server.register('Idle');
    const { id, token } = expectOk(
      await member.post<{ id: number; token: string }>('/api-tokens', { ...draft, expiresInDays }),
    );
    await age(id, days - 2);
    const program = new Program(server.address, token);
    await deleteInvalidApiTokens(server.db);
    expect(await listTokens(member)).toHaveLength(1);
    await age(id, 2);
    expect((await readQuestion(program)).code).toBe('api-token-not-valid');
    await deleteInvalidApiTokens(server.db);
    expect(await listTokens(member)).toEqual([]);
  });

  test('may not write while the member is suspended', async () => {
    const member = await server.register('Suspended');
    const program = await programOf(member, ['read', 'lists']);
    await sql`update member set suspension_reason = 'Spam.', suspended_until = now() + interval '1 day'
      where id = ${member.id}`.execute(server.db);
    expect((await readQuestion(program)).status).toBe(200);
    const vote = await program.put(`/questions/${questionId}/vote`, { vote: 'up' });
    expect(vote.code).toBe('suspended');
  });

  test('is refused while API tokens are switched off', async () => {
    const program = await programOf(ann, ['read']);
    await setSiteSetting(server.db, 'apiTokens', false);
    await eventually(async () => (await readQuestion(program)).code === 'api-tokens-disabled');
    expect((await ann.post('/api-tokens', draft)).code).toBe('api-tokens-disabled');
    await setSiteSetting(server.db, 'apiTokens', true);
    await eventually(async () => (await readQuestion(program)).status === 200);
  });
});

test('a password reset deletes all tokens of the member', async () => {
  const member = await server.register('Forgetful');
  const program = await programOf(member, apiScope.options);
  expectOk(await readQuestion(program));
  const token = await createLinkToken(server.db, { memberId: member.id, purpose: 'reset_password' });
  expectOk(await server.visitor().post('/email/password-reset', { token, newPassword: 'A new password 7' }));
  expect((await readQuestion(program)).code).toBe('api-token-not-valid');
});

test('members see and revoke only their own tokens', async () => {
  const { id } = await createToken(ann, ['read']);
  const other = await server.register('Other');
  expect(await listTokens(other)).toEqual([]);
  expect((await other.delete(`/api-tokens/${id}`)).code).toBe('api-token-not-found');
  expect((await listTokens(ann)).map((token) => token.id)).toContain(id);
});

test('a token gives no access to the account', async () => {
  const program = await programOf(ann, apiScope.options);
  expect((await program.get('/settings')).code).toBe('api-token-not-accepted');
  expect((await program.post('/api-tokens', draft)).code).toBe('api-token-not-accepted');
  expect((await program.get<SessionState>('/session')).body.member).toBeNull();
});
