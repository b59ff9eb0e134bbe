import { setSiteSetting } from '#tests/support/site-settings.ts';
import { runActivityRemovals } from './activity-removal.ts';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { trimSpamTraining } from '#server/posts/index.ts';
import {
  actOnMember,
  actOnPost,
  getReviewQueue,
  report,
  startModeration,
} from '#tests/support/moderation.ts';

const { server, ann, bob, moderator } = await startModeration();

async function getCounts(token: string) {
  const { rows } = await sql<{ spam: number; ham: number }>`
    select spam, ham from spam_token where token = ${token}`.execute(server.db);
  return rows[0] ?? { spam: 0, ham: 0 };
}

test('learns a post once from each decision, replaces it by a later one, and forgets it when it is restored', async () => {
  const id = await ann.ask({
    title: 'Cheap pills',
    content: 'Buy pills pills at https://pills.example today.',
  });
  await report(bob, 'question', id);
  await actOnPost(moderator, 'dismiss', 'question', id);
  expect(await getCounts('word:pills')).toEqual({ spam: 0, ham: 1 });
  await report(await server.register('Carl'), 'question', id);
  await actOnPost(moderator, 'dismiss', 'question', id);
  expect(await getCounts('')).toEqual({ spam: 0, ham: 1 });
  expect((await actOnPost(moderator, 'spam', 'question', id)).status).toBe(204);
  expect((await actOnPost(moderator, 'spam', 'question', id)).status).toBe(409);
  for (const token of ['', 'word:pills', 'domain:pills.example', 'links:1', 'account:hour', 'posts:0'])
    expect(await getCounts(token)).toEqual({ spam: 1, ham: 0 });
  expect((await actOnPost(moderator, 'restore', 'question', id)).status).toBe(204);
  expect(await getCounts('')).toEqual({ spam: 0, ham: 0 });
  expect(await getCounts('word:pills')).toEqual({ spam: 0, ham: 0 });
  // Hiding or deleting for another reason says nothing about spam.
  await actOnPost(moderator, 'delete', 'question', id);
  await actOnPost(moderator, 'restore', 'question', id);
  expect(await getCounts('')).toEqual({ spam: 0, ham: 0 });
});

test('learns first posts of members with standing together with spam', async () => {
  const dora = await server.register('Dora');
  for (let index = 0; index < 5; index += 1) await dora.ask({ content: 'Sourdough needs a warm place.' });
  // A search begins at a random member, so some decisions find none with standing.
  await sql`update member set created_at = created_at - interval '31 days'`.execute(server.db);
  for (let index = 0; index < 8; index += 1) {
    await server.resetRateLimits();
    await actOnPost(moderator, 'spam', 'question', await bob.ask({ content: `Pills ${index}` }));
  }
  const { spam, ham } = await getCounts('');
  expect(spam).toBe(8);
  expect(ham).toBeGreaterThan(0);
  expect((await getCounts('word:sourdough')).ham).toBe(ham);
  expect((await getCounts('word:sourdough')).spam).toBe(0);
});

test('shows moderators a probability with its features once 20 posts of both kinds were learned', async () => {
  const id = await ann.ask({ title: 'Pills for bread?', content: 'Cheap pills, buy now.' });
  const other = await ann.ask({ title: 'Sourdough', content: 'Why does sourdough need a warm place?' });
  await report(bob, 'question', id);
  await report(bob, 'question', other);
  expect((await getReviewQueue(moderator)).map(({ spamEstimate }) => spamEstimate)).toEqual([null, null]);
  await sql`
    insert into spam_token (token, spam, ham)
    values ('', 20, 20), ('word:pills', 18, 0), ('word:cheap', 10, 1), ('word:sourdough', 0, 15), ('word:warm', 0, 9)
    on conflict (token) do update set spam = excluded.spam, ham = excluded.ham`.execute(server.db);
  const [second, first] = await getReviewQueue(moderator);
  expect(first?.spamEstimate?.percent).toBeGreaterThan(90);
  expect(first?.spamEstimate?.tokens.slice(0, 2)).toEqual(['word:pills', 'word:cheap']);
  expect(second?.spamEstimate?.percent).toBeLessThan(10);
  expect(second?.spamEstimate?.tokens[0]).toBe('word:sourdough');
});

test('empties the tokens of decisions after 30 days', async () => {
  await sql`update spam_training set created_at = created_at - interval '31 days' where is_spam`.execute(
    server.db,
  );
  await trimSpamTraining(server.db);
  const { rows } = await sql<{ is_spam: boolean; empty: boolean }>`
    select is_spam, tokens = '{}' as empty from spam_training`.execute(server.db);
  expect(rows.length).toBeGreaterThan(8);
  for (const { is_spam: isSpam, empty } of rows) expect(empty).toBe(isSpam);
  expect((await getCounts('')).spam).toBe(20);
});

async function setProbability(percent: number): Promise<void> {
  await setSiteSetting(server.db, 'spamProbability', percent);
  await server.siteSettings.refresh();
}

/** The queue without posts of the tests before. */
const getQueueOf = async (authorId: number) =>
  (await getReviewQueue(moderator)).filter((item) => item.authorId === authorId);

test('queues posts and edits of new members from the probability that an admin sets, and none without it', async () => {
  const nora = await server.register('Nora');
  const content = 'Cheap pills, buy now.';
  await nora.ask({ title: 'Pills for bread', content });
  expect(await getQueueOf(nora.id)).toEqual([]);
  await setProbability(60);
  const other = await nora.ask({ title: 'Sourdough', content: 'Why does sourdough need a warm place?' });
  expect(await getQueueOf(nora.id)).toEqual([]);
  const spam = await nora.ask({ title: 'Pills for bread', content });
  const [item] = await getQueueOf(nora.id);
  expect(item).toMatchObject({ cause: 'spam_rule', postId: spam, held: false });
  expect(item?.matchedRules).toEqual([{ rule: 'probability', value: expect.stringMatching(/^9\d$/u) }]);
  await setProbability(5);
  // An approved post does not come back when its author corrects it. Spam that an edit adds does.
  await actOnPost(moderator, 'approve', 'question', spam, { reason: '' });
  const edit = (id: number, text: string) =>
    nora.put(`/questions/${id}`, { title: 'Pills for bread', content: text, tags: ['bread'] });
  expect((await edit(spam, 'Cheap pills, buy now!')).status).toBe(200);
  expect(await getQueueOf(nora.id)).toEqual([]);
  expect((await edit(other, content)).status).toBe(200);
  expect(await getQueueOf(nora.id)).toMatchObject([{ postId: other, cause: 'spam_rule' }]);
  await setProbability(0);
});

test('holds such posts with the setting for approval, and lets experienced members and moderators post', async () => {
  await setProbability(90);
  await setSiteSetting(server.db, 'holdForApproval', true);
  await server.siteSettings.refresh();
  const paul = await server.register('Paul');
  const draft = { title: 'Pills for bread', content: 'Cheap pills, buy now.', tags: ['bread'] };
  expect(await paul.post('/questions', draft)).toMatchObject({ status: 202, body: { held: true } });
  expect(await getQueueOf(paul.id)).toMatchObject([{ held: true, cause: 'spam_rule' }]);
  expect((await moderator.post('/questions', draft)).status).toBe(201);
  await setSiteSetting(server.db, 'spamRulesOfFirstPosts', 0);
  await server.siteSettings.refresh();
  expect((await paul.post('/questions', draft)).status).toBe(201);
  await setSiteSetting(server.db, 'spamRulesOfFirstPosts', 10);
  await setSiteSetting(server.db, 'holdForApproval', false);
  await setProbability(0);
});

test('holds nothing before enough was learned', async () => {
  await setProbability(1);
  const { rows } = await sql<{ spam: number }>`select spam from spam_token where token = ''`.execute(
    server.db,
  );
  await sql`update spam_token set spam = 19 where token = ''`.execute(server.db);
  const quinn = await server.register('Quinn');
  await quinn.ask({ title: 'Pills for bread', content: 'Cheap pills, buy now.' });
  expect(await getQueueOf(quinn.id)).toEqual([]);
  await sql`update spam_token set spam = ${rows[0]?.spam} where token = ''`.execute(server.db);
  await setProbability(0);
});

test('learns at most five posts of an account whose activity is removed, and forgets them when it is restored', async () => {
  const mal = await server.register('Mal');
  for (let index = 0; index < 8; index += 1) await mal.ask({ content: 'Zeppelins for sale.' });
  const before = await getCounts('word:zeppelins');
  const { spam } = await getCounts('');
  expect((await actOnMember(moderator, 'remove_activity', mal.id)).status).toBe(204);
  await runActivityRemovals(server.db, Date.now() + 60_000);
  expect(await getCounts('word:zeppelins')).toEqual({ ...before, spam: before.spam + 5 });
  expect((await getCounts('')).spam).toBe(spam + 5);
  expect((await actOnMember(moderator, 'restore_activity', mal.id)).status).toBe(204);
  await runActivityRemovals(server.db, Date.now() + 60_000);
  expect(await getCounts('word:zeppelins')).toEqual(before);
  expect((await getCounts('')).spam).toBe(spam);
});
