import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { startTestServer } from '#tests/support/server.ts';
import { writeAllSortKeys } from '#tests/support/sort-keys.ts';
import type { QuestionCards } from '#shared/posts/questions.ts';

const server = await startTestServer();
afterAll(() => server.stop());
const ann = await server.register('Ann');
const bob = await server.register('Bob');

test('ends This Week seven days back, by the latest activity', async () => {
  await bob.put('/tags/reef/follow', { following: true });
  const ask = (title: string) => ann.ask({ title, tags: ['reef'] });
  const [within, before, revived] = [await ask('Within'), await ask('Before'), await ask('Revived')];
  await age(within, '6 days 23 hours 59 minutes');
  await age(before, '7 days 1 minute');
  await age(revived, '30 days');
  await ann.answer(revived);
  const { body } = await bob.get<QuestionCards>('/following/activity');
  expect(body.items.map(({ id }) => id)).toEqual([revived, within]);
});

/** Moves all activity of a question back by that long. */
async function age(id: number, ago: string): Promise<void> {
  await sql`update question set active_at = active_at - ${ago}::interval where id = ${id}`.execute(server.db);
  await writeAllSortKeys(server.db);
}
