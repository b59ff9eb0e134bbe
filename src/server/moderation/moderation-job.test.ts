import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { createSessionCache } from '#server/identity/sessions-cache.ts';
import type { Viewer } from '#server/core/http.ts';
import { startServerWithEmail } from '#tests/support/server-with-email.ts';
import { expectOk } from '#tests/support/member.ts';
import { eventually } from '#tests/support/parley.ts';
import { defaultSettings } from '#tests/support/server.ts';
import type { ModeratedMember } from '#shared/moderation/moderation.ts';
import { setRole } from '#server/admin/roles.ts';

const mailing = await startServerWithEmail();
const { post, server, node } = mailing;
afterAll(() => mailing.stop());
const op = await node.register('Olga');
await setRole(server.db, { email: op.email, role: 'operator' });

test('a warning and a suspension reach a confirmed address by mail, and no other', async () => {
  const [ann, bob] = [await node.register('Ann'), await node.register('Bob')];
  await sql`update member set email_verified = true where id = ${ann.id}`.execute(server.db);
  const act = async (action: string, memberId: number, until: string | null) =>
    expectOk(
      await op.post('/care/member-actions', {
        action,
        memberId,
        reason: 'Be <b>kind</b>\n\nBcc: eve@example.org',
        until,
      }),
    );
  await act('warn', bob.id, null);
  await act('warn', ann.id, null);
  await act('suspend', ann.id, '2100-01-02T03:04:00.000Z');
  const mails = await post.waitForEmails(ann.email, 2);
  expect(new Set(mails.map(({ subject }) => subject))).toEqual(
    new Set(['A warning from the operators of Parley', 'You are suspended on Parley']),
  );
  const suspended = mails.find(({ subject }) => subject === 'You are suspended on Parley');
  expect(suspended?.text).toContain('until 2100-01-02 03:04 UTC');
  expect(suspended?.text).toContain('Be <b>kind</b> Bcc: eve@example.org');
  expect(suspended?.html).toContain('Be &lt;b&gt;kind&lt;/b&gt;');
  expect(await post.waitForEmails(bob.email, 0)).toEqual([]);
});

test('what an operator has undone is done in the background, without anybody waiting for it', async () => {
  const mal = await node.register('Mal');
  const id = await mal.ask();
  const undo = { action: 'undo', memberId: mal.id, reason: 'Nothing but advertisements.' };
  expectOk(await op.post('/care/member-actions', undo));
  const state = async () =>
    expectOk(await op.get<ModeratedMember>(`/care/members/${mal.id}`)).activityRemoval?.state;
  await eventually(async () => (await state()) === 'undone');
  expect((await op.get(`/questions/${id}`)).status).toBe(404);
});

test('a session that is kept in memory forgets what its member was as soon as that changes', () => {
  const cookie = 'parley.session_token=abc';
  const cache = createSessionCache(defaultSettings, () => true);
  const viewer = { id: 7, sessionId: 1, memberStatus: { role: 'operator', suspension: null } } as Viewer;
  const keep = () => cache.beginLookup()(cookie, viewer, Date.now() + 60_000);
  keep();
  expect(cache.find(cookie)).toBe(viewer);
  cache.invalidate([{ topic: 'member:8', event: { kind: 'standing-changed' } }]);
  expect(cache.find(cookie)).toBe(viewer);
  cache.invalidate([{ topic: 'member:7', event: { kind: 'standing-changed' } }]);
  expect(cache.find(cookie)).toBeUndefined();
  // Nor does one come back that was looked up before the change and is found to be good after it.
  const late = cache.beginLookup();
  cache.invalidate([{ topic: 'member:7', event: { kind: 'standing-changed' } }]);
  late(cookie, viewer, Date.now() + 60_000);
  expect(cache.find(cookie)).toBeUndefined();
});
