import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { findViolations } from '#server/operations/integrity-check.ts';
import type { CloseVotes } from '#shared/moderation/close-votes.ts';
import { expectOk, type Member } from '#tests/support/member.ts';
import {
  actOnMember,
  actOnPost,
  getModerationLog,
  getReviewQueue,
  report,
  startModeration,
} from '#tests/support/moderation.ts';

const { server, ann, bob, eve, moderator, other } = await startModeration();
const rose = await server.register('Rose');
const max = await server.register('Max');
const experienced = [bob, eve, rose];
await sql`
  update member set reputation = 500 where id = any(${experienced.map(({ id }) => id)}::bigint[])`.execute(
  server.db,
);

const vote = (member: Member, id: number, body: object) =>
  member.put<CloseVotes>(`/questions/${id}/close-votes`, body);
const close = (member: Member, id: number, duplicateOf: number | null) =>
  vote(member, id, { vote: 'close', duplicateOf });
const reopen = (member: Member, id: number) => vote(member, id, { vote: 'reopen' });
const read = async (member: Member, id: number) =>
  expectOk(await member.get<CloseVotes>(`/questions/${id}/close-votes`));
const stateOf = async (id: number) => {
  const { duplicateOf, closedBy } = (await max.read(id)).question;
  return { duplicateOf, closedBy: closedBy.map(({ name }) => name) };
};

async function askTwice(): Promise<[id: number, original: number]> {
  return [await ann.ask({ title: 'Which flour?' }), await max.ask({ title: 'Flour for bread?' })];
}

test('three votes for the same original question close it and name the voters, and three reopen it', async () => {
  const [id, original] = await askTwice();
  const another = await max.ask({ title: 'Something else?' });
  expect(expectOk(await close(bob, id, another))).toMatchObject({ myVote: 'close', myDuplicateOf: another });
  expectOk(await close(bob, id, original));
  expectOk(await close(eve, id, original));
  expect(await read(rose, id)).toEqual({
    canVote: true,
    isDecisive: false,
    needed: 3,
    days: 14,
    duplicateOf: null,
    originals: [{ id: original, title: 'Flour for bread?', votes: 2 }],
    reopenVotes: 0,
    myVote: null,
    myDuplicateOf: null,
  });
  expect(await stateOf(id)).toEqual({ duplicateOf: null, closedBy: [] });
  expectOk(await report(max, 'question', id, 'duplicate'));
  const before = (await getModerationLog(max)).length;
  expectOk(await close(rose, id, original));
  expect(await stateOf(id)).toEqual({ duplicateOf: original, closedBy: ['Bob', 'Eve', 'Rose'] });
  expect(await getReviewQueue(moderator)).toEqual([]);
  expect(await getModerationLog(max)).toHaveLength(before);
  expect(await close(bob, id, original)).toMatchObject({ status: 409 });
  for (const member of experienced) expectOk(await reopen(member, id));
  expect(await stateOf(id)).toEqual({ duplicateOf: null, closedBy: [] });
  expect((await read(bob, id)).reopenVotes).toBe(0);
  // The reputation of these members is not earned by votes.
  const violations = await findViolations(server.db);
  expect(violations.filter(({ rule }) => rule !== 'member.reputation')).toEqual([]);
});

test('votes of members end only reports as a duplicate, and leave all others to moderators', async () => {
  const [id, original] = await askTwice();
  expectOk(await report(rose, 'question', id, 'rude'));
  expectOk(await report(max, 'question', id, 'duplicate'));
  for (const member of [bob, ann]) expectOk(await close(member, id, original));
  expect(await stateOf(id)).toMatchObject({ duplicateOf: original });
  const reported = { postId: id, cause: 'report', reportsCount: 1, reasons: [{ reason: 'rude', count: 1 }] };
  expect(await getReviewQueue(moderator)).toMatchObject([reported]);
  expect(expectOk(await rose.get(`/questions/${id}/report`))).toEqual({ reason: 'rude', closed: false });
  for (const member of [bob, ann]) expectOk(await reopen(member, id));
  expect(await getReviewQueue(moderator)).toMatchObject([reported]);
  // A moderator's vote ends all of them.
  expectOk(await close(moderator, id, original));
  expect(await getReviewQueue(moderator)).toEqual([]);
});

test('votes of members leave a question of a new member in the review queue', async () => {
  const original = await ann.ask({ title: 'Flour for bread?' });
  const nora = await server.register('Nora');
  const id = await nora.ask({ title: 'Which flour?', content: 'See https://flour.example.' });
  expectOk(await report(max, 'question', id, 'duplicate'));
  for (const member of [bob, nora]) expectOk(await close(member, id, original));
  expect(await getReviewQueue(moderator)).toMatchObject([{ postId: id, cause: 'links', reportsCount: 0 }]);
  expectOk(await actOnPost(moderator, 'approve', 'question', id));
});

test('concurrent votes close a question once', async () => {
  const [id, original] = await askTwice();
  const all = await Promise.all(experienced.map((member) => close(member, id, original)));
  expect(all.map(({ status }) => status)).toEqual([200, 200, 200]);
  expect(await stateOf(id)).toEqual({ duplicateOf: original, closedBy: ['Bob', 'Eve', 'Rose'] });
});

test('the author does not decide alone about another original question than the one of the votes', async () => {
  const [id, original] = await askTwice();
  const another = await max.ask({ title: 'Something else?' });
  expectOk(await close(bob, id, original));
  expect(await close(ann, id, another)).toMatchObject({ status: 403, code: 'close-vote-not-allowed' });
  expect(await stateOf(id)).toEqual({ duplicateOf: null, closedBy: [] });
  expectOk(await close(ann, id, original));
  expect(await stateOf(id)).toEqual({ duplicateOf: original, closedBy: ['Ann', 'Bob'] });
});

test('the agreement of the author and the vote of a moderator decide, the latter with an entry in the log', async () => {
  const [id, original] = await askTwice();
  expect(await read(ann, id)).toMatchObject({ canVote: false });
  expect(await close(ann, id, original)).toMatchObject({ status: 403, code: 'close-vote-not-allowed' });
  expectOk(await close(bob, id, original));
  expect(await read(ann, id)).toMatchObject({ canVote: true, isDecisive: true });
  expectOk(await close(ann, id, original));
  expect(await stateOf(id)).toEqual({ duplicateOf: original, closedBy: ['Ann', 'Bob'] });
  expectOk(await reopen(moderator, id));
  expect((await getModerationLog(max))[0]).toMatchObject({ action: 'not_duplicate' });
  expectOk(await close(moderator, id, original));
  expect(await stateOf(id)).toEqual({ duplicateOf: original, closedBy: ['Olga'] });
  // As moderators always could: without names.
  expect((await actOnPost(moderator, 'not_duplicate', 'question', id)).status).toBe(204);
  expect((await actOnPost(moderator, 'duplicate', 'question', id, { duplicateOf: original })).status).toBe(
    204,
  );
  expect(await stateOf(id)).toEqual({ duplicateOf: original, closedBy: [] });
});

test('a moderator cannot close a question on which another moderator works, and members can', async () => {
  const [id, original] = await askTwice();
  expectOk(await report(max, 'question', id));
  const [item] = await getReviewQueue(moderator);
  expectOk(await other.put(`/moderation/queue/${item?.id}/claim`));
  expect(await close(moderator, id, original)).toMatchObject({ status: 409, code: 'claimed-by-moderator' });
  expect(await stateOf(id)).toMatchObject({ duplicateOf: null });
  expect(await getReviewQueue(moderator)).toMatchObject([{ postId: id }]);
  for (const member of [bob, ann]) expectOk(await close(member, id, original));
  expect(await reopen(moderator, id)).toMatchObject({ status: 409, code: 'claimed-by-moderator' });
  expectOk(await reopen(other, id));
  expect(await getReviewQueue(moderator)).toEqual([]);
});

test('votes expire, can be withdrawn, and end with the removal of all activity', async () => {
  const [id, original] = await askTwice();
  for (const member of [bob, eve]) expectOk(await close(member, id, original));
  await sql`update close_vote set created_at = now() - interval '15 days' where member_id = ${bob.id}`.execute(
    server.db,
  );
  expectOk(await close(rose, id, original));
  expect((await read(rose, id)).originals).toMatchObject([{ votes: 2 }]);
  expect(expectOk(await vote(rose, id, { vote: null }))).toMatchObject({
    myVote: null,
    originals: [{ votes: 1 }],
  });
  expect((await actOnMember(moderator, 'remove_activity', eve.id)).status).toBe(204);
  expect((await read(rose, id)).originals).toEqual([]);
});

test('refuses votes without reputation, for the question itself, for a duplicate or a question that does not exist, and on locked questions', async () => {
  const [id, original] = await askTwice();
  expect(await read(max, id)).toMatchObject({ canVote: false, originals: [] });
  expect(await close(max, id, original)).toMatchObject({ status: 403, code: 'close-vote-not-allowed' });
  expect(await close(bob, id, id)).toMatchObject({ status: 400 });
  expect(await close(bob, id, null)).toMatchObject({ status: 400 });
  expect(await close(bob, id, 999_999)).toMatchObject({ status: 400, code: 'original-not-found' });
  expect(await close(bob, 999_999, original)).toMatchObject({ status: 404 });
  expect(await reopen(bob, id)).toMatchObject({ status: 409 });
  expectOk(await close(moderator, original, await max.ask()));
  expect(await close(bob, id, original)).toMatchObject({ status: 400, code: 'original-is-duplicate' });
  expect((await actOnPost(moderator, 'lock', 'question', id)).status).toBe(204);
  expect(await close(bob, id, await max.ask())).toMatchObject({ status: 403, kind: 'locked' });
});
