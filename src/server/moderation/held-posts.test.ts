import { sql } from 'kysely';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { createAccountDeletionJob } from '#server/identity/account-deletion.ts';
import { findViolations } from '#server/operations/integrity-check.ts';
import type { HeldPostId } from '#shared/posts/held-posts.ts';
import type { Me } from '#shared/identity/accounts.ts';
import type { ReviewCounts } from '#shared/moderation/moderation.ts';
import type { Notifications } from '#shared/notifications/notifications.ts';
import { serverLimits } from '#shared/core/limits.ts';
import { expectOk, type Member, password } from '#tests/support/member.ts';
import { setSiteSetting } from '#tests/support/site-settings.ts';
import {
  actOnMember,
  actOnPost,
  getHiddenPosts,
  getModerationLog,
  getModeratorMessages,
  getReviewQueue,
  startModeration,
} from '#tests/support/moderation.ts';

const { server, ann, bob, moderator, other, community } = await startModeration();
// Only the first posts of new members are held.
for (const member of [ann, bob]) await member.ask();
await setSiteSetting(server.db, 'reviewFirstPosts', 1);
await setSiteSetting(server.db, 'holdForApproval', true);
await server.siteSettings.refresh();

const draft = { title: 'Does sourdough freeze?', content: 'A whole loaf.', tags: ['bread'] };

async function hold(member: Member, path: string, body: object): Promise<number> {
  const held = await member.post<HeldPostId>(path, body);
  expect(held).toMatchObject({ status: 202, body: { held: true } });
  return held.body.id;
}

const getNotifications = async (member: Member) =>
  expectOk(await member.get<Notifications>('/notifications')).items;

test('shows a held question only to its author and moderators, and notifies members once it is approved', async () => {
  const nora = await server.register('Nora');
  const before = await community();
  const mentioning = `A whole loaf, [@Bob](/profile/${bob.id}).`;
  const id = await hold(nora, '/questions', { ...draft, content: mentioning });
  expect(await ann.get(`/questions/${id}`)).toMatchObject({ status: 404 });
  expect(await getHiddenPosts(nora, id)).toMatchObject([
    { status: 'held', kind: 'question', postId: id, title: draft.title, content: mentioning },
  ]);
  expect(await ann.get(`/questions/${id}/hidden`)).toMatchObject({ status: 404 });
  expect((await nora.me()).hiddenPosts).toBe(1);
  expect(await getNotifications(bob)).toEqual([]);
  // Moderators are notified of the queue.
  const changed = { held_post: [], review_item: [], base_notification: [] };
  expect({ ...(await community()), ...changed }).toEqual({ ...before, ...changed });
  expect(await getReviewQueue(moderator)).toMatchObject([
    { cause: 'first_post', held: true, kind: 'question', postId: id, questionId: id, title: draft.title },
  ]);
  expect(await actOnPost(moderator, 'approve', 'question', id, { reason: '' })).toMatchObject({
    status: 204,
  });
  expect((await ann.read(id)).question).toMatchObject({
    id,
    title: draft.title,
    tags: ['bread'],
    authorName: 'Nora',
  });
  expect(await getNotifications(bob)).toMatchObject([{ senderName: 'Nora' }]);
  expect(await getReviewQueue(moderator)).toEqual([]);
  expect(await getModeratorMessages(nora)).toMatchObject([
    { kind: 'approved', title: draft.title, reason: '' },
  ]);
  expect((await getModerationLog(moderator))[0]).toMatchObject({
    action: 'approve',
    questionId: id,
    memberName: 'Nora',
  });
  expect(await actOnPost(other, 'approve', 'question', id)).toMatchObject({ status: 409 });
  // The second post is not held.
  expect(await nora.post('/questions', draft)).toMatchObject({ status: 201 });
  expect(await findViolations(server.db)).toEqual([]);
});

test('holds answers and replies, and notifies and counts once they are approved', async () => {
  const id = await ann.ask();
  const [nick, rita] = [await server.register('Nick'), await server.register('Rita')];
  const answerId = await hold(nick, `/questions/${id}/answers`, { content: 'Six months.' });
  const replyId = await hold(rita, `/questions/${id}/replies`, {
    content: 'Which loaf?',
    parentReplyId: null,
  });
  expect(await ann.read(id)).toMatchObject({
    question: { answerCount: 0 },
    answers: { items: [] },
    replies: { items: [] },
  });
  expect(await getHiddenPosts(nick, id)).toMatchObject([{ kind: 'answer', content: 'Six months.' }]);
  expect(await getHiddenPosts(moderator, id)).toHaveLength(2);
  await actOnPost(moderator, 'approve', 'answer', answerId);
  await actOnPost(moderator, 'approve', 'reply', replyId);
  expect(await ann.read(id)).toMatchObject({
    question: { answerCount: 1 },
    answers: { items: [{ id: answerId, authorName: 'Nick' }] },
    replies: { items: [{ id: replyId, content: 'Which loaf?' }] },
  });
  expect((await getNotifications(ann)).map(({ senderName }) => senderName).toSorted()).toEqual([
    'Nick',
    'Rita',
  ]);
  expect(await findViolations(server.db)).toEqual([]);
});

test('holds a repeated request once, and returns the post after its approval', async () => {
  const question = await ann.ask();
  const nina = await server.register('Nina');
  const send = () =>
    nina.post<{ id: number }>(`/questions/${question}/answers`, { content: 'Two.' }, 'held-answer-1');
  const responses = await Promise.all([send(), send(), send()]);
  const ids = new Set(responses.map(({ body }) => body.id));
  expect([ids.size, responses.map(({ status }) => status)]).toEqual([1, [202, 202, 202]]);
  const [id = 0] = ids;
  await actOnPost(moderator, 'approve', 'answer', id);
  expect(await send()).toMatchObject({ status: 201, body: { id, content: 'Two.' } });
});

test('keeps a rejected post for its author and moderators, who can still approve it', async () => {
  const ned = await server.register('Ned');
  const id = await hold(ned, '/questions', draft);
  expect(await actOnPost(moderator, 'reject', 'question', id, { reason: '' })).toMatchObject({ status: 400 });
  expect(await actOnPost(moderator, 'hide', 'question', id)).toMatchObject({ status: 404 });
  expect(await actOnPost(moderator, 'reject', 'question', id)).toMatchObject({ status: 204 });
  expect(await actOnPost(other, 'spam', 'question', id, { reason: '' })).toMatchObject({ status: 409 });
  expect(await getReviewQueue(moderator)).toEqual([]);
  expect(await getHiddenPosts(ned, id)).toMatchObject([
    { status: 'rejected', reason: 'It is an advertisement.' },
  ]);
  expect(await getModeratorMessages(ned)).toMatchObject([{ kind: 'rejected', title: draft.title }]);
  await actOnPost(moderator, 'approve', 'question', id);
  expect(await ann.read(id)).toMatchObject({ question: { id } });
});

test('decisions about held posts train the spam classifier, once each', async () => {
  const getCounts = async () => {
    const { rows } = await sql<{ spam: number; ham: number }>`
      select spam, ham from spam_token where token = 'domain:zeppelin.example'`.execute(server.db);
    return rows[0] ?? { spam: 0, ham: 0 };
  };
  const niko = await server.register('Niko');
  const id = await hold(niko, '/questions', { ...draft, content: 'See https://zeppelin.example/buy.' });
  await actOnPost(moderator, 'spam', 'question', id, { reason: '' });
  expect(await getCounts()).toEqual({ spam: 1, ham: 0 });
  await actOnPost(moderator, 'approve', 'question', id);
  expect(await getCounts()).toEqual({ spam: 0, ham: 1 });
});

test('of two moderators who decide at the same time, one decides', async () => {
  for (let round = 0; round < 5; round++) {
    const member = await server.register(`New ${round}`);
    const id = await hold(member, '/questions', draft);
    const responses = await Promise.all([
      actOnPost(moderator, 'approve', 'question', id),
      actOnPost(other, 'approve', 'question', id),
      member.delete(`/held-posts/${(await getHiddenPosts(member, id))[0]?.id}`),
    ]);
    expect(responses.filter(({ status }) => status === 204)).toHaveLength(1);
  }
  expect(await getReviewQueue(moderator)).toEqual([]);
  expect(await findViolations(server.db)).toEqual([]);
});

test('lets only the author delete a held post', async () => {
  const nils = await server.register('Nils');
  const id = await hold(nils, '/questions', draft);
  const [post] = await getHiddenPosts(nils, id);
  expect(await bob.delete(`/held-posts/${post?.id}`)).toMatchObject({ status: 404 });
  expect(await nils.delete(`/held-posts/${post?.id}`)).toMatchObject({ status: 204 });
  expect(expectOk(await moderator.get<ReviewCounts>('/moderation/queue/counts')).open).toBe(0);
  expect(expectOk(await nils.get<{ member: Me }>('/session')).member.hiddenPosts).toBe(0);
});

test('says why a post can no longer be approved, and rejects posts of a member whose activity is removed', async () => {
  const noel = await server.register('Noel');
  const question = await ann.ask();
  const answer = await hold(noel, `/questions/${question}/answers`, { content: 'One.' });
  await actOnPost(moderator, 'lock', 'question', question);
  expect(await actOnPost(moderator, 'approve', 'answer', answer)).toMatchObject({ kind: 'locked' });
  expect(await getReviewQueue(moderator)).toMatchObject([{ kind: 'answer', postId: answer, held: true }]);
  await actOnMember(moderator, 'remove_activity', (await noel.me()).id);
  expect(await getReviewQueue(moderator)).toEqual([]);
  // A held answer is deleted with its question.
  const nia = await server.register('Nia');
  const second = await ann.ask();
  await hold(nia, `/questions/${second}/answers`, { content: 'One.' });
  await ann.remove('questions', second);
  expect(await getReviewQueue(moderator)).toEqual([]);
});

test('refuses a post that would be refused anyway, and holds nothing', async () => {
  const nell = await server.register('Nell');
  const question = await ann.ask();
  await actOnPost(moderator, 'lock', 'question', question);
  expect(await nell.post(`/questions/${question}/answers`, { content: 'One.' })).toMatchObject({
    status: 403,
  });
  expect(await nell.post('/questions/999999/answers', { content: 'One.' })).toMatchObject({ status: 404 });
  expect((await nell.me()).hiddenPosts).toBe(0);
});

/** Whether a moderator has an unread notification of the review queue. */
const isNotified = async () =>
  expectOk(await moderator.get<Notifications>('/notifications?filter=unread')).items.some(
    ({ kind }) => kind === 'review',
  );

test.each(['the question is deleted', 'all activity of the author is removed', 'the author leaves'])(
  'the notification of a held answer ends when %s',
  async (how) => {
    await sql`delete from review_item`.execute(server.db);
    await sql`delete from base_notification`.execute(server.db);
    const author = await server.register('Nora');
    const questionId = await ann.ask();
    await hold(author, `/questions/${questionId}/answers`, { content: 'Yes, it does.' });
    expect(await isNotified()).toBe(true);
    if (how === 'the question is deleted') expectOk(await ann.delete(`/questions/${questionId}`));
    else if (how === 'all activity of the author is removed')
      expectOk(await actOnMember(moderator, 'remove_activity', author.id));
    else {
      expectOk(await author.post('/account-deletion', { password, posts: 'keep' }));
      await createAccountDeletionJob({ db: server.db, log: pino({ level: 'silent' }) }).run({
        memberId: author.id,
      });
    }
    expect(await getReviewQueue(moderator)).toEqual([]);
    expect(await isNotified()).toBe(false);
  },
);

test('mentions of held posts count once, so that moderators can approve all of them', async () => {
  const nadia = await server.register('Nadia');
  const mentioned = await server.registerAll(
    ...Array.from({ length: serverLimits.mentionsPerPost }, (_, n) => `M ${n}`),
  );
  const content = mentioned.map(({ id }) => `[@M](/profile/${id})`).join(' ');
  const held = [];
  for (let count = 0; (count + 1) * mentioned.length <= serverLimits.mentionsPerDay; count++)
    held.push(await hold(nadia, '/questions', { ...draft, title: `Does loaf ${count} freeze?`, content }));
  expect(held.length * 2 * mentioned.length).toBeGreaterThan(serverLimits.mentionsPerDay);
  for (const id of held) expectOk(await actOnPost(moderator, 'approve', 'question', id, { reason: '' }));
});
