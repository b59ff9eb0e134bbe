import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { transaction } from '#server/core/database.ts';
import { startTestServer } from '#tests/support/server.ts';
import { listOrdinaryPosts } from './spam-training-queries.ts';

const server = await startTestServer();
const { db } = server;
afterAll(() => server.stop());

test('finds ordinary posts of any member with standing, not only of the first', async () => {
  await sql`
    with old as (
      insert into member (display_name, email, created_at, questions_count)
      select 'Old ' || n, 'old' || n || '@example.org', now() - interval '1 year', 5 from generate_series(1, 3000) n
      returning id
    )
    insert into question (author_id, title, content, excerpt, excerpt_cut)
    select id, 'Bread?', 'Bread', 'Bread', false from old`.execute(db);
  const found = new Set<number>();
  for (let index = 0; index < 30; index += 1)
    for (const { id } of await transaction(db, (tx) => listOrdinaryPosts(tx, 1))) found.add(id);
  const { rows } = await sql<{ isAfterHalf: boolean }>`
    select max(author_id) > (select max(id) - 1500 from member) as "isAfterHalf"
    from question where id = any(${[...found]}::bigint[])`.execute(db);
  // All 30 are of the first half with a probability of 1 : 2^30.
  expect(rows).toEqual([{ isAfterHalf: true }]);
});
