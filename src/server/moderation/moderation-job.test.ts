import { sql } from 'kysely';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { createSessionCache } from '#server/identity/sessions-cache.ts';
import type { Viewer } from '#server/core/http.ts';
import { startServerWithEmail } from '#tests/support/server-with-email.ts';
import { expectOk } from '#tests/support/member.ts';
import { eventually } from '#tests/support/parley.ts';
import { defaultSettings } from '#tests/support/server.ts';
import type { ModeratedMember } from '#shared/moderation/moderation.ts';
import { setRole } from '#server/admin/roles.ts';

const emailServer = await startServerWithEmail();
const { post, server, node } = emailServer;
afterAll(() => emailServer.stop());
const moderator = await node.register('Olga');
await setRole(server.db, { email: moderator.email, role: 'moderator' });

test('emails a warning and a suspension to a confirmed address and to no other', async () => {
  const [ann, bob] = [await node.register('Ann'), await node.register('Bob')];
  await sql`update member set email_verified = true where id = ${ann.id}`.execute(server.db);
  const act = async (action: string, memberId: number, until: string | null) =>
    expectOk(
      await moderator.post('/moderation/member-actions', {
        action,
        memberId,
        reason: 'Be <b>kind</b>\n\nBcc: eve@example.org',
        until,
      }),
    );
  await act('warn', bob.id, null);
  await act('warn', ann.id, null);
  await act('suspend', ann.id, '2100-01-02T03:04:00.000Z');
  const emails = await post.waitForEmails(ann.email, 2);
  expect(new Set(emails.map(({ subject }) => subject))).toEqual(
    new Set(['Warning from the moderators of Parley', 'Your account on Parley is suspended']),
  );
  const suspended = emails.find(({ subject }) => subject === 'Your account on Parley is suspended');
  expect(suspended?.text).toContain('until January 2, 2100 at 03:04 UTC');
  expect(suspended?.text).toContain('Be <b>kind</b> Bcc: eve@example.org');
  expect(suspended?.html).toContain('Be &lt;b&gt;kind&lt;/b&gt;');
  expect(await post.waitForEmails(bob.email, 0)).toEqual([]);
});

test.each(['in the background', 'although merges of topics fail'])('removes activity %s', async (how) => {
  const mal = await node.register('Mal');
  const id = await mal.ask();
  if (how === 'although merges of topics fail') {
    await sql`alter table tag_change rename to tag_change_elsewhere`.execute(server.db);
    onTestFinished(async () => {
      await sql`alter table tag_change_elsewhere rename to tag_change`.execute(server.db);
    });
  }
  const removal = { action: 'remove_activity', memberId: mal.id, reason: 'Nothing but advertisements.' };
  expectOk(await moderator.post('/moderation/member-actions', removal));
  const state = async () =>
    expectOk(await moderator.get<ModeratedMember>(`/moderation/members/${mal.id}`)).activityRemoval?.state;
  await eventually(async () => (await state()) === 'removed');
  expect((await moderator.get(`/questions/${id}`)).status).toBe(404);
});

test('drops a cached session when its member changes', () => {
  const cookie = 'parley.session_token=abc';
  const cache = createSessionCache(defaultSettings, () => true);
  const memberStatus = { role: 'moderator', suspension: null, application: null };
  const viewer = { id: 7, sessionId: 1, tokenId: null, memberStatus } as Viewer;
  const lookUp = () => cache.beginLookup()(cookie, viewer, Date.now() + 60_000);
  lookUp();
  expect(cache.find(cookie)).toBe(viewer);
  cache.invalidate([{ topic: 'member:8', event: { kind: 'member-status-changed' } }]);
  expect(cache.find(cookie)).toBe(viewer);
  cache.invalidate([{ topic: 'member:7', event: { kind: 'member-status-changed' } }]);
  expect(cache.find(cookie)).toBeUndefined();
  // A lookup that started before the change and ends after it must not fill the cache.
  const late = cache.beginLookup();
  cache.invalidate([{ topic: 'member:7', event: { kind: 'member-status-changed' } }]);
  late(cookie, viewer, Date.now() + 60_000);
  expect(cache.find(cookie)).toBeUndefined();
});
