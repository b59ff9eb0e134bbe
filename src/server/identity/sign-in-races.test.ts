import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { transaction } from '#server/core/database.ts';
import { createLinkToken } from '#tests/support/email-links.ts';
import { eventually } from '#tests/support/eventually.ts';
import { type ApiResponse, expectOk, type Member, password } from '#tests/support/member.ts';
import { isWaitingForMember, preparePausedInserts } from '#tests/support/paused-inserts.ts';
import { signInAtProvider } from '#tests/support/oidc-provider.ts';
import { startServerWithProvider } from '#tests/support/server-with-provider.ts';
import { enableTwoFactor, startTwoFactorSetup } from '#tests/support/two-factor.ts';
import {
  addPasskey,
  createPasskeySignIn,
  type PasskeyOptions,
  SoftwareAuthenticator,
} from '#tests/support/webauthn-authenticator.ts';
import { lockMember } from './account-links-queries.ts';
import { endAllSessions } from './password-resets.ts';
import { removeSignInFactors } from './two-factor.ts';

const { server } = await startServerWithProvider();

const newPassword = 'another horse battery';

const { whilePaused, untilPaused } = await preparePausedInserts(server.db, ['session', 'security_event']);

const resetPassword = async ({ id }: Member) => {
  const token = await createLinkToken(server.db, { memberId: id, purpose: 'reset_password' });
  expectOk(await server.visitor().post('/email/password-reset', { token, newPassword }));
};

describe('a sign-in with the password, in progress', () => {
  const changes: Record<string, (member: Member) => Promise<unknown>> = {
    'when the password is reset': resetPassword,
    'when the password is changed': async (member) =>
      expectOk(await member.put('/password', { currentPassword: password, newPassword })),
    'when two-factor authentication is enabled': enableTwoFactor,
    'when the account is deleted': async (member) =>
      expectOk(await member.post('/account-deletion', { password, posts: 'keep' })),
  };
  test.each(Object.entries(changes))('begins no session %s', async (_, change) => {
    const [ann, other, browser] = await server.registerAll('Ann', 'Other', 'Eve');
    const signingIn = await whilePaused('session', async () => {
      const response = browser.signIn(ann.email, password);
      await untilPaused('session');
      await change(ann);
      // In an array, so that it is not awaited here.
      return [response];
    });
    expect(await signingIn[0]).toMatchObject({ status: 401, kind: 'sign-in-expired' });
    // The browser keeps the session that it had.
    expect((await browser.get('/sessions')).status).toBe(200);
    const { rows } = await sql<{ count: number }>`
      select count(*) as count from session where member_id = ${ann.id}`.execute(server.db);
    expect(rows[0]?.count).toBeLessThanOrEqual(1);
    expect((await other.get('/sessions')).status).toBe(200);
  });

  const uncommitted: Record<string, (member: Member) => Promise<unknown>> = {
    'a reset of the password': resetPassword,
    'a start of two-factor authentication': enableTwoFactor,
  };
  test.each(Object.entries(uncommitted))(
    'does not outlive %s that is not committed yet',
    async (_, change) => {
      const ann = await server.register('Ann');
      const browser = server.visitor();
      const pending = await whilePaused('security_event', async () => {
        const changing = change(ann);
        await untilPaused('security_event');
        let response: ApiResponse | undefined;
        const signingIn = browser.signIn(ann.email, password).then((given) => (response = given));
        await eventually(async () => response !== undefined || (await isWaitingForMember(server.db)));
        return [signingIn, changing] as const;
      });
      // The change gives up its locks after a moment and starts again. The session can then begin before it, and ends with it.
      await Promise.all(pending);
      expect((await browser.get('/sessions')).status).toBe(401);
    },
  );
});

test('begins no session with a passkey that is removed during the sign-in', async () => {
  const ann = await server.register('Ann');
  const { authenticator } = await addPasskey(ann);
  const browser = server.visitor();
  const answer = await createPasskeySignIn(browser, authenticator);
  const signingIn = await whilePaused('session', async () => {
    const response = browser.post('/session/passkey', answer);
    await untilPaused('session');
    expect(await removeSignInFactors(server.db, ann.email)).toMatchObject({ passkeys: 1 });
    return [response];
  });
  expect(await signingIn[0]).toMatchObject({ status: 401, kind: 'sign-in-expired' });
  expect((await browser.get('/sessions')).status).toBe(401);
});

describe('a session that ends during the request', () => {
  /** Each prepares a request and returns it. */
  const requests: Record<string, (member: Member) => Promise<() => Promise<ApiResponse>>> = {
    'adds no passkey': async (member) => {
      const options = expectOk(await member.post<PasskeyOptions>('/passkeys/options', { password }));
      const credential = new SoftwareAuthenticator().create(options, member.address);
      return () => member.post('/passkeys', { name: 'Phone', credential });
    },
    'creates no API token': async (member) => () =>
      member.post('/api-tokens', { name: 'Script', scopes: ['read'], expiresInDays: 30, password }),
    'links no account at a provider': async (member) => {
      const { url } = expectOk(await member.post<{ url: string }>('/provider-accounts/oidc', { password }));
      const query = await signInAtProvider(url, `linked.${member.email}`);
      return () => member.post('/session/provider/callback', { query });
    },
    'does not enable two-factor authentication': async (member) => {
      const { setup, code } = await startTwoFactorSetup(member);
      return () => member.put('/two-factor', { setup, code });
    },
    'creates no recovery codes': async (member) => {
      await enableTwoFactor(member);
      return () => member.post('/two-factor/recovery-codes', { password });
    },
    'does not change the address': async (member) => () =>
      member.put('/email-address', { email: `new.${member.email}`, password }),
  };
  test.each(Object.entries(requests))('%s', async (_, prepare) => {
    const ann = await server.register('Ann');
    const send = await prepare(ann);
    const before = await readAccess(ann);
    const sent = await transaction(server.db, async (tx) => {
      // As a reset of the password, whose transaction has not committed.
      await lockMember(tx, ann.id, { changesEmail: false });
      await endAllSessions(tx, ann.id);
      let isDone = false;
      const response = send().finally(() => (isDone = true));
      await eventually(async () => isDone || (await isWaitingForMember(server.db)));
      return [response];
    });
    expect(await sent[0]).toMatchObject({ status: 401, code: 'signed-out' });
    expect(await readAccess(ann)).toEqual(before);
  });
});

/** Everything that gives access to an account. */
async function readAccess({ id }: Member): Promise<unknown> {
  const { rows } = await sql`
    select email,
      (select count(*) from passkey where member_id = member.id) as passkeys,
      (select count(*) from api_token where member_id = member.id) as tokens,
      (select count(*) from account where member_id = member.id) as accounts,
      (select count(*) from two_factor where member_id = member.id) as two_factor,
      (select string_agg(hash, ' ' order by hash) from recovery_code where member_id = member.id) as codes
    from member where id = ${id}`.execute(server.db);
  return rows;
}
