import { sql } from 'kysely';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { transaction } from '#server/core/database.ts';
import { eventually } from '#tests/support/eventually.ts';
import { expectOk, type Member, password } from '#tests/support/member.ts';
import { isWaitingForMember, preparePausedInserts } from '#tests/support/paused-inserts.ts';
import { siteUrl } from '#tests/support/server-with-email.ts';
import { startTestServer } from '#tests/support/server.ts';
import { createAccountEmailJob } from './account-emails.ts';
import { insertPendingEmail } from './account-links.ts';

const server = await startTestServer();
afterAll(() => server.stop());
beforeEach(() => server.resetRateLimits());
const { db } = server;
const { whilePaused, untilPaused } = await preparePausedInserts(db, ['email_link']);

const newPassword = 'another horse battery';
const address = 'new@example.org';

type Job = Parameters<ReturnType<typeof createAccountEmailJob>['run']>[0];

/** Runs the job as the queue does. Returns the addresses that it sent an email to. */
async function run(job: Job): Promise<string[]> {
  const recipients: string[] = [];
  const definition = createAccountEmailJob({
    db,
    getSite: () => ({ siteName: 'Parley', site: siteUrl, accentColor: 'blue', logo: '', language: 'en' }),
    deliver: async ({ to }) => void recipients.push(to),
  });
  await definition.run(job, { id: 'f5e1b1de-0a0c-4a3b-8b5e-1f0d4b2f9d11', isLast: false });
  return recipients;
}

const countLinks = async ({ id }: Member, purpose: string) => {
  const { rows } = await sql`select from email_link where member_id = ${id} and purpose = ${purpose}`.execute(
    db,
  );
  return rows.length;
};

describe('a link that confirms a new address, whose email is written at the same moment', () => {
  const changes: Record<string, (member: Member) => Promise<unknown>> = {
    'the change is cancelled': async (member) => expectOk(await member.delete('/email-address/change')),
    'the password is changed': async (member) =>
      expectOk(await member.put('/password', { currentPassword: password, newPassword })),
    'another address is chosen': async (member) =>
      expectOk(await member.put('/email-address', { email: 'other@example.org', password })),
  };
  test.each(Object.entries(changes))('does not work once %s', async (_, change) => {
    const ann = await server.register('Ann');
    const expiresAt = new Date(Date.now() + 60_000);
    await transaction(db, (tx) =>
      insertPendingEmail(tx, { memberId: ann.id, purpose: 'change_email', address, expiresAt }),
    );
    const pending = await whilePaused('email_link', async () => {
      const sending = run({ what: 'change_email', memberId: ann.id, address });
      await untilPaused('email_link');
      let isChanged = false;
      const changing = change(ann).then(() => (isChanged = true));
      await eventually(async () => isChanged || (await isWaitingForMember(db)));
      return [sending, changing] as const;
    });
    await Promise.all(pending);
    expect(await countLinks(ann, 'change_email')).toBe(0);
  });
});

test('a link for a new password, whose email is written at the same moment, ends with the address', async () => {
  const ben = await server.register('Ben');
  const pending = await whilePaused('email_link', async () => {
    const sending = run({ what: 'reset_password', email: ben.email });
    await untilPaused('email_link');
    let isChanged = false;
    const changing = ben
      .put('/email-address', { email: 'ben@example.net', password })
      .then((response) => (isChanged = response.status === 200));
    await eventually(async () => isChanged || (await isWaitingForMember(db)));
    return [sending, changing] as const;
  });
  await Promise.all(pending);
  expect((await ben.me()).email).toBe('ben@example.net');
  expect(await countLinks(ben, 'reset_password')).toBe(0);
});

test('a link for a new password is not sent later than an hour after the request', async () => {
  const cat = await server.register('Cat');
  const send = (minutesAgo: number) =>
    run({ what: 'reset_password', email: cat.email, requestedAt: Date.now() - minutesAgo * 60_000 });
  expect(await send(59)).toEqual([cat.email]);
  expect(await countLinks(cat, 'reset_password')).toBe(1);
  expect(await send(61)).toEqual([]);
  expect(await countLinks(cat, 'reset_password')).toBe(1);
});
