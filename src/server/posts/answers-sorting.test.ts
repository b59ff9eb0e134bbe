import { sql } from 'kysely';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { findViolations } from '#server/operations/integrity-check.ts';
import { expectOk, type Member } from '#tests/support/member.ts';
import { startTestServer } from '#tests/support/server.ts';
import { writeAllSortKeys } from '#tests/support/sort-keys.ts';
import type { AnswersPage, AnswersPagePosition, AnswerSort } from '#shared/posts/answers.ts';
import type { QuestionDocument } from '#shared/posts/questions-document.ts';

const server = await startTestServer();
afterAll(() => server.stop());
beforeEach(() => server.resetRateLimits());
const ann = await server.register('Ann');
const bob = await server.register('Bob');
const eve = await server.register('Eve');

const pageOf = async (member: Member, id: number, sort: AnswerSort) => member.read(id, sort);
const idsOf = ({ items }: { items: readonly { id: number }[] }) => items.map((answer) => answer.id);

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

  test('have a page that begins with an answer of a link, and one before it, unless the first page has it', async () => {
    const id = await ann.ask();
    const answers: number[] = [];
    for (let n = 0; n < 105; n++) answers.push((await bob.answer(id)).id);
    await eve.vote('answers', answers[20] ?? 0, 'up');
    await eve.vote('answers', answers[104] ?? 0, 'down');
    const accepted = answers[2] ?? 0;
    expectOk(await ann.put(`/questions/${id}/accepted-answer`, { answerId: accepted }));
    for (const sort of ['newest', 'oldest', 'helpful'] as const) {
      const all = await allPages(id, sort);
      const others = all.filter((each) => each !== accepted);
      const position = async (answerId: number) => {
        const query = `sort=${sort}&kind=answer&post=${answerId}`;
        return expectOk(await ann.get<AnswersPagePosition>(`/questions/${id}/answers/position?${query}`));
      };
      const open = async (after: string | null) => {
        const search = after === null ? `?sort=${sort}` : `?sort=${sort}&after=${after}`;
        const { answers } = expectOk(await ann.get<QuestionDocument>(`/questions/${id}${search}`));
        return { ids: idsOf(answers), before: answers.previousCursor };
      };
      for (const answerId of [others[0] ?? 0, others[49] ?? 0, accepted])
        expect(await position(answerId)).toEqual({ answerId, after: null });
      expect((await open(null)).before).toBeUndefined();

      for (const index of [50, 70, 103]) {
        const { after } = await position(others[index] ?? 0);
        const page = await open(after);
        expect(page.ids).toEqual(others.slice(index, index + 50));
        const previous = await open(page.before ?? null);
        const begin = index === 50 ? 0 : index - 50;
        expect(previous.ids.filter((each) => each !== accepted)).toEqual(others.slice(begin, begin + 50));
        const before = begin === 0 ? 'undefined' : begin > 50 ? 'string' : 'object';
        expect(typeof previous.before).toBe(before);
      }
    }
  });

  test('refuse the position of a post that is deleted, hidden or elsewhere', async () => {
    const id = await ann.ask();
    const answer = await bob.answer(id);
    const reply = await eve.replyToAnswer(answer.id);
    const comment = await eve.replyToQuestion(id);
    const position = async (kind: 'answer' | 'reply', post: number, question = id) => {
      const path = `/questions/${question}/answers/position?kind=${kind}&post=${post}`;
      const { status, body } = await ann.get<AnswersPagePosition>(path);
      return status === 200 ? body : status;
    };
    expect(await position('reply', reply.id)).toEqual({ answerId: answer.id, after: null });
    expect(await position('reply', comment.id)).toEqual({ answerId: null, after: null });
    const other = await ann.ask();
    for (const [kind, post] of [
      ['answer', answer.id],
      ['reply', reply.id],
      ['reply', comment.id],
    ] as const)
      expect(await position(kind, post, other)).toBe(404);
    expect(await position('answer', 999_999_999)).toBe(404);
    expectOk(await bob.delete(`/answers/${answer.id}`));
    expect(await position('answer', answer.id)).toBe(404);
    expect(await position('reply', reply.id)).toBe(404);
  });
});
