import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { findViolations } from '#server/operations/integrity-check.ts';
import type { ReviewCounts, ReviewQueue } from '#shared/moderation/moderation.ts';
import { expectOk } from '#tests/support/member.ts';
import type { SettingName, SettingValues } from '#shared/core/setting-catalogue.ts';
import { setSiteSetting } from '#tests/support/site-settings.ts';
import {
  actOnPost,
  getModerationLog,
  getReviewQueue,
  paths,
  report,
  startModeration,
} from '#tests/support/moderation.ts';

const { server, ann, bob, eve, moderator, other } = await startModeration();

/** Changes a setting and waits until the server uses it. */
async function setSetting<Name extends SettingName>(name: Name, value: SettingValues[Name]): Promise<void> {
  await setSiteSetting(server.db, name, value);
  await server.siteSettings.refresh();
}

const getCounts = async () => expectOk(await moderator.get<ReviewCounts>('/moderation/queue/counts'));
const getItems = async (cause: string) =>
  expectOk(await moderator.get<ReviewQueue>(`/moderation/queue?cause=${cause}`)).items;
const link = 'Cheap flour at https://flour.example/buy.';

test('queues questions, answers, replies and edits of new members that have links to other sites, not those of experienced members', async () => {
  await setSetting('reviewLinksOfFirstPosts', 3);
  const nora = await server.register('Nora');
  const question = await ann.ask({ content: 'Which flour?' });
  expect(await getReviewQueue(moderator)).toEqual([]);
  const own = await nora.ask({ content: 'Without a link.' });
  expect(await getReviewQueue(moderator)).toEqual([]);
  const answer = await nora.answer(question, link);
  const reply = await nora.replyToAnswer(answer.id, { content: 'See www.flour.example.' });
  expect(await getReviewQueue(moderator)).toMatchObject([
    { cause: 'links', kind: 'reply', postId: reply.id, reportsCount: 0, reasons: [] },
    {
      cause: 'links',
      kind: 'answer',
      postId: answer.id,
      content: link,
      authorName: 'Nora',
      author: { posts: 2, warnings: 0, hiddenPosts: 0 },
    },
  ]);
  for (const [kind, id] of [
    ['reply', reply.id],
    ['answer', answer.id],
  ] as const)
    expect(await actOnPost(moderator, 'approve', kind, id, { reason: '' })).toMatchObject({ status: 204 });
  expect(await getReviewQueue(moderator)).toEqual([]);
  // The text stays approved, a new link does not.
  expectOk(await nora.put(`/answers/${answer.id}`, { content: `${link} Really.` }));
  expect(await getReviewQueue(moderator)).toEqual([]);
  expectOk(await nora.put(`/answers/${answer.id}`, { content: `${link} And https://more.example` }));
  expect(await getItems('links')).toMatchObject([{ kind: 'answer', postId: answer.id }]);
  await actOnPost(moderator, 'approve', 'answer', answer.id);
  // Nora has three posts now.
  await nora.answer(own, link);
  await moderator.answer(own, link);
  expect(await getReviewQueue(moderator)).toEqual([]);
});

test('refuses a decision about a text that was edited since the moderator read it, and tells open pages of the edit', async () => {
  await setSetting('reviewFirstPosts', 3);
  const nils = await server.register('Nils');
  const question = await nils.ask({ title: 'Is rye sour?', content: 'My bread is.' });
  const answer = await nils.answer(await moderator.ask(), 'Yes.');
  const reply = await nils.replyToAnswer(answer.id, { content: 'It is.' });
  for (const [kind, id] of [
    ['question', question],
    ['answer', answer.id],
    ['reply', reply.id],
  ] as const) {
    const findItem = async () =>
      (await getReviewQueue(moderator)).find((item) => item.kind === kind && item.postId === id);
    const seen = await findItem();
    await sql`delete from event`.execute(server.db);
    const content = `You are all idiots, ${kind}.`;
    const edit = kind === 'question' ? { title: 'Is rye sour?', content, tags: [] } : { content };
    expectOk(await nils.put(`/${paths[kind]}/${id}`, edit));
    const { rows: events } = await sql`select from event where topic = 'moderation'`.execute(server.db);
    expect(events).toHaveLength(1);
    const edited = await findItem();
    expect([seen?.editedAt, edited?.content]).toEqual([null, content]);
    const decide = (item: typeof seen, action: string) =>
      actOnPost(moderator, action, kind, id, { queueItemId: item?.id, basedOn: item?.editedAt });
    for (const action of ['approve', 'hide'])
      expect(await decide(seen, action)).toMatchObject({ status: 409, code: 'edited-meanwhile' });
    expect(await findItem()).toEqual(edited);
    expect(await decide(edited, 'approve')).toMatchObject({ status: 204 });
  }
  await setSetting('reviewFirstPosts', 0);
});

test('queues as many first posts of a member as the setting says, and none for 0', async () => {
  await setSetting('reviewFirstPosts', 2);
  const paul = await server.register('Paul');
  const ids = [await paul.ask(), await paul.ask(), await paul.ask()];
  expect((await getItems('first_post')).map(({ postId }) => postId)).toEqual([ids[1], ids[0]]);
  expect(await getItems('links')).toEqual([]);
  expect(await getCounts()).toEqual({
    open: 2,
    causes: [
      { cause: 'report', count: 0 },
      { cause: 'spam_rule', count: 0 },
      { cause: 'first_post', count: 2 },
      { cause: 'links', count: 0 },
      { cause: 'objection', count: 0 },
      { cause: 'tag_proposal', count: 0 },
    ],
  });
  await setSetting('reviewFirstPosts', 0);
  await (await server.register('Pia')).ask();
  expect((await getCounts()).open).toBe(2);
  for (const id of ids.slice(0, 2)) await actOnPost(moderator, 'approve', 'question', id);
  expect((await getModerationLog(ann))[0]).toMatchObject({ action: 'approve', postKind: 'question' });
  expect(await actOnPost(bob, 'approve', 'question', ids[0] ?? 0)).toMatchObject({ status: 404 });
  expect((await bob.get('/moderation/queue?cause=links')).status).toBe(404);
  expect((await moderator.get('/moderation/queue?cause=nonsense')).status).toBe(400);
});

test('queues posts and edits of new members that match a spam rule, with the rules, not those of experienced members', async () => {
  await setSetting('reviewFirstPosts', 0);
  await setSetting('spamRulesOfFirstPosts', 3);
  await setSetting('blockedWords', ['casino']);
  await setSetting('blockedDomains', ['flour.example']);
  const nora = await server.register('Nadia');
  const question = await nora.ask({ title: 'Which casino is the best?', content: link });
  const [item] = await getReviewQueue(moderator);
  expect(item).toMatchObject({
    cause: 'spam_rule',
    kind: 'question',
    postId: question,
    matchedRules: [
      { rule: 'word', value: 'casino' },
      { rule: 'domain', value: 'flour.example' },
    ],
  });
  expect((await actOnPost(moderator, 'approve', 'question', question, { reason: '' })).status).toBe(204);
  // A post that waits for a link, and then matches a rule by an edit.
  const answer = await nora.answer(question, 'See https://other.example.');
  expect(await getReviewQueue(moderator)).toMatchObject([{ cause: 'links', matchedRules: [] }]);
  expectOk(await nora.put(`/answers/${answer.id}`, { content: 'The Casino at https://other.example.' }));
  expect(await getReviewQueue(moderator)).toMatchObject([
    { cause: 'spam_rule', postId: answer.id, matchedRules: [{ rule: 'word', value: 'casino' }] },
  ]);
  await report(bob, 'answer', answer.id);
  expect(await getReviewQueue(moderator)).toMatchObject([
    { cause: 'report', matchedRules: [{ rule: 'word' }] },
  ]);
  await actOnPost(moderator, 'dismiss', 'answer', answer.id);
  // What moderators have approved stays approved.
  expectOk(await nora.put(`/answers/${answer.id}`, { content: 'The old Casino at https://other.example.' }));
  expect(await getReviewQueue(moderator)).toEqual([]);
  await moderator.answer(question, 'A casino');
  await nora.replyToAnswer(answer.id, { content: 'Third post.' });
  await nora.replyToAnswer(answer.id, { content: 'A casino in the fourth.' });
  expect(await getReviewQueue(moderator)).toEqual([]);
  await setSetting('blockedWords', []);
  await setSetting('blockedDomains', []);
});

test('queues the posts of a new member after many others in a short time', async () => {
  await setSetting('newMemberPosts', 2);
  await setSetting('spamRulesOfFirstPosts', 10);
  const fay = await server.register('Fay');
  const ids = [await fay.ask(), await fay.ask(), await fay.ask()];
  expect(await getReviewQueue(moderator)).toMatchObject([
    { cause: 'spam_rule', postId: ids[2], matchedRules: [{ rule: 'speed', value: '3' }] },
  ]);
  await actOnPost(moderator, 'approve', 'question', ids[2] ?? 0);
  const shift = (minutes: number) =>
    sql`update question set created_at = created_at + make_interval(mins => ${minutes}) where id = any(${ids})`.execute(
      server.db,
    );
  await shift(-11);
  await fay.ask();
  await shift(11);
  expect(await getReviewQueue(moderator)).toEqual([]);
  await setSetting('newMemberPosts', 0);
});

test('has a post with a report and another cause once, and lets no one approve it without seeing the report', async () => {
  await setSetting('reviewFirstPosts', 1);
  const id = await (await server.register('Quinn')).ask();
  const [item] = await getReviewQueue(moderator);
  await report(bob, 'question', id);
  await report(eve, 'question', id);
  expect(await getReviewQueue(moderator)).toMatchObject([{ id: item?.id, cause: 'report', reportsCount: 2 }]);
  const refused = await actOnPost(moderator, 'approve', 'question', id, { queueItemId: item?.id });
  expect(refused).toMatchObject({ status: 409, code: 'reported-meanwhile' });
  await report(bob, 'question', id, null);
  await report(eve, 'question', id, null);
  expect(await getReviewQueue(moderator)).toMatchObject([{ cause: 'first_post', reportsCount: 0 }]);
  expect(await findViolations(server.db)).toEqual([]);
  await report(bob, 'question', id);
  expect((await actOnPost(moderator, 'dismiss', 'question', id)).status).toBe(204);
  expect(await getReviewQueue(moderator)).toEqual([]);
  expect(await actOnPost(moderator, 'approve', 'question', id)).toMatchObject({ status: 409 });
});

test('lets one of two moderators who decide at the same time approve or hide, and drops deleted posts', async () => {
  await setSetting('reviewFirstPosts', 2);
  const rose = await server.register('Rose');
  const id = await rose.ask();
  const [item] = await getReviewQueue(moderator);
  const both = await Promise.all([
    actOnPost(moderator, 'approve', 'question', id, { queueItemId: item?.id }),
    actOnPost(other, 'hide', 'question', id, { queueItemId: item?.id }),
  ]);
  expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([204, 409]);
  const deleted = await rose.ask();
  expect((await getCounts()).open).toBe(1);
  expect((await rose.delete(`/questions/${deleted}`)).status).toBe(204);
  expect((await getCounts()).open).toBe(0);
  expect(await findViolations(server.db)).toEqual([]);
});

test('one moderator claims a post, and another cannot act on it anywhere without taking it over', async () => {
  const id = await ann.ask();
  await report(bob, 'question', id);
  const [item] = await getReviewQueue(moderator);
  const path = `/moderation/queue/${item?.id}/claim`;
  expect(item?.claim).toBeNull();
  expect((await bob.put(path, {})).status).toBe(404);
  const both = await Promise.all([moderator.put(path, {}), other.put(path, {})]);
  expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([204, 409]);
  const [first, second] = both[0].status === 204 ? [moderator, other] : [other, moderator];
  const names = new Map([
    [moderator, 'Olga'],
    [other, 'Otto'],
  ]);
  expect(await getReviewQueue(second)).toMatchObject([
    { claim: { memberId: first.id, name: names.get(first) } },
  ]);
  for (const queueItemId of [item?.id, null])
    expect(await actOnPost(second, 'hide', 'question', id, { queueItemId })).toMatchObject({
      status: 409,
      code: 'claimed-by-moderator',
      detail: expect.stringContaining(names.get(first) ?? ''),
    });
  expect((await ann.read(id)).question.id).toBe(id);
  // Prolonging one's own claim is allowed, releasing another's does nothing.
  expect((await first.put(path, {})).status).toBe(204);
  expect((await second.delete(path)).status).toBe(204);
  expect(await second.put(path, {})).toMatchObject({ status: 409, code: 'claimed-by-moderator' });
  expect((await second.put(path, { takeOver: true })).status).toBe(204);
  expect(await actOnPost(first, 'dismiss', 'question', id)).toMatchObject({ code: 'claimed-by-moderator' });
  expect((await actOnPost(second, 'dismiss', 'question', id, { queueItemId: item?.id })).status).toBe(204);
  for (const response of [await first.put(path, {}), await first.delete(path)])
    expect(response).toMatchObject({ status: 409, code: 'handled-already' });
  expect(await actOnPost(first, 'hide', 'question', id, { queueItemId: item?.id })).toMatchObject({
    status: 409,
  });
});

test('a claim ends when it is released, and after ten minutes', async () => {
  const id = await ann.ask();
  await report(bob, 'question', id);
  const [item] = await getReviewQueue(moderator);
  const path = `/moderation/queue/${item?.id}/claim`;
  expect((await moderator.put(path, {})).status).toBe(204);
  expect((await moderator.delete(path)).status).toBe(204);
  expect(await getReviewQueue(other)).toMatchObject([{ claim: null }]);
  expect((await moderator.put(path, {})).status).toBe(204);
  await sql`update review_item set claimed_until = claimed_until - interval '10 minutes'`.execute(server.db);
  expect(await getReviewQueue(other)).toMatchObject([{ claim: null }]);
  expect((await actOnPost(other, 'dismiss', 'question', id, { queueItemId: item?.id })).status).toBe(204);
});

test('offers the reasons of the site settings to moderators only, and deletes spam without a reason', async () => {
  await setSetting('moderationReasons', ['Off topic.', 'Spam.']);
  expect(expectOk(await moderator.get('/moderation/reasons'))).toEqual({ items: ['Off topic.', 'Spam.'] });
  expect((await bob.get('/moderation/reasons')).status).toBe(404);
  const [id, second] = [await ann.ask(), await ann.ask()];
  expect(await actOnPost(moderator, 'delete', 'question', id, { reason: ' ' })).toMatchObject({
    status: 400,
    code: 'reason-required',
  });
  expect(await actOnPost(bob, 'spam', 'question', id, { reason: '' })).toMatchObject({ status: 404 });
  expect((await actOnPost(moderator, 'spam', 'question', id, { reason: '' })).status).toBe(204);
  expect((await actOnPost(moderator, 'spam', 'question', second, { reason: 'A casino.' })).status).toBe(204);
  expect((await getModerationLog(bob)).slice(0, 2)).toMatchObject([
    { action: 'delete', reason: 'A casino.' },
    { action: 'delete', reason: 'Spam' },
  ]);
  expect((await ann.get(`/questions/${id}`)).status).toBe(404);
});

test('shows moderators what others did before about a post that waits', async () => {
  const id = await ann.ask();
  await report(bob, 'question', id);
  const [first] = await getReviewQueue(moderator);
  const path = `/moderation/queue/${first?.id}/history`;
  expect(expectOk(await moderator.get(path))).toEqual({ items: [] });
  expect((await bob.get(path)).status).toBe(404);
  expect((await actOnPost(moderator, 'dismiss', 'question', id)).status).toBe(204);
  expect(await moderator.get(path)).toMatchObject({ status: 409 });
  await report(eve, 'question', id);
  const [second] = await getReviewQueue(other);
  expect(expectOk(await other.get(`/moderation/queue/${second?.id}/history`))).toMatchObject({
    items: [{ action: 'dismiss', moderatorName: 'Olga', postKind: 'question' }],
  });
  expect((await actOnPost(other, 'dismiss', 'question', id)).status).toBe(204);
});
