import { sql } from 'kysely';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestServer } from '#tests/support/server.ts';
import type { Feed } from '#shared/discovery/feeds.ts';

// Each test starts with an empty community, because a feed shows all questions.
const server = await startTestServer();
afterAll(() => server.stop());
const ann = await server.register('Ann');
const bob = await server.register('Bob');
beforeEach(async () => {
  await server.resetRateLimits();
  await sql`delete from question`.execute(server.db);
});

/** Posts questions one after the other. Returns their ids, newest first. */
async function askMany(count: number): Promise<number[]> {
  const ids: number[] = [];
  for (let n = 0; n < count; n++) ids.unshift(await [ann, bob][n % 2]!.ask({ title: `Question ${n}` }));
  return ids;
}

const encode = (position: unknown) => Buffer.from(JSON.stringify(position)).toString('base64url');

const idsOf = async (feed: Feed) => (await bob.feed(feed)).items.map(({ id }) => id);

/** Reads a whole feed page by page, and calls `between` after each page. */
async function readThrough(
  feed: Feed,
  between: () => Promise<unknown> = async () => {},
): Promise<number[][]> {
  const pages: number[][] = [];
  let cursor: string | null = null;
  do {
    const page = await bob.feed(feed, cursor);
    pages.push(page.items.map(({ id }) => id));
    cursor = page.nextCursor;
    await between();
  } while (cursor !== null);
  return pages;
}

test.each<Feed>(['recent', 'popular', 'unanswered'])('%s is empty in an empty community', async (feed) => {
  expect(await bob.feed(feed)).toEqual({ items: [], mutedCount: 0, nextCursor: null });
});

describe('recent', () => {
  test('lists the newest first, twenty per page, without gaps or duplicates while questions are posted', async () => {
    const asked = await askMany(45);
    const pages = await readThrough('recent', () => ann.ask());
    expect(pages.map((page) => page.length)).toEqual([20, 20, 5]);
    expect(pages.flat()).toEqual(asked);
  });

  test('continues at the same position when the last question of a page is deleted', async () => {
    const asked = await askMany(25);
    const first = await bob.feed('recent');
    const seam = asked[19]!;
    await Promise.all([ann.delete(`/questions/${seam}`), bob.delete(`/questions/${seam}`)]);
    const rest = await bob.feed('recent', first.nextCursor);
    expect(rest.items.map(({ id }) => id)).toEqual(asked.slice(20));
  });

  test('has no next page when there are exactly twenty questions', async () => {
    const asked = await askMany(20);
    expect(await readThrough('recent')).toEqual([asked]);
  });

  test('shows a card with the excerpt, the tags and the counts', async () => {
    const content = `**Bold** ${'words '.repeat(60)}`;
    const id = await ann.ask({ title: 'A card', content, tags: ['One', 'Two'] });
    await bob.vote('questions', id, 'up');
    await bob.put(`/questions/${id}/view`);
    await bob.answer(id);
    const [card] = (await bob.feed('recent')).items;
    expect(card).toMatchObject({
      id,
      title: 'A card',
      excerptCut: true,
      tags: ['One', 'Two'],
      authorName: 'Ann',
      upvotes: 1,
      downvotes: 0,
      views: 1,
      answerCount: 1,
    });
    expect(card?.excerpt).toMatch(/^Bold words words/);
    expect(Array.from(card?.excerpt ?? '').length).toBeLessThanOrEqual(200);
  });
});

describe('popular', () => {
  test('lists the most upvoted first, regardless of downvotes; of equal ones, the newest first', async () => {
    const [c, b, a] = (await askMany(3)) as [number, number, number];
    await ann.vote('questions', b, 'up');
    await bob.vote('questions', b, 'up');
    await ann.vote('questions', a, 'up');
    await bob.vote('questions', a, 'down');
    expect(await idsOf('popular')).toEqual([b, a, c]);
    await ann.vote('questions', a, null);
    expect(await idsOf('popular')).toEqual([b, c, a]);
  });

  test('pages through all questions without gaps or duplicates while questions are posted', async () => {
    const asked = await askMany(45);
    const voted = asked.filter((_, index) => index % 3 === 0);
    for (const id of voted) await ann.vote('questions', id, 'up');
    const pages = await readThrough('popular', () => ann.ask());
    const seen = pages.flat();
    expect(seen.slice(0, voted.length)).toEqual(voted);
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen).toEqual(expect.arrayContaining(asked));
  });
});

describe('unanswered', () => {
  test('lists the twenty newest without an answer, not those among the twenty newest', async () => {
    const asked = await askMany(50);
    const answered = asked.slice(0, 25);
    for (const id of answered) await ann.answer(id);
    expect(await idsOf('unanswered')).toEqual(asked.slice(25, 45));
    expect((await readThrough('unanswered')).flat()).toEqual(asked.slice(25));
  });

  test('still contains a question that has only comments', async () => {
    const id = await ann.ask();
    await bob.replyToQuestion(id);
    expect(await idsOf('unanswered')).toEqual([id]);
  });
});

describe('a cursor', () => {
  test.each<Feed>(['recent', 'popular', 'unanswered'])(
    'of %s that is forged is refused or finds nothing',
    async (feed) => {
      await askMany(1);
      const madeUp = [
        [1.5, 1],
        [1e-9, 1],
        [-8.64e15, 1],
        [8.64e15, 1],
        [8.65e15, 1],
        [1e300, 1],
        [1, -1],
        [1, 2 ** 60],
        [1, 1.5],
        [null, 1],
        [1, 1, 1],
        [],
        {},
        'x',
        0,
      ].map(encode);
      const answered: unknown[] = [];
      for (const cursor of [...madeUp, 'x', '%00', '%ff', '....', '='.repeat(10), 'A'.repeat(201)]) {
        const { status, kind = 'done' } = await bob.get(`/feeds/${feed}?cursor=${cursor}`);
        answered.push(`${status} ${kind}`);
      }
      expect(new Set(answered)).toEqual(new Set(['200 done', '400 invalid']));
    },
  );
});

test('refuses an unknown feed', async () => {
  expect(await bob.get('/feeds/hot')).toMatchObject({ status: 400, kind: 'invalid' });
});
