import { sql } from 'kysely';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import type { Member } from '#tests/support/member.ts';
import { startTestServer } from '#tests/support/server.ts';
import type { Notifications } from '#shared/notifications/notifications.ts';

const publicUrl = 'https://ask.example.org';
const server = await startTestServer({ publicUrl });
afterAll(() => server.stop());
const title = 'Does bread freeze?';
let ann: Member;
let bob: Member;
let eve: Member;
// Each test registers new members, because the notification list contains a member's whole history.
beforeEach(async () => {
  [ann, bob, eve] = await server.registerAll('Ann', 'Bob', 'Eve');
});

const naming = (...members: readonly Member[]) =>
  members.map(({ name, id }) => `[@${name}](/profile/${id})`).join(' and ');

async function readNotifications(member: Member) {
  return (await member.get<Notifications>('/notifications')).body.items;
}

const messagesTo = async (member: Member) => (await readNotifications(member)).map(({ message }) => message);

test('notifies members mentioned in a question, answer, reply or comment, with a link', async () => {
  const id = await ann.ask({ title, content: `What does ${naming(eve)} say?` });
  const answer = await bob.answer(id, `[@Eve](${publicUrl}/profile/${eve.id}) knows.`);
  const reply = await bob.replyToAnswer(answer.id, { content: naming(eve) });
  const comment = await bob.replyToQuestion(id, { content: naming(eve) });
  expect(await readNotifications(eve)).toMatchObject([
    {
      type: 'other',
      link: `/question/${id}/does-bread-freeze#reply-${comment.id}`,
      entityType: 'reply',
      senderId: bob.id,
    },
    { type: 'other', link: `/question/${id}/does-bread-freeze#reply-${reply.id}`, entityType: 'reply' },
    { type: 'other', link: `/question/${id}/does-bread-freeze#answer-${answer.id}`, entityType: 'answer' },
    { type: 'other', link: `/question/${id}/does-bread-freeze`, entityType: 'question', senderId: ann.id },
  ]);
  expect(await messagesTo(eve)).toEqual([
    ...Array.from({ length: 3 }, () => `Bob mentioned you in "${title}"`),
    `Ann mentioned you in "${title}"`,
  ]);
  expect(await readNotifications(bob)).toEqual([]);
});

test('ignores mentions of oneself and names in code', async () => {
  const id = await ann.ask({ title, content: `\`${naming(eve)}\`\n\n\`\`\`\n${naming(bob)}\n\`\`\`` });
  const answer = await ann.answer(id, naming(ann));
  await ann.replyToAnswer(answer.id, { content: naming(ann, ann) });
  for (const member of [ann, bob, eve]) expect(await readNotifications(member)).toEqual([]);
});

test('notifies a member once who is notified of the post anyway', async () => {
  const id = await ann.ask({ title });
  await eve.put(`/questions/${id}/follow`, { following: true });
  const answer = await bob.answer(id, naming(ann, eve));
  expect(await messagesTo(ann)).toEqual([`Bob answered your question "${title}"`]);
  expect(await messagesTo(eve)).toEqual([`Bob mentioned you in "${title}"`]);

  const reply = await eve.replyToAnswer(answer.id, { content: naming(bob, bob, ann) });
  expect(await messagesTo(bob)).toEqual(['Eve replied to your answer']);
  await ann.replyToAnswer(answer.id, { to: reply, content: naming(eve, bob) });
  expect((await messagesTo(eve))[0]).toBe('Ann replied to your reply');
  expect((await messagesTo(bob))[0]).toBe('Ann replied to your answer');
  expect(await messagesTo(eve)).toHaveLength(2);
});

test('notifies only the members that an edit adds, once, however often they are removed and added', async () => {
  const id = await ann.ask({ title, content: naming(bob) });
  const edit = (content: string) => ann.put(`/questions/${id}`, { title, content, tags: [] });
  await edit(`${naming(bob)}, once more`);
  expect(await messagesTo(bob)).toHaveLength(1);
  await edit(naming(bob, eve));
  await edit('Nobody.');
  await edit(naming(eve, bob));
  expect(await messagesTo(bob)).toHaveLength(1);
  expect(await messagesTo(eve)).toEqual([`Ann mentioned you in "${title}"`]);

  const answer = await ann.answer(id);
  const reply = await ann.replyToAnswer(answer.id);
  await ann.put(`/answers/${answer.id}`, { content: naming(bob) });
  await ann.put(`/replies/${reply.id}`, { content: naming(bob) });
  expect((await readNotifications(bob)).map(({ link }) => link)).toEqual([
    `/question/${id}/does-bread-freeze#reply-${reply.id}`,
    `/question/${id}/does-bread-freeze#answer-${answer.id}`,
    `/question/${id}/does-bread-freeze`,
  ]);
});

test('does not notify a follower again who is mentioned by an edit of the answer', async () => {
  const id = await ann.ask({ title });
  await eve.put(`/questions/${id}/follow`, { following: true });
  const answer = await bob.answer(id);
  await bob.put(`/answers/${answer.id}`, { content: naming(eve, ann) });
  expect(await messagesTo(eve)).toEqual([`Bob answered a question you follow: "${title}"`]);
  expect(await messagesTo(ann)).toHaveLength(1);
});

test('notifies the first ten members that several edits of a post mention', async () => {
  const crowd: Member[] = [];
  for (let n = 0; n < 12; n++) crowd.push(await server.register(`Guest ${n}`));
  const id = await ann.ask({
    title,
    content: `[@Nobody](/profile/999999999) ${naming(...crowd.slice(0, 8))}`,
  });
  await ann.put(`/questions/${id}`, { title, content: naming(...crowd.slice(2)), tags: [] });
  await ann.put(`/questions/${id}`, { title, content: naming(eve), tags: [] });
  const recorded = await Promise.all(crowd.map(async (member) => (await readNotifications(member)).length));
  expect(recorded).toEqual([...Array.from({ length: 10 }, () => 1), 0, 0]);
  expect(await readNotifications(eve)).toEqual([]);
});

describe('refuses a text that mentions more than 10 members, and stores nothing', () => {
  const ids = Array.from({ length: 41 }, (_, n) => `[@Guest](/profile/${1_000 + n})`);
  const many = ids.slice(0, 11).join(' ');
  const refused = {
    status: 400,
    errors: [{ field: 'content', message: expect.stringContaining('10 members') }],
  };

  test('when it is posted', async () => {
    const id = await ann.ask({ title, content: ids.slice(0, 10).join(' ') });
    const answer = await bob.answer(id);
    expect(await bob.post('/questions', { title, content: ids.join(' ') })).toMatchObject(refused);
    expect(await bob.post(`/questions/${id}/answers`, { content: many })).toMatchObject(refused);
    expect(await bob.post(`/questions/${id}/replies`, { content: many })).toMatchObject(refused);
    expect(await bob.post(`/answers/${answer.id}/replies`, { content: many })).toMatchObject(refused);
    expect((await ann.read(id)).answers.items).toHaveLength(1);
    expect((await bob.me()).answersCount).toBe(1);
  });

  test('when an edit adds mentions, but not for those of the old text', async () => {
    const id = await ann.ask({ title });
    const answer = await ann.answer(id);
    const reply = await ann.replyToAnswer(answer.id);
    expect(await ann.put(`/questions/${id}`, { title, content: many, tags: [] })).toMatchObject(refused);
    expect(await ann.put(`/answers/${answer.id}`, { content: many })).toMatchObject(refused);
    expect(await ann.put(`/replies/${reply.id}`, { content: many })).toMatchObject(refused);
    await sql`update question set content = ${many} where id = ${id}`.execute(server.db);
    const shorter = ids.slice(0, 11).toReversed().join(' ');
    expect(await ann.put(`/questions/${id}`, { title, content: shorter, tags: [] })).toMatchObject({
      status: 200,
    });
  });
});

test('limits a new member to 50 mentions a day, and other members not at all', async () => {
  const guests = Array.from({ length: 100 }, (_, n) => `[@Guest](/profile/${1_000 + n})`);
  const id = await eve.ask({ title });
  const post = (member: Member, from: number, to: number, key?: string) =>
    member.post<{ id: number }>(
      `/questions/${id}/answers`,
      { content: guests.slice(from, to).join(' ') },
      key,
    );
  const first = await post(ann, 0, 10, 'sent-twice');
  // A repeated request and mentions that an edit keeps are not counted again.
  expect(await post(ann, 0, 10, 'sent-twice')).toMatchObject({ status: 201, body: { id: first.body.id } });
  const remaining = { content: `Now: ${guests.slice(0, 10).join(' ')}` };
  expect(await ann.put(`/answers/${first.body.id}`, remaining)).toMatchObject({ status: 200 });
  for (const from of [10, 20, 30]) expect((await post(ann, from, from + 10)).status).toBe(201);
  const all = await Promise.all(Array.from({ length: 4 }, (_, n) => post(ann, 40 + n * 5, 45 + n * 5)));
  expect(all.filter(({ status }) => status === 201)).toHaveLength(2);
  const refused = all.find(({ status }) => status !== 201);
  expect(refused).toMatchObject({
    status: 429,
    kind: 'too-many',
    detail: expect.stringContaining('50 members'),
  });
  expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(80_000);
  expect(await ann.post(`/questions/${id}/answers`, { content: 'Without.' })).toMatchObject({ status: 201 });
  await sql`update member set created_at = now() - interval '4 days' where id = ${ann.id}`.execute(server.db);
  expect((await post(ann, 40, 50)).status).toBe(201);
});

test('notifies once when a post is sent twice with the same key, and deletes the mention with the post', async () => {
  const id = await ann.ask({ title });
  const body = { content: naming(eve) };
  const key = 'the-same-key-twice';
  const first = await bob.post<{ id: number }>(`/questions/${id}/answers`, body, key);
  await bob.post(`/questions/${id}/answers`, body, key);
  expect(await messagesTo(eve)).toHaveLength(1);
  await bob.remove('answers', first.body.id);
  expect(await readNotifications(eve)).toEqual([]);
});
