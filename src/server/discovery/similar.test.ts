import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { sql } from 'kysely';
import { memberRateLimitKey } from '#server/core/rate-limits.ts';
import { startTestServer } from '#tests/support/server.ts';
import type {
  Audience,
  RelatedQuestionCards,
  SimilarResults,
  PartialQuestion,
} from '#shared/discovery/similar.ts';

// Each test starts with an empty community, because the frequency of a word depends on all questions.
const server = await startTestServer();
afterAll(() => server.stop());
const ann = await server.register('Ann');
const bob = await server.register('Bob');
beforeEach(async () => {
  await server.resetRateLimits();
  await sql`delete from question`.execute(server.db);
  await sql`update tag set questions_count = 0`.execute(server.db);
});

const ask = (title: string, more: { content?: string; tags?: string[] } = {}) =>
  ann.ask({ content: title, tags: [], title, ...more });

async function similar(typed: Partial<PartialQuestion>): Promise<SimilarResults> {
  const { status, body } = await bob.post<SimilarResults>('/questions/similar', typed);
  expect(status).toBe(200);
  return body;
}

const titles = async (typed: Partial<PartialQuestion>) =>
  (await similar(typed)).questions.map(({ title }) => title);

describe('while a question is typed', () => {
  beforeEach(async () => {
    await ask('How long does sourdough rise?', { tags: ['baking', 'sourdough'] });
    await ask('Which flour for a cake?', { tags: ['baking', 'flour'] });
    await ask('How long does paint dry?', { tags: ['paint'] });
    await ask('How do I sharpen a chisel?', { tags: ['tools'] });
  });

  test('ranks questions that share rare words before those that share common ones', async () => {
    expect((await titles({ title: 'Sourdough does not rise long enough' }))[0]).toBe(
      'How long does sourdough rise?',
    );
  });

  test('compares words in any inflection, including those of details and tags', async () => {
    expect(await titles({ title: 'Sharpening chisels' })).toEqual(['How do I sharpen a chisel?']);
    expect(await titles({ title: 'Help', content: 'My chisel is blunt.' })).toEqual([
      'How do I sharpen a chisel?',
    ]);
    expect(await titles({ title: 'Help', tags: ['paint'] })).toEqual(['How long does paint dry?']);
  });

  test('finds a question by the words of its answers', async () => {
    const id = await ask('Why is my bread flat?');
    await ann.answer(id, 'Too little gluten.');
    expect(await titles({ title: 'What does gluten do?' })).toEqual(['Why is my bread flat?']);
  });

  test('finds nothing for an empty text, for unknown words, and for stop words in any language', async () => {
    for (const title of ['', '   ', '?!', 'how is it', 'zzqxw vvkpt'])
      expect(await similar({ title })).toEqual({ questions: [], tags: [] });
    expect(await similar({})).toEqual({ questions: [], tags: [] });
  });

  test('does not list a deleted question, or one that an edit removed the words from', async () => {
    const [deleted, edited] = [await ask('Where do walruses sleep?'), await ask('Where do walruses eat?')];
    expect(await titles({ title: 'Walruses' })).toHaveLength(2);
    await ann.delete(`/questions/${deleted}`);
    await ann.put(`/questions/${edited}`, { title: 'Where do seals eat?', content: 'And what?' });
    expect(await titles({ title: 'Walruses' })).toEqual([]);
  });

  test('lists at most five questions', async () => {
    for (let n = 0; n < 8; n++) await ask(`Is this marmot number ${n}?`);
    expect(await titles({ title: 'Marmot' })).toHaveLength(5);
  });

  test.each([
    "it's",
    "'; drop table question; --",
    String.raw`a\b 'c' & | !( <-> :*`,
    '🚀',
    '"',
    '商标',
    '%_',
  ])('accepts any character: %s', async (title) => {
    await ask(`${title} kumquat`);
    expect(await titles({ title: `${title} kumquat`, content: title, tags: [title.slice(0, 35)] })).toEqual([
      `${title} kumquat`,
    ]);
  });
});

describe('suggests tags', () => {
  beforeEach(async () => {
    await ask('How long does sourdough rise?', { tags: ['baking', 'Levain'] });
    await ask('Does sourdough always rise?', { tags: ['baking', 'Levain'] });
    await ask('Which words?', { tags: ['machine-learning', 'C++', 'node.js'] });
  });
  const names = async (typed: Partial<PartialQuestion>) =>
    (await similar(typed)).tags.map(({ name }) => name);

  test('that similar questions have, with their number of questions', async () => {
    expect((await similar({ title: 'When does sourdough rise?' })).tags).toEqual([
      { name: 'baking', questionsCount: 2 },
      { name: 'Levain', questionsCount: 2 },
    ]);
  });

  test('whose name the text contains, also as two words or with signs', async () => {
    expect(await names({ title: 'Getting started with machine learning' })).toEqual(['machine-learning']);
    expect(await names({ title: 'Help', content: 'Is it C++, or Node.js?' })).toEqual(['C++', 'node.js']);
  });

  test('excludes tags already entered and tags without questions', async () => {
    expect(await names({ title: 'When does sourdough rise?', tags: ['LEVAIN'] })).toEqual(['baking']);
    await sql`update tag set questions_count = 0`.execute(server.db);
    expect(await names({ title: 'When does sourdough rise?' })).toEqual([]);
  });
});

describe('next to a question', () => {
  const related = async (id: number) =>
    (await bob.get<RelatedQuestionCards>(`/questions/${id}/related`)).body.items;

  test('lists the most similar ones, never the question itself or a deleted one', async () => {
    const id = await ask('How long does sourdough rise?');
    const other = await ask('Sourdough that does not rise');
    await ask('How do I sharpen a chisel?');
    expect((await related(id)).map((each) => each.id)).toEqual([other]);
    await ann.delete(`/questions/${other}`);
    expect(await related(id)).toEqual([]);
  });

  test('finds nothing for a question that does not exist', async () => {
    expect(await bob.get('/questions/999999/related')).toMatchObject({ status: 404, kind: 'not-found' });
  });
});

describe('the audience of a question', () => {
  const audience = async (tags: string) =>
    await bob.get<Audience>(`/audience?${new URLSearchParams({ tags }).toString()}`);

  test('counts each member once, whatever the case of the tag, and not the author', async () => {
    await ann.put('/tags/Ferns/follow', { following: true });
    await ann.put('/tags/Mosses/follow', { following: true });
    await bob.put('/tags/Ferns/follow', { following: true });
    expect((await audience('ferns, MOSSES, lichens')).body).toEqual({
      members: 1,
      tags: [
        { name: 'ferns', followers: 1, synonymOf: null, isNew: false },
        { name: 'MOSSES', followers: 1, synonymOf: null, isNew: false },
        { name: 'lichens', followers: 0, synonymOf: null, isNew: true },
      ],
    });
    expect((await audience('')).body).toEqual({ members: 0, tags: [] });
  });

  test('refuses more than five tags', async () => {
    expect(await audience('a,b,c,d,e,f')).toMatchObject({ status: 400, kind: 'invalid' });
  });
});

test('refuses texts longer than a question can be', async () => {
  for (const typed of [{ title: 'x'.repeat(201) }, { content: 'x'.repeat(2001) }, { title: 'a\u0000b' }])
    expect(await bob.post('/questions/similar', typed)).toMatchObject({ status: 400, kind: 'invalid' });
});

test('responds 429 with the time to wait when there are too many comparisons', async () => {
  const eve = await server.register('Eve');
  const compare = () => eve.post('/questions/similar', {});
  // As if she had compared 1,199 times.
  await sql`insert into rate_limit (key, points, expire)
    values (${memberRateLimitKey('similar-questions', eve.id)}, 1199, ${Date.now() + 60_000}::bigint)`.execute(
    server.db,
  );
  expect((await compare()).status).toBe(200);
  const refused = await compare();
  expect(refused).toMatchObject({ status: 429, kind: 'too-many' });
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
});
