import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { eventually } from '#tests/support/eventually.ts';
import { startTestServer } from '#tests/support/server.ts';

const server = await startTestServer();
afterAll(() => server.stop());

/** The number of updates of a table, and of those without index updates (HOT, PostgreSQL manual 66.7). */
async function updatesOf(table: string) {
  // Connections report their statistics with a delay. Queries that take a moment each run on another connection.
  const everyConnection = Array.from({ length: 20 }, () =>
    sql`select pg_stat_force_next_flush(), pg_sleep(0.1)`.execute(server.db),
  );
  await Promise.all(everyConnection);
  const { rows } = await sql<{ updates: number; hot: number }>`
    select n_tup_upd as updates, n_tup_hot_upd as hot from pg_stat_user_tables
    where relname = ${table}`.execute(server.db);
  const [row] = rows;
  if (row === undefined) throw new Error(`there is no table ${table}`);
  return row;
}

test('votes, views, answers and replies do not update the search indexes of questions and answers', async () => {
  const [ann, bob] = [await server.register('Ann'), await server.register('Bob')];
  const id = await ann.ask({ content: 'Bread. '.repeat(200), tags: ['bread'] });
  const answer = await bob.answer(id);
  const before = {
    base_question: await updatesOf('base_question'),
    base_answer: await updatesOf('base_answer'),
  };
  await bob.vote('questions', id, 'up');
  await bob.vote('questions', id, 'down');
  await bob.put(`/questions/${id}/view`);
  await ann.vote('answers', answer.id, 'up');
  await ann.answer(id);
  await ann.replyToAnswer(answer.id);
  for (const [table, { updates, hot }] of Object.entries(before)) {
    const after = await updatesOf(table);
    expect(after.updates).toBeGreaterThan(updates);
    expect(after.hot - hot).toBe(after.updates - updates);
  }
});

test('a full page of questions has room for the next version of each', async () => {
  const ann = await server.register('Ann');
  // About 2 kB each with the words for the search, as most questions of a community.
  const words = (n: number) =>
    Array.from({ length: 75 }, (_, i) => ((n * 75 + i) * 7919).toString(36)).join(' ');
  const ids = await Promise.all(
    Array.from({ length: 8 }, (_, n) => ann.ask({ content: words(n), tags: ['bread'] })),
  );
  const before = await updatesOf('base_question');
  for (const id of ids) {
    await removeOldQuestionVersions();
    await ann.answer(id);
  }
  const after = await updatesOf('base_question');
  expect(after.updates - before.updates).toBe(ids.length);
  expect(after.hot - before.hot).toBe(ids.length);
});

/** Old versions of a row take room on its page while another transaction may see them, such as one of autovacuum. */
async function removeOldQuestionVersions(): Promise<void> {
  await eventually(async () => {
    const { rows } = await sql`
      select from pg_stat_activity
      where datname = current_database() and backend_xmin is not null and pid <> pg_backend_pid()`.execute(
      server.db,
    );
    return rows.length === 0;
  });
  await sql`vacuum base_question`.execute(server.db);
}
