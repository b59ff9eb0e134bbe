import { afterAll, expect, test } from 'vitest';
import { startTestServer } from '#server/testing/server.ts';

const server = await startTestServer();
afterAll(() => server.stop());

test('30 questions, 60 answers or replies and 300 votes of one member in ten minutes meet no limit', async () => {
  const ann = await server.register('Ann');
  const ids: number[] = [];
  for (let n = 0; n < 30; n++) ids.push(await ann.ask());
  const [id = 0] = ids;
  const answer = await ann.answer(id);
  for (let n = 1; n < 60; n++) await (n % 2 === 0 ? ann.answer(id) : ann.reply(answer.id));
  for (let n = 0; n < 300; n++) await ann.vote('questions', id, n % 2 === 0 ? 'up' : null);
  expect((await ann.me()).questionsCount).toBe(30);
});

test('a flood is refused with when to come back, and others write on', async () => {
  const [bob, eve] = [await server.register('Bob'), await server.register('Eve')];
  let refused = await bob.post('/questions', { title: 'Flood', content: 'Water' });
  for (let n = 0; n < 100 && refused.status === 201; n++)
    refused = await bob.post('/questions', { title: 'Flood', content: 'Water' });
  expect(refused).toMatchObject({ status: 429, code: 'too-many' });
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(await eve.ask()).toBeGreaterThan(0);
});
