import { expect, test } from 'vitest';
import { brokenInvariants } from '#server/invariants.ts';
import { done } from '#server/testing/member.ts';
import type { CareMember } from '#shared/care.ts';
import { about, act, noticesOf, startCare } from './testing.ts';
import { workOnUndoings } from './undoing.ts';

const { server, ann, bob, eve, op, other, community, thread } = await startCare();

test('a warning and a suspension are seen by the member alone, and a suspension can be lifted', async () => {
  const mel = await server.register('Mel');
  const until = new Date(Date.now() + 3_600_000).toISOString();
  expect((await about(op, 'warn', mel.id, { reason: 'Please link your sources.' })).status).toBe(204);
  expect(await noticesOf(mel)).toMatchObject([{ kind: 'warning', reason: 'Please link your sources.' }]);
  expect(JSON.stringify(await noticesOf(bob))).not.toContain('sources');
  for (const wrong of [null, '2020-01-01T00:00:00.000Z'])
    expect(await about(op, 'suspend', mel.id, { until: wrong })).toMatchObject({ status: 400 });
  expect((await about(op, 'suspend', mel.id, { until })).status).toBe(204);
  expect(await mel.post('/questions', { title: 'Why?', content: 'Why?' })).toMatchObject({
    status: 403,
    code: 'suspended',
    body: { until, reason: 'Nothing but advertisements.' },
  });
  expect(await noticesOf(mel)).toHaveLength(2);
  expect(done(await op.get<CareMember>(`/care/members/${mel.id}`))).toMatchObject({
    warnings: 1,
    suspended: { until },
  });
  expect((await about(other, 'lift', mel.id)).status).toBe(204);
  await mel.ask();
  expect(await about(op, 'lift', mel.id)).toMatchObject({ status: 409 });
  expect(await about(op, 'suspend', other.id, { until })).toMatchObject({ status: 403 });
  expect(await about(op, 'warn', mel.id, { reason: ' ' })).toMatchObject({ status: 400 });
});

test('everything one account did is undone in rounds, whatever ends them, touches nobody else, and comes back', async () => {
  const mal = await server.register('Mal');
  const { id, answer, reply } = await thread();
  const own = await mal.ask({ title: 'Mine?', tags: ['zeppelin'] });
  const answered = await mal.answer(own);
  await bob.reply(answered.id);
  const elsewhere = await mal.answer(id, 'Buy mine.');
  const said = await mal.reply(answer.id, { to: reply, content: 'Mine are cheap.' });
  await eve.reply(answer.id, { to: said, content: 'No.' });
  await bob.vote('answers', elsewhere.id, 'down');
  await mal.vote('questions', id, 'up');
  await mal.vote('answers', answer.id, 'down');
  await mal.vote('replies', reply.id, 'up');
  const before = await community();
  const bobs = await bob.me();
  expect((await about(op, 'undo', mal.id)).status).toBe(204);
  expect(await about(other, 'undo', mal.id)).toMatchObject({ status: 409 });
  // A round that ends at once does a little, and the next goes on.
  await workOnUndoings(server.db, 0);
  const standing = async () => done(await op.get<CareMember>(`/care/members/${mal.id}`)).undoing;
  expect(await standing()).toMatchObject({ state: 'undoing', posts: 4, votes: 3, postsDone: 0 });
  await workOnUndoings(server.db, Date.now() + 60_000);
  expect(await standing()).toMatchObject({ state: 'undone', postsDone: 3, votesDone: 3 });
  expect(await brokenInvariants(server.db)).toEqual([]);
  expect((await mal.me()).questionsCount).toBe(0);
  expect((await mal.get(`/questions/${own}`)).status).toBe(404);
  const page = await ann.read(id);
  expect(page.answers.items.map((each) => each.id)).toEqual([answer.id]);
  expect(page.question.upvotes).toBe(1);
  expect((await bob.me()).reputation).toBe(bobs.reputation + 2);
  // A thread that went and came back meanwhile brings none of the votes along that are undone.
  await act(op, 'hide', 'question', own);
  expect((await about(op, 'undo_undo', mal.id)).status).toBe(204);
  await workOnUndoings(server.db, Date.now() + 60_000);
  expect(await standing()).toMatchObject({ state: 'restored', postsDone: 3, votesDone: 3 });
  expect(await brokenInvariants(server.db)).toEqual([]);
  expect(await community()).toEqual(before);
  expect(await about(op, 'undo_undo', mal.id)).toMatchObject({ status: 409 });
});

test('votes of an account that is undone do not come back with a post that does', async () => {
  const mal = await server.register('Mal');
  const { id } = await thread();
  await mal.vote('questions', id, 'up');
  await act(op, 'hide', 'question', id);
  await about(op, 'undo', mal.id);
  await workOnUndoings(server.db, Date.now() + 60_000);
  await act(op, 'restore', 'question', id);
  expect((await ann.read(id)).question.upvotes).toBe(1);
  await about(op, 'undo_undo', mal.id);
  await workOnUndoings(server.db, Date.now() + 60_000);
  expect((await ann.read(id)).question.upvotes).toBe(2);
  expect(await brokenInvariants(server.db)).toEqual([]);
});
