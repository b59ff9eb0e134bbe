import { sql } from 'kysely';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { findViolations } from '#server/operations/integrity-check.ts';
import { expectOk, type Member } from '#tests/support/member.ts';
import { startTestServer } from '#tests/support/server.ts';
import { writeAllSortKeys } from '#tests/support/sort-keys.ts';
import type { AnswersPage, AnswerSort } from '#shared/posts/answers.ts';

const server = await startTestServer();
afterAll(() => server.stop());
beforeEach(() => server.resetRateLimits());
const ann = await server.register('Ann');
const bob = await server.register('Bob');
const eve = await server.register('Eve');

const pageOf = async (member: Member, id: number, sort: AnswerSort) => member.read(id, sort);
const idsOf = ({ items }: AnswersPage) => items.map((answer) => answer.id);

/** The ids of all pages of a question's answers in one order. */
async function allPages(id: number, sort: AnswerSort): Promise<number[]> {
  const first = await pageOf(ann, id, sort);
  const ids = idsOf(first.answers);
  let cursor = first.answers.nextCursor;
  while (cursor !== null) {
    const path: string = `/questions/${id}/answers?sort=${sort}&cursor=${cursor}`;
    const page = expectOk(await ann.get<AnswersPage>(path));
    ids.push(...idsOf(page));
    cursor = page.nextCursor;
  }
  return ids;
}

describe('the answers of a question', () => {
  test('are sorted by newest, by oldest, or by score and then newest', async () => {
    const id = await ann.ask();
    const [oldest, good, plain, bad] = [
      await bob.answer(id),
      await bob.answer(id),
      await bob.answer(id),
      await bob.answer(id),
    ];
    await ann.vote('answers', good.id, 'up');
    await eve.vote('answers', good.id, 'up');
    await ann.vote('answers', bad.id, 'down');
    const newest = [bad.id, plain.id, good.id, oldest.id];
    expect((await ann.read(id)).sort).toBe('newest');
    expect(idsOf((await ann.read(id)).answers)).toEqual(newest);
    expect(await pageOf(ann, id, 'oldest')).toMatchObject({ sort: 'oldest' });
    expect(await allPages(id, 'oldest')).toEqual(newest.toReversed());
    expect(await allPages(id, 'helpful')).toEqual([good.id, plain.id, oldest.id, bad.id]);
    await eve.vote('answers', good.id, null);
    await eve.vote('answers', oldest.id, 'up');
    await eve.vote('answers', bad.id, 'up');
    expect(await allPages(id, 'helpful')).toEqual([good.id, oldest.id, bad.id, plain.id]);
    expect(await findViolations(server.db)).toEqual([]);
  });

  test('come in pages of fifty in each order, without gaps or duplicates, even with equal scores', async () => {
    const id = await ann.ask();
    await sql`
      insert into answer (question_id, author_id, content, imported_upvotes, upvotes, created_at)
      select ${id}, ${bob.id}, 'Answer ' || n, n % 3, n % 3, timestamptz '2026-01-01' + (n / 2) * interval '1 s'
      from generate_series(1, 120) n`.execute(server.db);
    await sql`update question set answer_count = 120 where id = ${id}`.execute(server.db);
    await writeAllSortKeys(server.db);
    const { rows } = await sql<{ id: number; created_at: Date; upvotes: number }>`
      select id, created_at, upvotes from answer where question_id = ${id} order by created_at desc, id desc`.execute(
      server.db,
    );
    const newest = rows.map((row) => row.id);
    const helpful = rows.toSorted((one, other) => other.upvotes - one.upvotes).map((row) => row.id);
    expect(await allPages(id, 'newest')).toEqual(newest);
    expect(await allPages(id, 'oldest')).toEqual(newest.toReversed());
    expect(await allPages(id, 'helpful')).toEqual(helpful);
  });

  test('start with the accepted answer in each order, once, even after it changed', async () => {
    const id = await ann.ask();
    await sql`
      insert into answer (question_id, author_id, content, imported_upvotes, upvotes, created_at)
      select ${id}, ${bob.id}, 'Answer ' || n, n % 3, n % 3, timestamptz '2026-01-01' + (n / 2) * interval '1 s'
      from generate_series(1, 120) n`.execute(server.db);
    await sql`update question set answer_count = 120 where id = ${id}`.execute(server.db);
    await writeAllSortKeys(server.db);
    const orders = ['newest', 'oldest', 'helpful'] as const;
    const plain = new Map<AnswerSort, number[]>();
    for (const sort of orders) plain.set(sort, await allPages(id, sort));
    const newest = plain.get('newest') ?? [];
    for (const at of [0, 60, 119]) {
      const accepted = newest[at];
      expectOk(await ann.put(`/questions/${id}/accepted-answer`, { answerId: accepted }));
      for (const sort of orders) {
        const others = plain.get(sort)?.filter((each) => each !== accepted);
        expect(await allPages(id, sort), `${sort}, accepted at ${at}`).toEqual([accepted, ...(others ?? [])]);
      }
    }
    expect(idsOf((await pageOf(ann, id, 'newest')).answers)).toHaveLength(51);
    expectOk(await ann.put(`/questions/${id}/accepted-answer`, { answerId: null }));
    for (const sort of orders) expect(await allPages(id, sort)).toEqual(plain.get(sort));
  });
});
