import { sql } from 'kysely';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { createLinkToken } from '#tests/support/email-links.ts';
import { eventually } from '#tests/support/eventually.ts';
import { type ApiResponse, expectOk, type Member, password } from '#tests/support/member.ts';
import { isWaitingForMember, preparePausedInserts } from '#tests/support/paused-inserts.ts';
import { startTestServer } from '#tests/support/server.ts';
import { enableTwoFactor } from '#tests/support/two-factor.ts';
import { addPasskey, createPasskeySignIn } from '#tests/support/webauthn-authenticator.ts';
import { removeSignInFactors } from './two-factor.ts';

const server = await startTestServer();
afterAll(() => server.stop());
beforeEach(() => server.resetRateLimits());

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
    const [ann, other] = [await server.register('Ann'), await server.register('Other')];
    const browser = server.visitor();
    const signingIn = await whilePaused('session', async () => {
      const response = browser.signIn(ann.email, password);
      await untilPaused('session');
      await change(ann);
      // In an array, so that it is not awaited here.
      return [response];
    });
    expect(await signingIn[0]).toMatchObject({ status: 401, kind: 'sign-in-expired' });
    expect((await browser.get('/sessions')).status).toBe(401);
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
