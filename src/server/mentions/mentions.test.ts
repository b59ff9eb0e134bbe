import { afterAll, beforeEach, expect, test } from 'vitest';
import type { Member } from '#server/testing/member.ts';
import { startTestServer } from '#server/testing/server.ts';
import type { Notifications } from '#shared/notifications.ts';

const publicUrl = 'https://ask.example.org';
const server = await startTestServer({ publicUrl });
afterAll(() => server.stop());
const title = 'Does bread freeze?';
let ann: Member;
let bob: Member;
let eve: Member;
// Every test has members of its own: a bell shows all that ever concerned its member.
beforeEach(async () => {
  [ann, bob, eve] = await server.registerAll('Ann', 'Bob', 'Eve');
});

const naming = (...members: readonly Member[]) =>
  members.map(({ name, id }) => `[@${name}](/profile/${id})`).join(' and ');

async function bellOf(member: Member) {
  return (await member.get<Notifications>('/notifications')).body.items;
}

const messagesTo = async (member: Member) => (await bellOf(member)).map(({ message }) => message);

test('who is named in a question, an answer, a reply or a comment is told where', async () => {
  const id = await ann.ask({ title, content: `What does ${naming(eve)} say?` });
  const answer = await bob.answer(id, `[@Eve](${publicUrl}/profile/${eve.id}) knows.`);
  const reply = await bob.reply(answer.id, { content: naming(eve) });
  const comment = await bob.comment(id, { content: naming(eve) });
  expect(await bellOf(eve)).toMatchObject([
    { type: 'other', link: `/question/${id}#reply-${comment.id}`, entityType: 'reply', senderId: bob.id },
    { type: 'other', link: `/question/${id}#reply-${reply.id}`, entityType: 'reply' },
    { type: 'other', link: `/question/${id}#answer-${answer.id}`, entityType: 'answer' },
    { type: 'other', link: `/question/${id}`, entityType: 'question', senderId: ann.id },
  ]);
  expect(await messagesTo(eve)).toEqual([
    ...Array.from({ length: 3 }, () => `Bob mentioned you in "${title}"`),
    `Ann mentioned you in "${title}"`,
  ]);
  expect(await bellOf(bob)).toEqual([]);
});

test('nobody is told of what they wrote themselves, nor of a name in code', async () => {
  const id = await ann.ask({ title, content: `\`${naming(eve)}\`\n\n\`\`\`\n${naming(bob)}\n\`\`\`` });
  const answer = await ann.answer(id, naming(ann));
  await ann.reply(answer.id, { content: naming(ann, ann) });
  for (const member of [ann, bob, eve]) expect(await bellOf(member)).toEqual([]);
});

test('who is told of a post anyway hears of it once', async () => {
  const id = await ann.ask({ title });
  await eve.put(`/questions/${id}/follow`, { following: true });
  const answer = await bob.answer(id, naming(ann, eve));
  expect(await messagesTo(ann)).toEqual([`Bob answered your question "${title}"`]);
  expect(await messagesTo(eve)).toEqual([`Bob mentioned you in "${title}"`]);

  const reply = await eve.reply(answer.id, { content: naming(bob, bob, ann) });
  expect(await messagesTo(bob)).toEqual(['Eve replied to your answer']);
  await ann.reply(answer.id, { to: reply, content: naming(eve, bob) });
  expect((await messagesTo(eve))[0]).toBe('Ann replied to your reply');
  expect((await messagesTo(bob))[0]).toBe('Ann replied to your answer');
  expect(await messagesTo(eve)).toHaveLength(2);
});

test('an edit tells only those whom it adds, and nobody twice, however often they come and go', async () => {
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
  const reply = await ann.reply(answer.id);
  await ann.put(`/answers/${answer.id}`, { content: naming(bob) });
  await ann.put(`/replies/${reply.id}`, { content: naming(bob) });
  expect((await bellOf(bob)).map(({ link }) => link)).toEqual([
    `/question/${id}#reply-${reply.id}`,
    `/question/${id}#answer-${answer.id}`,
    `/question/${id}`,
  ]);
});

test('a follower who was told of an answer is not told again when an edit names them', async () => {
  const id = await ann.ask({ title });
  await eve.put(`/questions/${id}/follow`, { following: true });
  const answer = await bob.answer(id);
  await bob.put(`/answers/${answer.id}`, { content: naming(eve, ann) });
  expect(await messagesTo(eve)).toEqual([`Bob answered a question you follow: "${title}"`]);
  expect(await messagesTo(ann)).toHaveLength(1);
});

test('of many names in one post ten are told, those that come first, also over several edits', async () => {
  const crowd: Member[] = [];
  for (let n = 0; n < 12; n++) crowd.push(await server.register(`Guest ${n}`));
  const id = await ann.ask({
    title,
    content: `[@Nobody](/profile/999999999) ${naming(...crowd.slice(0, 8))}`,
  });
  await ann.put(`/questions/${id}`, { title, content: naming(...crowd), tags: [] });
  await ann.put(`/questions/${id}`, { title, content: naming(...crowd, eve), tags: [] });
  const told = await Promise.all(crowd.map(async (member) => (await bellOf(member)).length));
  expect(told).toEqual([...Array.from({ length: 10 }, () => 1), 0, 0]);
  expect(await bellOf(eve)).toEqual([]);
});

test('a post that is sent twice by the same key tells once, and takes its mention along when it is deleted', async () => {
  const id = await ann.ask({ title });
  const body = { content: naming(eve) };
  const key = 'the-same-key-twice';
  const first = await bob.post<{ id: number }>(`/questions/${id}/answers`, body, key);
  await bob.post(`/questions/${id}/answers`, body, key);
  expect(await messagesTo(eve)).toHaveLength(1);
  await bob.remove('answers', first.body.id);
  expect(await bellOf(eve)).toEqual([]);
});
