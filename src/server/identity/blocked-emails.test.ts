import { sql } from 'kysely';
import { describe, expect, onTestFinished, test } from 'vitest';
import { setSiteSetting } from '#tests/support/site-settings.ts';
import { createLinkToken } from '#tests/support/email-links.ts';
import { expectOk, type Member, password } from '#tests/support/member.ts';
import { signInAtProvider } from '#tests/support/oidc-provider.ts';
import { startServerWithProvider } from '#tests/support/server-with-provider.ts';
import { deleteOldBlockedEmails } from './blocked-emails.ts';

const { server } = await startServerWithProvider();
const { db } = server;

const refused = { status: 403, kind: 'not-allowed', code: 'email-blocked' };

const suspend = ({ id }: Member, days: number) =>
  sql`update member set suspended_until = now() + make_interval(days => ${days}::int), suspension_reason = 'Spam.',
    email_verified = true where id = ${id}`.execute(db);

const deleteAccount = async (member: Member) =>
  expectOk(await member.post('/account-deletion', { password, posts: 'keep' }));

const register = (email: string) =>
  server.visitor().post('/members', { displayName: 'Returned', email, password });

async function registerWithProvider(email: string) {
  const browser = server.visitor();
  const { url } = expectOk(await browser.post<{ url: string }>('/session/provider', { provider: 'oidc' }));
  return browser.post('/session/provider/callback', { query: await signInAtProvider(url, email) });
}

async function setQuestions(questions: string[]): Promise<void> {
  await setSiteSetting(db, 'signUpQuestions', questions);
  await server.siteSettings.refresh();
}

/** Days until each address is free. */
async function listBlocks(): Promise<number[]> {
  const { rows } = await sql<{ days: number }>`
    select round(extract(epoch from blocked_until - now()) / 86400)::int as days from blocked_email order by 1`.execute(
    db,
  );
  return rows.map(({ days }) => days);
}

describe('the address of a suspended member who deletes the account', () => {
  test('cannot be used for an account until the suspension ends', async () => {
    const [ann, other] = await server.registerAll('Ann', 'Other');
    await suspend(ann, 7);
    await deleteAccount(ann);
    expect(await listBlocks()).toEqual([7]);
    const named = { ...refused, errors: [{ field: 'email', code: 'email-blocked' }] };
    expect(await register(` ${ann.email.toUpperCase()}`)).toMatchObject(named);
    expect(await registerWithProvider(ann.email)).toMatchObject(refused);
    expect(await other.put('/email-address', { email: ann.email, password })).toMatchObject(named);
    await sql`update blocked_email set blocked_until = now() - interval '1 second'`.execute(db);
    expectOk(await register(ann.email));
  });

  test('cannot be confirmed by a member who had asked for it before', async () => {
    const [ann, other] = await server.registerAll('Ann', 'Other');
    const token = await createLinkToken(db, { memberId: other.id, purpose: 'change_email' });
    await sql`update email_link set email = ${ann.email} where member_id = ${other.id}`.execute(db);
    await suspend(ann, 7);
    await deleteAccount(ann);
    expect(await server.visitor().post('/email/change', { token })).toMatchObject(refused);
  });

  test('is not asked for answers of a registration', async () => {
    const ann = await server.register('Ann');
    await suspend(ann, 7);
    await deleteAccount(ann);
    await setQuestions(['Why? | required | 100']);
    onTestFinished(() => setQuestions([]));
    expect(await registerWithProvider(ann.email)).toMatchObject(refused);
  });

  test('is blocked with an earlier address that the member could restore', async () => {
    const ann = await server.register('Ann');
    await createLinkToken(db, { memberId: ann.id, purpose: 'revert_email' });
    await sql`update email_link set email = 'earlier@example.org', reserves_email = true
      where member_id = ${ann.id}`.execute(db);
    await suspend(ann, 7);
    await deleteAccount(ann);
    expect(await register('earlier@example.org')).toMatchObject(refused);
    expect(await register(ann.email)).toMatchObject(refused);
  });

  test('is not stored, and its hash is deleted when the suspension ends', async () => {
    await sql`delete from blocked_email`.execute(db);
    const [ann, ben] = await server.registerAll('Ann', 'Ben');
    for (const [member, days] of [
      [ann, 3],
      [ben, 90],
    ] as const) {
      await suspend(member, days);
      await deleteAccount(member);
    }
    const { rows } = await sql<{ row: string }>`select row::text from blocked_email row`.execute(db);
    expect(JSON.stringify(rows)).not.toContain('@');
    await sql`update blocked_email set blocked_until = blocked_until - interval '4 days'`.execute(db);
    await deleteOldBlockedEmails(db);
    expect(await listBlocks()).toEqual([86]);
  });
});

test('the address of a refused account that is deleted cannot be used for a year', async () => {
  await sql`delete from blocked_email`.execute(db);
  const ann = await server.register('Ann');
  await sql`update member set application = 'refused', email_verified = true where id = ${ann.id}`.execute(
    db,
  );
  await deleteAccount(ann);
  expect(await listBlocks()).toEqual([365]);
  expect(await register(ann.email)).toMatchObject(refused);
});

test.each([
  ['of any other member', () => Promise.resolve()],
  ['of a member whose suspension has ended', (member: Member) => suspend(member, -1)],
  [
    'that was not confirmed',
    async (member: Member) => {
      await suspend(member, 7);
      await sql`update member set email_verified = false where id = ${member.id}`.execute(db);
    },
  ],
  [
    'of an account that waits for approval',
    ({ id }: Member) => sql`update member set application = 'waiting' where id = ${id}`.execute(db),
  ],
])('the address %s is free when the account is deleted', async (_, prepare) => {
  const ann = await server.register('Ann');
  await prepare(ann);
  await deleteAccount(ann);
  expectOk(await register(ann.email));
});
