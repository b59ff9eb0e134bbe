import { expect, test } from 'vitest';
import { findViolations } from '#server/operations/integrity-check.ts';
import { expectOk } from '#tests/support/member.ts';
import type { ModeratedMember } from '#shared/moderation/moderation.ts';
import { actOnMember, actOnPost, getModeratorMessages, startModeration } from '#tests/support/moderation.ts';
import { runActivityRemovals } from './activity-removal.ts';

const { server, ann, bob, eve, moderator, other, community, thread } = await startModeration();

test('shows a warning and a suspension only to the member, and lifts a suspension', async () => {
  const mel = await server.register('Mel');
  const until = new Date(Date.now() + 3_600_000).toISOString();
  expect((await actOnMember(moderator, 'warn', mel.id, { reason: 'Please link your sources.' })).status).toBe(
    204,
  );
  expect(await getModeratorMessages(mel)).toMatchObject([
    { kind: 'warning', reason: 'Please link your sources.' },
  ]);
  expect(JSON.stringify(await getModeratorMessages(bob))).not.toContain('sources');
  for (const wrong of [null, '2020-01-01T00:00:00.000Z'])
    expect(await actOnMember(moderator, 'suspend', mel.id, { until: wrong })).toMatchObject({ status: 400 });
  expect((await actOnMember(moderator, 'suspend', mel.id, { until })).status).toBe(204);
  expect(await mel.post('/questions', { title: 'Why?', content: 'Why?' })).toMatchObject({
    status: 403,
    kind: 'suspended',
    body: { until, reason: 'Nothing but advertisements.' },
  });
  // A browser reports each visit of a page that the member may read.
  const id = await other.ask();
  expect(await mel.put(`/questions/${id}/view`)).toMatchObject({ status: 204 });
  expect(await getModeratorMessages(mel)).toHaveLength(2);
  expect(expectOk(await moderator.get<ModeratedMember>(`/moderation/members/${mel.id}`))).toMatchObject({
    warnings: 1,
    suspended: { until },
  });
  const longer = new Date(Date.now() + 7_200_000).toISOString();
  expect(await actOnMember(other, 'suspend', mel.id, { until: longer })).toMatchObject({ status: 409 });
  expect(await getModeratorMessages(mel)).toHaveLength(2);
  expect((await actOnMember(other, 'lift_suspension', mel.id)).status).toBe(204);
  await mel.ask();
  expect(await actOnMember(moderator, 'lift_suspension', mel.id)).toMatchObject({ status: 409 });
  expect(await actOnMember(moderator, 'suspend', other.id, { until })).toMatchObject({ status: 403 });
  expect(await actOnMember(moderator, 'warn', mel.id, { reason: ' ' })).toMatchObject({ status: 400 });
});

test('removes all activity of one account in interrupted rounds, affects no one else, and restores it', async () => {
  const mal = await server.register('Mal');
  const { id, answer, reply } = await thread();
  const own = await mal.ask({ title: 'Mine?', tags: ['zeppelin'] });
  const answered = await mal.answer(own);
  await bob.replyToAnswer(answered.id);
  const elsewhere = await mal.answer(id, 'Buy mine.');
  const spam = await mal.replyToAnswer(answer.id, { to: reply, content: 'Mine are cheap.' });
  await eve.replyToAnswer(answer.id, { to: spam, content: 'No.' });
  await bob.vote('answers', elsewhere.id, 'down');
  await mal.vote('questions', id, 'up');
  await mal.vote('answers', answer.id, 'down');
  await mal.vote('replies', reply.id, 'up');
  const before = await community();
  const bobs = await bob.me();
  expect((await actOnMember(moderator, 'remove_activity', mal.id)).status).toBe(204);
  expect(await actOnMember(other, 'remove_activity', mal.id)).toMatchObject({ status: 409 });
  // A round without time does one step at most. The next round continues.
  await runActivityRemovals(server.db, 0);
  const readRemoval = async () =>
    expectOk(await moderator.get<ModeratedMember>(`/moderation/members/${mal.id}`)).activityRemoval;
  expect(await readRemoval()).toMatchObject({ state: 'removing', posts: 4, votes: 3, postsDone: 0 });
  await runActivityRemovals(server.db, Date.now() + 60_000);
  expect(await readRemoval()).toMatchObject({ state: 'removed', postsDone: 3, votesDone: 3 });
  expect(await findViolations(server.db)).toEqual([]);
  expect((await mal.me()).questionsCount).toBe(0);
  expect((await mal.get(`/questions/${own}`)).status).toBe(404);
  const page = await ann.read(id);
  expect(page.answers.items.map((each) => each.id)).toEqual([answer.id]);
  expect(page.question.upvotes).toBe(1);
  expect((await bob.me()).reputation).toBe(bobs.reputation + 2);
  // The thread is hidden and restored in between. The removed votes must not come back with it.
  await actOnPost(moderator, 'hide', 'question', own);
  expect((await actOnMember(moderator, 'restore_activity', mal.id)).status).toBe(204);
  await runActivityRemovals(server.db, Date.now() + 60_000);
  expect(await readRemoval()).toMatchObject({ state: 'restored', postsDone: 3, votesDone: 3 });
  expect(await findViolations(server.db)).toEqual([]);
  expect(await community()).toEqual(before);
  expect(await actOnMember(moderator, 'restore_activity', mal.id)).toMatchObject({ status: 409 });
});

test('does not restore the votes of an account whose activity is removed when a post is restored', async () => {
  const mal = await server.register('Mal');
  const { id } = await thread();
  await mal.vote('questions', id, 'up');
  await actOnPost(moderator, 'hide', 'question', id);
  await actOnMember(moderator, 'remove_activity', mal.id);
  await runActivityRemovals(server.db, Date.now() + 60_000);
  await actOnPost(moderator, 'restore', 'question', id);
  expect((await ann.read(id)).question.upvotes).toBe(1);
  await actOnMember(moderator, 'restore_activity', mal.id);
  await runActivityRemovals(server.db, Date.now() + 60_000);
  expect((await ann.read(id)).question.upvotes).toBe(2);
  expect(await findViolations(server.db)).toEqual([]);
});
