import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestServer } from '#tests/support/server.ts';
import type {
  Audience,
  RelatedQuestionCards,
  SimilarResults,
  PartialQuestion,
} from '#shared/discovery/similar.ts';

// Every test finds a community of its own, since how rare a word is depends on whatever else there is.
const server = await startTestServer();
afterAll(() => server.stop());
const ann = await server.register('Ann');
const bob = await server.register('Bob');
beforeEach(async () => {
  await server.resetRateLimits();
  await server.db.deleteFrom('question').execute();
  await server.db.updateTable('tag').set({ questions_count: 0 }).execute();
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

describe('while somebody types', () => {
  beforeEach(async () => {
    await ask('How long does sourdough rise?', { tags: ['baking', 'sourdough'] });
    await ask('Which flour for a cake?', { tags: ['baking', 'flour'] });
    await ask('How long does paint dry?', { tags: ['paint'] });
    await ask('How do I sharpen a chisel?', { tags: ['tools'] });
  });

  test('questions that share rare words come before those that share common ones', async () => {
    expect((await titles({ title: 'Sourdough does not rise long enough' }))[0]).toBe(
      'How long does sourdough rise?',
    );
  });

  test('words are compared in any inflection, and those of the details and tags count as well', async () => {
    expect(await titles({ title: 'Sharpening chisels' })).toEqual(['How do I sharpen a chisel?']);
    expect(await titles({ title: 'Help', content: 'My chisel is blunt.' })).toEqual([
      'How do I sharpen a chisel?',
    ]);
    expect(await titles({ title: 'Help', tags: ['paint'] })).toEqual(['How long does paint dry?']);
  });

  test('a question is found by what its answers say', async () => {
    const id = await ask('Why is my bread flat?');
    await ann.answer(id, 'Too little gluten.');
    expect(await titles({ title: 'What does gluten do?' })).toEqual(['Why is my bread flat?']);
  });

  test('nothing comes for nothing, for words nobody used, and for words that stand everywhere in any language', async () => {
    for (const title of ['', '   ', '?!', 'how is it', 'zzqxw vvkpt'])
      expect(await similar({ title })).toEqual({ questions: [], tags: [] });
    expect(await similar({})).toEqual({ questions: [], tags: [] });
  });

  test('a deleted question is not shown, nor one whose words an edit took away', async () => {
    const [gone, edited] = [await ask('Where do walruses sleep?'), await ask('Where do walruses eat?')];
    expect(await titles({ title: 'Walruses' })).toHaveLength(2);
    await ann.delete(`/questions/${gone}`);
    await ann.put(`/questions/${edited}`, { title: 'Where do seals eat?', content: 'And what?' });
    expect(await titles({ title: 'Walruses' })).toEqual([]);
  });

  test('five are shown at most', async () => {
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
  ])('any character may be typed: %s', async (title) => {
    await ask(`${title} kumquat`);
    expect(await titles({ title: `${title} kumquat`, content: title, tags: [title.slice(0, 35)] })).toEqual([
      `${title} kumquat`,
    ]);
  });
});

describe('tags are suggested', () => {
  beforeEach(async () => {
    await ask('How long does sourdough rise?', { tags: ['baking', 'Levain'] });
    await ask('Does sourdough always rise?', { tags: ['baking', 'Levain'] });
    await ask('Which words?', { tags: ['machine-learning', 'C++', 'node.js'] });
  });
  const names = async (typed: Partial<PartialQuestion>) =>
    (await similar(typed)).tags.map(({ name }) => name);

  test('that similar questions carry, with the number of their questions', async () => {
    expect((await similar({ title: 'When does sourdough rise?' })).tags).toEqual([
      { name: 'baking', questionsCount: 2 },
      { name: 'Levain', questionsCount: 2 },
    ]);
  });

  test('whose name stands in the text, also in two words or with signs', async () => {
    expect(await names({ title: 'Getting started with machine learning' })).toEqual(['machine-learning']);
    expect(await names({ title: 'Help', content: 'Is it C++, or Node.js?' })).toEqual(['C++', 'node.js']);
  });

  test('but none that is typed already, and none that no question carries any more', async () => {
    expect(await names({ title: 'When does sourdough rise?', tags: ['LEVAIN'] })).toEqual(['baking']);
    await server.db.updateTable('tag').set({ questions_count: 0 }).execute();
    expect(await names({ title: 'When does sourdough rise?' })).toEqual([]);
  });
});

describe('beside a question', () => {
  const related = async (id: number) =>
    (await bob.get<RelatedQuestionCards>(`/questions/${id}/related`)).body.items;

  test('those most like it stand, never itself and never a deleted one', async () => {
    const id = await ask('How long does sourdough rise?');
    const other = await ask('Sourdough that does not rise');
    await ask('How do I sharpen a chisel?');
    expect((await related(id)).map((each) => each.id)).toEqual([other]);
    await ann.delete(`/questions/${other}`);
    expect(await related(id)).toEqual([]);
  });

  test('one that does not exist has none', async () => {
    expect(await bob.get('/questions/999999/related')).toMatchObject({ status: 404, code: 'not-found' });
  });
});

describe('who would hear of a question', () => {
  const audience = async (tags: string) =>
    await bob.get<Audience>(`/audience?${new URLSearchParams({ tags }).toString()}`);

  test('each member counts once, whatever case the tag is typed in, and whoever asks does not count', async () => {
    await ann.put('/topics/Ferns/follow', { following: true });
    await ann.put('/topics/Mosses/follow', { following: true });
    await bob.put('/topics/Ferns/follow', { following: true });
    expect((await audience('ferns, MOSSES, lichens')).body).toEqual({
      members: 1,
      tags: [
        { name: 'ferns', followers: 1 },
        { name: 'MOSSES', followers: 1 },
        { name: 'lichens', followers: 0 },
      ],
    });
    expect((await audience('')).body).toEqual({ members: 0, tags: [] });
  });

  test('more than five tags are refused', async () => {
    expect(await audience('a,b,c,d,e,f')).toMatchObject({ status: 400, code: 'invalid' });
  });
});

test('texts longer than a question can be are refused', async () => {
  for (const typed of [{ title: 'x'.repeat(201) }, { content: 'x'.repeat(2001) }, { title: 'a\u0000b' }])
    expect(await bob.post('/questions/similar', typed)).toMatchObject({ status: 400, code: 'invalid' });
});

test('a flood of comparisons is refused with when to come back', async () => {
  const eve = await server.register('Eve');
  const statuses = new Set<number>();
  for (let n = 0; n < 130; n++) {
    const answers = await Promise.all(Array.from({ length: 10 }, () => eve.post('/questions/similar', {})));
    for (const { status } of answers) statuses.add(status);
  }
  expect([...statuses].toSorted((a, b) => a - b)).toEqual([200, 429]);
});
