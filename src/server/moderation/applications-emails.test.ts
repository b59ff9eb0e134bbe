import { sql } from 'kysely';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { setRole } from '#server/admin/roles.ts';
import { changeSetting } from '#server/admin/settings.ts';
import { expectOk, password } from '#tests/support/member.ts';
import { loadSentTexts } from '#tests/support/sent-texts.ts';
import { siteUrl, startServerWithEmail } from '#tests/support/server-with-email.ts';

await loadSentTexts();
const community = await startServerWithEmail();
const { post, server, node } = community;
const moderator = await node.register('Mona');
await setRole(server.db, { email: moderator.email, role: 'moderator' });
await changeSetting(server.db, { adminId: null, name: 'joining', value: 'approval' });
await server.siteSettings.refresh();
afterAll(() => community.stop());
beforeEach(() => server.resetRateLimits());

/** An account that waits, whose browser has this language. */
async function apply(language: string) {
  const email = `applicant.${language}.${Date.now()}@example.org`;
  const form = { displayName: 'Guest', email, password };
  const headers = { 'accept-language': language };
  expectOk(await server.visitor().send('POST', '/members', { body: form, headers }));
  const { rows } = await sql<{ id: number }>`select id from member where email = ${email}`.execute(server.db);
  return { email, id: rows[0]?.id ?? 0 };
}

const decide = (id: number, decision: 'approve' | 'refuse', reason = '') =>
  moderator.put(`/moderation/applications/${id}/decision`, { decision, reason });

test('an approved account is emailed in its language', async () => {
  const { id, email } = await apply('de');
  expectOk(await decide(id, 'approve'));
  const [received] = await post.waitForEmails(email, 1);
  expect(received?.subject).toBe('Willkommen bei Parley: Dein Konto ist freigegeben');
  expect(received?.text).toContain(`${siteUrl}/`);
});

test('a refused account is emailed the reason', async () => {
  const { id, email } = await apply('en');
  expectOk(await decide(id, 'refuse', 'Please use your own name.'));
  const [received] = await post.waitForEmails(email, 1);
  expect(received?.subject).toBe('Your account on Parley was not approved');
  expect(received?.text).toContain('Please use your own name.');
  expect(received?.text).toContain(`${siteUrl}/application`);
});

test('an account whose emails came back is not emailed', async () => {
  const { id, email } = await apply('en');
  await sql`update member set email_off_at = now(), email_off_reason = 'No such mailbox' where id = ${id}`.execute(
    server.db,
  );
  expectOk(await decide(id, 'approve'));
  await community.untilQuiet();
  expect(post.emails.filter(({ recipients }) => recipients.includes(email))).toEqual([]);
});
