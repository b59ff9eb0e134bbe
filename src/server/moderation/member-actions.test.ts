import { expect, test } from 'vitest';
import { findViolations } from '#server/operations/integrity-check.ts';
import { expectOk } from '#tests/support/member.ts';
import type { ModeratedMember } from '#shared/moderation/moderation.ts';
import { actOnMember, actOnPost, getModeratorMessages, startModeration } from '#tests/support/moderation.ts';
import { runActivityRemovals } from './activity-removal.ts';

const { server, ann, bob, eve, op, other, community, thread } = await startModeration();

test('a warning and a suspension are seen by the member alone, and a suspension can be lifted', async () => {
  const mel = await server.register('Mel');
  const until = new Date(Date.now() + 3_600_000).toISOString();
  expect((await actOnMember(op, 'warn', mel.id, { reason: 'Please link your sources.' })).status).toBe(204);
  expect(await getModeratorMessages(mel)).toMatchObject([
    { kind: 'warning', reason: 'Please link your sources.' },
  ]);
  expect(JSON.stringify(await getModeratorMessages(bob))).not.toContain('sources');
  for (const wrong of [null, '2020-01-01T00:00:00.000Z'])
    expect(await actOnMember(op, 'suspend', mel.id, { until: wrong })).toMatchObject({ status: 400 });
  expect((await actOnMember(op, 'suspend', mel.id, { until })).status).toBe(204);
  expect(await mel.post('/questions', { title: 'Why?', content: 'Why?' })).toMatchObject({
    status: 403,
    code: 'suspended',
    body: { until, reason: 'Nothing but advertisements.' },
  });
  expect(await getModeratorMessages(mel)).toHaveLength(2);
  expect(expectOk(await op.get<ModeratedMember>(`/care/members/${mel.id}`))).toMatchObject({
    warnings: 1,
    suspended: { until },
  });
  expect((await actOnMember(other, 'lift', mel.id)).status).toBe(204);
  await mel.ask();
  expect(await actOnMember(op, 'lift', mel.id)).toMatchObject({ status: 409 });
  expect(await actOnMember(op, 'suspend', other.id, { until })).toMatchObject({ status: 403 });
  expect(await actOnMember(op, 'warn', mel.id, { reason: ' ' })).toMatchObject({ status: 400 });
});

test('everything one account did is undone in rounds, whatever ends them, touches nobody else, and comes back', async () => {
  const mal = await server.register('Mal');
  const { id, answer, reply } = await thread();
  const own = await mal.ask({ title: 'Mine?', tags: ['zeppelin'] });
  const answered = await mal.answer(own);
  await bob.replyToAnswer(answered.id);
  const elsewhere = await mal.answer(id, 'Buy mine.');
  const said = await mal.replyToAnswer(answer.id, { to: reply, content: 'Mine are cheap.' });
  await eve.replyToAnswer(answer.id, { to: said, content: 'No.' });
  await bob.vote('answers', elsewhere.id, 'down');
  await mal.vote('questions', id, 'up');
  await mal.vote('answers', answer.id, 'down');
  await mal.vote('replies', reply.id, 'up');
  const before = await community();
  const bobs = await bob.me();
  expect((await actOnMember(op, 'undo', mal.id)).status).toBe(204);
  expect(await actOnMember(other, 'undo', mal.id)).toMatchObject({ status: 409 });
  // A round that ends at once does a little, and the next goes on.
  await runActivityRemovals(server.db, 0);
  const standing = async () =>
    expectOk(await op.get<ModeratedMember>(`/care/members/${mal.id}`)).activityRemoval;
  expect(await standing()).toMatchObject({ state: 'undoing', posts: 4, votes: 3, postsDone: 0 });
  await runActivityRemovals(server.db, Date.now() + 60_000);
  expect(await standing()).toMatchObject({ state: 'undone', postsDone: 3, votesDone: 3 });
  expect(await findViolations(server.db)).toEqual([]);
  expect((await mal.me()).questionsCount).toBe(0);
  expect((await mal.get(`/questions/${own}`)).status).toBe(404);
  const page = await ann.read(id);
  expect(page.answers.items.map((each) => each.id)).toEqual([answer.id]);
  expect(page.question.upvotes).toBe(1);
  expect((await bob.me()).reputation).toBe(bobs.reputation + 2);
  // A thread that went and came back meanwhile brings none of the votes along that are undone.
  await actOnPost(op, 'hide', 'question', own);
  expect((await actOnMember(op, 'undo_undo', mal.id)).status).toBe(204);
  await runActivityRemovals(server.db, Date.now() + 60_000);
  expect(await standing()).toMatchObject({ state: 'restored', postsDone: 3, votesDone: 3 });
  expect(await findViolations(server.db)).toEqual([]);
  expect(await community()).toEqual(before);
  expect(await actOnMember(op, 'undo_undo', mal.id)).toMatchObject({ status: 409 });
});

test('votes of an account that is undone do not come back with a post that does', async () => {
  const mal = await server.register('Mal');
  const { id } = await thread();
  await mal.vote('questions', id, 'up');
  await actOnPost(op, 'hide', 'question', id);
  await actOnMember(op, 'undo', mal.id);
  await runActivityRemovals(server.db, Date.now() + 60_000);
  await actOnPost(op, 'restore', 'question', id);
  expect((await ann.read(id)).question.upvotes).toBe(1);
  await actOnMember(op, 'undo_undo', mal.id);
  await runActivityRemovals(server.db, Date.now() + 60_000);
  expect((await ann.read(id)).question.upvotes).toBe(2);
  expect(await findViolations(server.db)).toEqual([]);
});
