import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import type { Member } from '#tests/support/member.ts';
import { startTestServer } from '#tests/support/server.ts';

const server = await startTestServer();
afterAll(() => server.stop());
beforeEach(() => server.resetRateLimits());
const ann = await server.register('Ann');
const bob = await server.register('Bob');

type Posted = { id: number };
let keys = 0;
const newKey = () => `key-${++keys}-of-this-test`;

/** Every way to post: the path, the body, and a function that counts the posts there. */
const kinds = {
  question: {
    async place() {
      return '/questions';
    },
    draft: { title: 'Once?', content: 'Only once.', tags: ['once'] },
    other: { title: 'Twice?', content: 'Only once.' },
    path: 'questions',
    count: async (_: string, member: Member) => (await member.me()).questionsCount,
  },
  answer: {
    async place() {
      return `/questions/${await ann.ask()}/answers`;
    },
    draft: { content: 'Once.' },
    other: { content: 'Twice.' },
    path: 'answers',
    count: itemsAt,
  },
  reply: {
    async place() {
      return `/answers/${(await ann.answer(await ann.ask())).id}/replies`;
    },
    draft: { content: 'Once.' },
    other: { content: 'Twice.' },
    path: 'replies',
    count: itemsAt,
  },
  comment: {
    async place() {
      return `/questions/${await ann.ask()}/replies`;
    },
    draft: { content: 'Once.' },
    other: { content: 'Twice.' },
    path: 'replies',
    count: itemsAt,
  },
} as const;

async function itemsAt(place: string, member: Member): Promise<number> {
  return (await member.get<{ items: unknown[] }>(place)).body.items.length;
}

describe.each(Object.entries(kinds))('a %s', (_, kind) => {
  const { draft, other, count } = kind;

  test('is posted once when it is sent twice with one key, and both responses name it', async () => {
    const place = await kind.place();
    const before = await count(place, bob);
    const key = newKey();
    const first = await bob.post<Posted>(place, draft, key);
    const second = await bob.post<Posted>(place, draft, key);
    expect([first.status, second.status]).toEqual([201, 201]);
    expect(second.body.id).toBe(first.body.id);
    expect(await count(place, bob)).toBe(before + 1);
  });

  test('is posted once when it is sent many times at the same time with one key', async () => {
    const place = await kind.place();
    const before = await count(place, bob);
    const key = newKey();
    const all = await Promise.all(Array.from({ length: 10 }, () => bob.post<Posted>(place, draft, key)));
    expect(all.map(({ status }) => status)).toEqual(Array(10).fill(201));
    expect(new Set(all.map(({ body }) => body.id)).size).toBe(1);
    expect(await count(place, bob)).toBe(before + 1);
  });

  test('is refused with a key that was used for another request', async () => {
    const place = await kind.place();
    const key = newKey();
    await bob.post(place, draft, key);
    const before = await count(place, bob);
    expect(await bob.post(place, other, key)).toMatchObject({ status: 422, kind: 'key-reused' });
    const elsewhere = place === '/questions' ? `/questions/${await ann.ask()}/answers` : await kind.place();
    const refused = await bob.post(elsewhere, place === '/questions' ? { content: 'Once.' } : draft, key);
    expect(refused).toMatchObject({ status: 422, kind: 'key-reused' });
    expect(await count(place, bob)).toBe(before);
  });

  test("is posted with another member's key", async () => {
    const place = await kind.place();
    const key = newKey();
    const [first, second] = [
      await bob.post<Posted>(place, draft, key),
      await ann.post<Posted>(place, draft, key),
    ];
    expect([first.status, second.status]).toEqual([201, 201]);
    expect(second.body.id).not.toBe(first.body.id);
  });

  test('releases its key when it is refused', async () => {
    const place = await kind.place();
    const key = newKey();
    expect(await bob.post(place, { ...draft, content: ' ' }, key)).toMatchObject({ status: 400 });
    expect(await bob.post(place, draft, key)).toMatchObject({ status: 201 });
  });

  test('is not posted again with its key after it was deleted', async () => {
    const place = await kind.place();
    const key = newKey();
    const { body } = await bob.post<Posted>(place, draft, key);
    await bob.remove(kind.path, body.id);
    const before = await count(place, bob);
    expect(await bob.post(place, draft, key)).toMatchObject({ status: 410, kind: 'gone' });
    expect(await count(place, bob)).toBe(before);
  });

  test('is posted each time it is sent without a key', async () => {
    const place = await kind.place();
    const before = await count(place, bob);
    await bob.post(place, draft);
    await bob.post(place, draft);
    expect(await count(place, bob)).toBe(before + 2);
  });

  test.each(['short', 'x'.repeat(101), 'with spaces in it', 'ümlaut-key-here'])(
    'is refused with the key %s',
    async (key) => {
      const place = await kind.place();
      expect(await bob.post(place, draft, key)).toMatchObject({ status: 400, kind: 'invalid' });
    },
  );
});

test('does not post an answer again with its key after its question was deleted', async () => {
  const id = await ann.ask();
  const key = newKey();
  await bob.post(`/questions/${id}/answers`, { content: 'Once.' }, key);
  await ann.remove('questions', id);
  const repeated = await bob.post(`/questions/${id}/answers`, { content: 'Once.' }, key);
  expect(repeated).toMatchObject({ status: 410, kind: 'gone' });
});
