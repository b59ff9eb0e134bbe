import { sql } from 'kysely';
import { expect, test } from 'vitest';
import type { Notifications } from '#shared/notifications/notifications.ts';
import { expectOk, type Member } from '#tests/support/member.ts';
import { actOnPost, report, startModeration } from '#tests/support/moderation.ts';

const { server, ann, bob, eve, moderator, other } = await startModeration();

const unreadOf = async (member: Member) =>
  expectOk(await member.get<Notifications>('/notifications?filter=unread')).items.filter(
    ({ kind }) => kind === 'review',
  );
const openCount = async () =>
  expectOk(await moderator.get<{ open: number }>('/moderation/queue/counts')).open;
const age = (interval: string) =>
  sql`update base_notification set created_at = created_at - ${interval}::interval where kind = 'review'`.execute(
    server.db,
  );

test('notifies all moderators once of several reports, names no reporter, and ends with the last report', async () => {
  const ids = [await ann.ask(), await ann.ask()];
  for (const id of ids) for (const member of [bob, eve]) await report(member, 'question', id);
  expect(await openCount()).toBe(2);
  for (const member of [moderator, other])
    expect(await unreadOf(member)).toMatchObject([
      {
        senderId: null,
        senderName: '',
        title: '',
        message: 'Posts are waiting for review',
        link: '/moderation',
        entityId: null,
        entityType: null,
      },
    ]);
  for (const member of [ann, bob]) expect(await unreadOf(member)).toEqual([]);
  for (const id of ids) await actOnPost(moderator, 'dismiss', 'question', id);
  expect(await openCount()).toBe(0);
  for (const member of [moderator, other]) expect(await unreadOf(member)).toEqual([]);
});

test('notifies again after the queue was empty for ten minutes, or four hours after the last notification', async () => {
  const ids = [await ann.ask(), await ann.ask(), await ann.ask()] as const;
  await report(bob, 'question', ids[0]);
  expect(await unreadOf(moderator)).toEqual([]);
  await report(bob, 'question', ids[0], null);
  await age('11 minutes');
  await report(bob, 'question', ids[0]);
  expect(await unreadOf(moderator)).toHaveLength(1);
  await moderator.put('/notifications/read', {});
  await age('1 hour');
  await report(bob, 'question', ids[1]);
  expect(await unreadOf(moderator)).toEqual([]);
  await age('4 hours');
  await report(bob, 'question', ids[2]);
  expect(await unreadOf(moderator)).toHaveLength(1);
  for (const id of ids) await report(bob, 'question', id, null);
  expect(await unreadOf(moderator)).toEqual([]);
});

test.each(['the author deletes', 'a moderator hides'])(
  'ends when %s the question with the last entries, and notifies again of the next report',
  async (how) => {
    await age('1 day');
    const id = await ann.ask();
    const answer = await bob.answer(id);
    await report(eve, 'question', id);
    await report(eve, 'answer', answer.id);
    expect(await unreadOf(moderator)).toHaveLength(1);
    await sql`delete from event`.execute(server.db);
    const removed =
      how === 'the author deletes'
        ? await ann.delete(`/questions/${id}`)
        : await actOnPost(other, 'hide', 'question', id);
    expect(removed.status).toBe(204);
    expect(await openCount()).toBe(0);
    for (const member of [moderator, other]) expect(await unreadOf(member)).toEqual([]);
    const { rows } = await sql<{ topic: string }>`
      select distinct topic from event where topic in ('moderation', ${`member:${moderator.id}`})`.execute(
      server.db,
    );
    expect(rows).toHaveLength(2);
    await age('11 minutes');
    const next = await ann.ask();
    await report(bob, 'question', next);
    expect(await unreadOf(moderator)).toHaveLength(1);
    expect((await report(bob, 'question', next, null)).status).toBe(200);
  },
);

test('does not notify the reporting moderator, nor one who turned these notifications off', async () => {
  await age('1 day');
  const id = await ann.ask();
  const off = await other.put('/notification-preferences/moderation', { inApp: false });
  expect(off.status).toBe(200);
  await report(moderator, 'question', id);
  for (const member of [moderator, other]) expect(await unreadOf(member)).toEqual([]);
  expect(JSON.stringify((await bob.get('/notification-preferences')).body)).not.toContain('moderation');
  expect(JSON.stringify((await other.get('/notification-preferences')).body)).toContain('moderation');
});
