import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import type { Member } from '#tests/support/member.ts';
import { startTestServer } from '#tests/support/server.ts';
import type { Notification, Notifications } from '#shared/notifications/notifications.ts';

const server = await startTestServer();
afterAll(() => server.stop());
const title = 'Does bread freeze?';
let ann: Member;
let bob: Member;
let eve: Member;
// Each test registers new members, because the notification list contains a member's whole history.
beforeEach(async () => {
  [ann, bob, eve] = await server.registerAll('Ann', 'Bob', 'Eve');
});

async function getNotifications(member: Member): Promise<Notification[]> {
  return (await member.get<Notifications>('/notifications')).body.items;
}

const messagesTo = async (member: Member) => (await getNotifications(member)).map(({ message }) => message);

const follow = (member: Member, id: number) => member.put(`/questions/${id}/follow`, { following: true });

test('notifies the author of the question of an answer, with everything the list shows', async () => {
  const id = await ann.ask({ title });
  const answer = await bob.answer(id);
  expect(await getNotifications(ann)).toEqual([
    {
      id: expect.any(Number),
      type: 'answer',
      recipientId: ann.id,
      senderId: bob.id,
      senderName: 'Bob',
      senderAvatar: null,
      kind: 'answer',
      title,
      message: `Bob answered your question "${title}"`,
      link: `/question/${id}/does-bread-freeze#answer-${answer.id}`,
      entityId: answer.id,
      entityType: 'answer',
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      read: false,
      readAt: null,
    },
  ]);
  expect(await getNotifications(bob)).toEqual([]);
});

test('notifies the followers of the question of an answer, and a following author once', async () => {
  const id = await ann.ask({ title });
  for (const member of [ann, bob, eve]) await follow(member, id);
  await bob.answer(id);
  expect(await messagesTo(ann)).toEqual([`Bob answered your question "${title}"`]);
  expect(await getNotifications(eve)).toMatchObject([
    { type: 'other', message: `Bob answered a question you follow: "${title}"` },
  ]);
  expect(await getNotifications(bob)).toEqual([]);
});

test('notifies the author of the answer and of the parent reply of a reply, each once', async () => {
  const id = await ann.ask({ title });
  const answer = await bob.answer(id);
  const first = await eve.replyToAnswer(answer.id);
  expect(await getNotifications(bob)).toMatchObject([
    {
      type: 'reply',
      message: 'Eve replied to your answer',
      link: `/question/${id}/does-bread-freeze#reply-${first.id}`,
      entityId: first.id,
      entityType: 'reply',
    },
  ]);
  const second = await ann.replyToAnswer(answer.id, { to: first });
  expect(await getNotifications(eve)).toMatchObject([
    { type: 'reply', message: 'Ann replied to your reply', entityId: second.id },
  ]);
  expect((await messagesTo(bob))[0]).toBe('Ann replied to your answer');
  const own = await bob.replyToAnswer(answer.id);
  await eve.replyToAnswer(answer.id, { to: own });
  expect(await messagesTo(bob)).toHaveLength(3);
  expect((await messagesTo(bob))[0]).toBe('Eve replied to your reply');
});

test('notifies the author of the question of a comment', async () => {
  await bob.replyToQuestion(await ann.ask({ title }));
  expect(await messagesTo(ann)).toEqual([`Bob replied to your question "${title}"`]);
});

describe('an upvote', () => {
  test('notifies the author once, however often the vote is switched', async () => {
    const id = await ann.ask({ title });
    for (const vote of ['up', null, 'up', 'down', 'up'] as const) await bob.vote('questions', id, vote);
    expect(await getNotifications(ann)).toMatchObject([
      {
        type: 'vote',
        message: `Bob upvoted your question "${title}"`,
        link: `/question/${id}/does-bread-freeze`,
        entityId: id,
        entityType: 'question',
      },
    ]);
  });

  test('on an answer or a reply notifies its author', async () => {
    const answer = await ann.answer(await bob.ask());
    const reply = await ann.replyToAnswer(answer.id);
    await eve.vote('answers', answer.id, 'up');
    await eve.vote('replies', reply.id, 'up');
    expect(await messagesTo(ann)).toEqual(['Eve upvoted your reply', 'Eve upvoted your answer']);
  });

  test('sends a notification, a downvote does not', async () => {
    await bob.vote('questions', await ann.ask(), 'down');
    expect(await getNotifications(ann)).toEqual([]);
  });
});

test('never notifies members of their own actions', async () => {
  const id = await ann.ask({ title });
  await follow(ann, id);
  const answer = await ann.answer(id);
  const reply = await ann.replyToAnswer(answer.id);
  await ann.replyToAnswer(answer.id, { to: reply });
  await ann.replyToQuestion(id);
  await ann.vote('questions', id, 'up');
  await ann.vote('answers', answer.id, 'up');
  await ann.vote('replies', reply.id, 'up');
  expect(await getNotifications(ann)).toEqual([]);
});

test('marks one notification read with the time, then the rest, without affecting other members', async () => {
  const id = await ann.ask({ title });
  for (let n = 0; n < 3; n++) await bob.answer(id);
  await eve.answer(await bob.ask());
  const [newest, ...others] = await getNotifications(ann);
  expect((await ann.put(`/notifications/${newest?.id}/read`)).status).toBe(204);
  const [read, ...unread] = await getNotifications(ann);
  expect(read).toMatchObject({ read: true, readAt: expect.stringMatching(/^\d{4}-.*Z$/) });
  expect(unread).toEqual(others);
  expect((await ann.get<Notifications>('/notifications?filter=unread')).body).toMatchObject({
    items: others,
    unreadCount: 2,
  });

  await ann.put('/notifications/read', { upTo: null });
  const { items, unreadCount } = (await ann.get<Notifications>('/notifications')).body;
  expect({ unread: items.filter((item) => !item.read).length, unreadCount }).toEqual({
    unread: 0,
    unreadCount: 0,
  });
  expect(items[0]?.readAt).toBe(read?.readAt);
  expect((await bob.get<Notifications>('/notifications')).body.unreadCount).toBe(1);
});

test('deletes the notifications of a deleted post, and no others', async () => {
  const id = await ann.ask({ title });
  const answer = await bob.answer(id);
  const reply = await bob.replyToQuestion(id);
  await bob.replyToQuestion(id, { to: reply });
  await bob.vote('questions', id, 'up');
  await eve.answer(id);
  expect(await getNotifications(ann)).toHaveLength(5);
  await bob.remove('answers', answer.id);
  expect(await messagesTo(ann)).not.toContain(`Bob answered your question "${title}"`);
  expect(await getNotifications(ann)).toHaveLength(4);
  await bob.remove('replies', reply.id);
  expect(await getNotifications(ann)).toHaveLength(3);
  const beside = await ann.ask();
  await bob.answer(beside);
  await ann.remove('questions', id);
  expect((await getNotifications(ann)).map(({ link }) => link)).toEqual([
    expect.stringContaining(`/question/${beside}/how-long-does-bread-keep#`),
  ]);
});
