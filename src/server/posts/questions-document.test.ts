import { afterAll, expect, test } from 'vitest';
import type { Member } from '#tests/support/member.ts';
import { startTestServer } from '#tests/support/server.ts';
import { answerSort } from '#shared/posts/answers.ts';
import type { QuestionDocument, QuestionViewer } from '#shared/posts/questions-document.ts';

const server = await startTestServer();
afterAll(() => server.stop());

const ann = await server.register('Ann');
const members: Member[] = [ann];
for (const name of ['Bob', 'Cleo', 'Dan', 'Eve', 'Finn']) members.push(await server.register(name));

test('members who read at the same time get the documents that they asked for, and their own values', async () => {
  const questions = [await ann.ask(), await ann.ask(), await ann.ask()];
  for (const [index, member] of members.entries()) {
    const question = questions[index % 3]!;
    const answer = await member.answer(question);
    const reply = await member.replyToAnswer(answer.id);
    const other = members[(index + 1) % members.length]!;
    await other.vote('answers', answer.id, index % 2 === 0 ? 'up' : 'down');
    await other.vote('replies', reply.id, 'up');
    await other.bookmark('answers', answer.id);
    if (index > 0) await member.vote('questions', question, index % 2 === 0 ? 'down' : 'up');
    if (index % 2 === 0) await member.mute(`questions/${question}`);
    await member.put(`/questions/${question}/view`);
  }
  const missing = 1_000_000;
  const pages = members.flatMap((member) =>
    [...questions, missing].flatMap((id) =>
      answerSort.options.flatMap((sort) =>
        ['/questions', '/viewer/questions'].map((path) => ({ member, path: `${path}/${id}?sort=${sort}` })),
      ),
    ),
  );
  const read = async ({ member, path }: (typeof pages)[number]) => {
    const { status, body } = await member.get<QuestionDocument | QuestionViewer>(path);
    return { status, body: status === 200 ? body : null };
  };
  const alone: Awaited<ReturnType<typeof read>>[] = [];
  for (const page of pages) alone.push(await read(page));
  await server.resetRateLimits();
  const together = await Promise.all(pages.map(read));
  expect(together).toEqual(alone);
  // Otherwise the comparison would show nothing.
  expect(new Set(alone.map(({ body }) => JSON.stringify(body))).size).toBeGreaterThan(members.length * 3);
  expect(together.filter(({ status }) => status === 404)).toHaveLength(members.length * 6);
});

test('members see their own vote immediately while many others read the page', async () => {
  const id = await ann.ask();
  const path = `/viewer/questions/${id}?sort=newest`;
  const [voter, ...others] = members.slice(1);
  for (const vote of ['up', 'down', null, 'up', 'down'] as const) {
    await server.resetRateLimits();
    const reading = others.flatMap((member) => Array.from({ length: 20 }, () => member.get(path)));
    await voter!.vote('questions', id, vote);
    expect((await voter!.get<QuestionViewer>(path)).body.myVote).toBe(vote);
    await Promise.all(reading);
  }
});
