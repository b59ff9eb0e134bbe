import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { findViolations } from '#server/operations/integrity-check.ts';
import { transaction } from '#server/core/database.ts';
import { eventually } from '#tests/support/eventually.ts';
import { runActivityRemovals } from './activity-removal.ts';
import { insertObjection } from './objections-queries.ts';
import { purgeDeletedPosts } from './moderation-job.ts';
import {
  actOnMember,
  actOnPost,
  getHiddenPosts,
  getModerationLog,
  getModeratorMessages,
  getReviewQueue,
  type Kind,
  paths,
  startModeration,
} from '#tests/support/moderation.ts';
import type { RemovedPosts } from '#shared/moderation/moderation.ts';
import type { Member } from '#tests/support/member.ts';

const { server, ann, bob, eve, moderator, other, thread } = await startModeration();

const object = (member: Member, id: number | null | undefined, text = 'It is on topic.') =>
  member.put(`/hidden-posts/${id}/objection`, { text });
const getLastMessage = async (member: Member) => (await getModeratorMessages(member)).at(-1);

test.each<Kind>(['question', 'answer', 'reply'])(
  'the author of a deleted %s objects once, a moderator restores it, and the author is told',
  async (kind) => {
    const all = await thread();
    const id = { question: all.id, answer: all.answer.id, reply: all.reply.id }[kind];
    const author = { question: ann, answer: bob, reply: eve }[kind];
    const stranger = kind === 'question' ? bob : ann;
    expect((await actOnPost(moderator, 'delete', kind, id, { reason: 'Off topic.' })).status).toBe(204);
    const message = await getLastMessage(author);
    expect(message).toMatchObject({ kind: 'deleted', objectableId: expect.any(Number) });
    for (const [member, text, status] of [
      [stranger, 'It is mine.', 404],
      [moderator, 'It is mine.', 404],
      [author, ' ', 400],
      [author, 'x'.repeat(1_001), 400],
    ] as const)
      expect((await object(member, message?.objectableId, text)).status).toBe(status);
    expect(await getReviewQueue(moderator)).toEqual([]);
    const both = await Promise.all([
      object(author, message?.objectableId),
      object(author, message?.objectableId),
    ]);
    expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([204, 409]);
    expect(await getLastMessage(author)).toMatchObject({ kind: 'deleted', objectableId: null });
    const queue = await getReviewQueue(moderator);
    expect(queue).toMatchObject([
      {
        cause: 'objection',
        kind,
        postId: id,
        questionId: all.id,
        title: 'Cheap zeppelins?',
        authorId: author.id,
        objection: { text: 'It is on topic.', reason: 'Off topic.' },
      },
    ]);
    expect(queue[0]?.content).toContain(kind === 'answer' ? 'dear' : all.mark);
    const queueItemId = queue[0]?.id;
    const decisions = await Promise.all([
      actOnPost(moderator, 'restore', kind, id, { queueItemId, reason: '' }),
      actOnPost(other, 'restore', kind, id, { queueItemId, reason: '' }),
    ]);
    expect(decisions.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([204, 409]);
    expect(await getReviewQueue(moderator)).toEqual([]);
    expect(await getLastMessage(author)).toMatchObject({ kind: 'restored', title: 'Cheap zeppelins?' });
    expect((await author.get(`/${paths[kind]}/${id}${kind === 'question' ? '' : '/report'}`)).status).toBe(
      200,
    );
    expect(await findViolations(server.db)).toEqual([]);
  },
);

test('a declined objection keeps the post hidden, tells the author why, and is the last one', async () => {
  const id = await ann.ask();
  await actOnPost(moderator, 'hide', 'question', id);
  const [hidden] = await getHiddenPosts(ann, id);
  expect(hidden).toMatchObject({ canObject: true });
  expect(await getHiddenPosts(moderator, id)).toMatchObject([{ canObject: false }]);
  expect(await actOnPost(moderator, 'decline_objection', 'question', id)).toMatchObject({ status: 409 });
  expect((await object(ann, hidden?.id)).status).toBe(204);
  expect((await actOnPost(bob, 'decline_objection', 'question', id)).status).toBe(404);
  const declined = await actOnPost(other, 'decline_objection', 'question', id, {
    reason: 'Still off topic.',
  });
  expect(declined.status).toBe(204);
  expect(await getReviewQueue(moderator)).toEqual([]);
  expect(await getLastMessage(ann)).toMatchObject({ kind: 'objection_declined', reason: 'Still off topic.' });
  expect((await getModerationLog(bob))[0]).toMatchObject({
    action: 'decline_objection',
    reason: 'Still off topic.',
  });
  expect(await getHiddenPosts(ann, id)).toMatchObject([{ canObject: false }]);
  expect(await object(ann, hidden?.id)).toMatchObject({ status: 409, code: 'objection-not-possible' });
  expect((await bob.get(`/questions/${id}`)).status).toBe(404);
});

test('a deleted post stays until the objection is decided, also after the retention period', async () => {
  const id = await ann.ask();
  await actOnPost(moderator, 'delete', 'question', id);
  const { objectableId } = (await getLastMessage(ann)) ?? {};
  expect((await object(ann, objectableId)).status).toBe(204);
  await sql`update hidden_post set purge_at = now() - interval '1 minute' where id = ${objectableId}`.execute(
    server.db,
  );
  await purgeDeletedPosts(server.db);
  expect(await getReviewQueue(moderator)).toMatchObject([{ cause: 'objection', postId: id }]);
  expect((await actOnPost(other, 'decline_objection', 'question', id)).status).toBe(204);
  expect(await getLastMessage(ann)).toMatchObject({ kind: 'objection_declined' });
  await purgeDeletedPosts(server.db);
  expect((await getModerationLog(bob))[0]).toMatchObject({ action: 'purge' });
});

test('an objection ends with the restoration of the post, and is limited to ten a day', async () => {
  const eager = await server.register('Ed');
  for (let n = 0; n < 11; n++) {
    const id = await eager.ask();
    await actOnPost(moderator, 'hide', 'question', id);
    const [hidden] = await getHiddenPosts(eager, id);
    expect((await object(eager, hidden?.id)).status).toBe(n < 10 ? 204 : 429);
    // Without naming the entry of the queue, as on the page of the question.
    expect((await actOnPost(moderator, 'restore', 'question', id)).status).toBe(204);
  }
  expect(await getReviewQueue(moderator)).toEqual([]);
});

test('a restoration ends an objection that is made at the same time', async () => {
  const id = await ann.ask();
  await actOnPost(moderator, 'hide', 'question', id);
  const [hidden] = await getHiddenPosts(ann, id);
  // The objection is stored while the restoration waits for it.
  const [restored] = await transaction(server.db, async (tx) => {
    await insertObjection(tx, { id: hidden?.id ?? 0, post: { kind: 'question', id }, text: 'It is fine.' });
    const restoring = actOnPost(moderator, 'restore', 'question', id);
    await eventually(async () => {
      const { rows } = await sql`
        select from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`.execute(server.db);
      return rows.length === 1;
    });
    return [restoring];
  });
  expect((await restored)?.status).toBe(204);
  expect(await getReviewQueue(moderator)).toEqual([]);
  expect(await getLastMessage(ann)).toMatchObject({ kind: 'restored' });
});

test('the removal of all activity is no decision about one post, so there is nothing to object to', async () => {
  const seller = await server.register('Sal');
  const id = await seller.ask();
  expect((await actOnMember(moderator, 'remove_activity', seller.id)).status).toBe(204);
  await runActivityRemovals(server.db, Date.now() + 60_000);
  const [hidden] = await getHiddenPosts(seller, id);
  expect(hidden).toMatchObject({ canObject: false });
  expect((await object(seller, hidden?.id)).status).toBe(409);
});

test('a suspended member finds their removed posts and objects, after the message is confirmed', async () => {
  const rose = await server.register('Rose');
  const [first, second] = [await rose.ask(), await rose.ask()];
  for (const id of [first, second])
    expect((await actOnPost(moderator, 'delete', 'question', id, { reason: 'Off topic.' })).status).toBe(204);
  const until = new Date(Date.now() + 86_400_000).toISOString();
  expect((await actOnMember(moderator, 'suspend', rose.id, { until })).status).toBe(204);
  const last = await getLastMessage(rose);
  expect((await rose.put('/moderator-messages/seen', { upTo: last?.id })).status).toBe(204);
  const list = async () => (await rose.get<RemovedPosts>('/removed-posts')).body.items;
  const removed = await list();
  expect(removed).toMatchObject([
    { status: 'deleted', reason: 'Off topic.', canObject: true, objection: 'none' },
    { canObject: true },
  ]);
  expect((await bob.get<RemovedPosts>('/removed-posts')).body.items).not.toContainEqual(removed[0]);
  expect((await object(bob, removed[0]?.id)).status).toBe(404);
  expect((await object(rose, removed[0]?.id)).status).toBe(204);
  expect((await object(rose, removed[0]?.id)).status).toBe(409);
  expect(await list()).toMatchObject([{ canObject: false, objection: 'open' }, { canObject: true }]);
  expect((await rose.post('/questions', { title: 'Why?', content: 'So.', tags: [] })).status).toBe(403);
  expect((await actOnPost(moderator, 'decline_objection', 'question', second)).status).toBe(204);
  expect(await list()).toMatchObject([{ objection: 'declined' }, {}]);
});
