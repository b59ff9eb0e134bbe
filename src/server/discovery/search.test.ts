import { sql } from 'kysely';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestServer } from '#tests/support/server.ts';
import type { SearchKind, SearchResults, SearchSort } from '#shared/discovery/search.ts';

// Each test starts with an empty community, because the forgiveness for typing errors depends on all posts.
const server = await startTestServer();
afterAll(() => server.stop());
const ann = await server.register('Ann');
const bob = await server.register('Bob Marley');
beforeEach(async () => {
  await server.resetRateLimits();
  await sql`delete from question`.execute(server.db);
});

type Wanted = { in?: SearchKind; sort?: SearchSort; cursor?: string };

async function search(q: string, wanted: Wanted = {}): Promise<SearchResults> {
  const { status, body } = await bob.get<SearchResults>(
    `/search?${new URLSearchParams({ q, ...wanted }).toString()}`,
  );
  expect(status).toBe(200);
  return body;
}

const found = async (q: string, wanted: Wanted = {}) =>
  (await search(q, wanted)).questions.map(({ title }) => title);

/** Returns exact matches only, without those that forgive typing errors. */
async function matches(q: string): Promise<string[]> {
  const { questions, corrected } = await search(q);
  return corrected ? [] : questions.map(({ title }) => title).toSorted();
}

const plain = { content: 'Nothing to see.', tags: [] };
const ask = (title: string, more: { content?: string; tags?: string[] } = {}) =>
  ann.ask({ ...plain, title, ...more });

describe('finds a question', () => {
  test.each(['script', 'SCRIPT', 'avaScr', 'javascript', ' JavaScript '])(
    'by %j as a part of a word, without case, in its title, tags or text',
    async (query) => {
      await ask('Why JavaScript?');
      await ask('Which language?', { tags: ['JavaScript'] });
      await ask('What is this?', { content: 'It says JavaScript.' });
      await ask('Something else');
      expect(await matches(query)).toEqual(['What is this?', 'Which language?', 'Why JavaScript?']);
    },
  );

  test.each(['node_mod', 'NODE_MOD', 'ode_m', 'e.target.val', "on't", '0.15', '🦊', 'ue-rou'])(
    'by %j as a part of words with signs',
    async (query) => {
      await ask('Where is node_modules?', {
        content: "I don't know e.target.value of 10.15 🦊🦝",
        tags: ['vue-router'],
      });
      await ask('Which fox?', { content: 'No signs here' });
      expect(await matches(query)).toEqual(['Where is node_modules?']);
    },
  );

  test.each([
    'baking bread',
    'breads baked',
    'oven bread',
    'bread, ovens!',
    'how to bake the bread',
    'baker Bread ovens sourdoughs',
  ])('by the words of %j in any order and inflection, in any of its texts', async (query) => {
    await ask('How is bread baked?', { content: 'In an oven, says the baker.', tags: ['sourdough'] });
    await ask('How is bread eaten?');
    expect((await matches(query))[0]).toBe('How is bread baked?');
    expect(await matches(query)).toHaveLength(1);
  });

  test('by most of three or more words, after those with all, also if an answer has them', async () => {
    const answered = await ask('What is a starter?');
    await ann.answer(answered, 'Sourdough rises with it.');
    await ask('Does sourdough rise?');
    await ask('Does sourdough rise in winter?');
    await ask('Is winter cold?');
    expect(await found('sourdough rising winters')).toEqual([
      'Does sourdough rise in winter?',
      'Does sourdough rise?',
      'What is a starter?',
    ]);
  });

  test('only if it has both of two words', async () => {
    await ask('How is bread baked?');
    expect(await matches('baking cakes')).toEqual([]);
  });

  test('by a phrase before those that have its words apart', async () => {
    await ask('Is the valley full of silicon?');
    const phrase = await ask('Why Silicon Valley?');
    await ask('Silicon in every valley?');
    expect((await search('silicon valley')).questions[0]?.id).toBe(phrase);
    expect((await search('silicon valley')).total).toBe(3);
  });
});

test('ranks titles before tags before text, and in each the typed form before inflected ones', async () => {
  await ask('text, inflected', { content: 'She climbs.' });
  await ask('text', { content: 'She is climbing.' });
  await ask('tag, inflected', { tags: ['climbs'] });
  await ask('tag', { tags: ['climbing'] });
  await ask('Who climbs?');
  await ask('Who is climbing?');
  const inPlaces = ['Who is climbing?', 'Who climbs?', 'tag', 'tag, inflected', 'text', 'text, inflected'];
  expect(await found('climbing')).toEqual(inPlaces);
  const [last] = (await search('climbing')).questions.slice(-1);
  await bob.vote('questions', last?.id ?? 0, 'up');
  expect(await found('climbing')).toEqual(inPlaces);
});

test('ranks whole words before parts of words within a group, then by upvotes', async () => {
  await ask('JavaScript');
  await ask('A script');
  const popular = await ask('Another script');
  await ask('TypeScript');
  await bob.vote('questions', popular, 'up');
  expect(await found('script')).toEqual(['Another script', 'A script', 'TypeScript', 'JavaScript']);
});

describe('typing errors', () => {
  test('are forgiven when nothing else matches, and the response says so', async () => {
    await ask('Growing chrysanthemums indoors');
    await ask('Growing roses');
    expect(await search('chrisantemums indors')).toMatchObject({
      corrected: true,
      total: 1,
      questions: [{ title: 'Growing chrysanthemums indoors' }],
    });
  });

  test.each(['debuonce serach', 'debounce saerch'])('such as swapped letters: %s', async (query) => {
    await ask('How do I debounce a search box?');
    await ask('How do I bounce a ball?');
    expect(await search(query)).toMatchObject({
      corrected: true,
      total: 1,
      questions: [{ title: 'How do I debounce a search box?' }],
    });
  });

  test('are not forgiven if something matches as typed', async () => {
    await ask('Growing chrysanthemums indoors');
    const typo = await ask('My chrisantemums', {});
    expect(await search('chrisantemums')).toMatchObject({
      corrected: false,
      total: 1,
      questions: [{ id: typo }],
    });
  });

  test('beyond the limit give suggestions: similar tags and questions', async () => {
    await ask('Growing chrysanthemums indoors', { tags: ['chrysanthemum'] });
    const { total, questions, suggestions } = await search('chrysantemum zzqxw vvkpt');
    expect({ total, questions }).toEqual({ total: 0, questions: [] });
    expect(suggestions.tags).toEqual(['chrysanthemum']);
    expect(suggestions.questions.map(({ title }) => title)).toEqual(['Growing chrysanthemums indoors']);
  });
});

describe('searches for every character as it is', () => {
  test.each([
    ['%', '100% sure', '100 sure'],
    ['100%', '100% sure', '1000 sure'],
    ['a_b', 'the a_b rule', 'the axb rule'],
    ['_', 'the a_b rule', 'the axb rule'],
    ['\\', String.raw`C:\Windows`, 'C:/Windows'],
    [String.raw`\n`, String.raw`A line ends with \n`, 'A line ends with n'],
    ["'", "it's here", 'it is here'],
    ["it's here", "it's here", 'something here'],
    ['"', 'the "lean" way', 'the lean way'],
    ['"lean"', 'the "lean" way', 'the green way'],
    ['&', 'this & that', 'this and that'],
    ['R&D', 'R&D costs', 'research costs'],
    ['|', 'this | that', 'this or that'],
    ['!', 'Stop!', 'Stop.'],
    ['!stop', 'Now !stop', 'Something else'],
    ['(', 'this (or that', 'this or that'],
    [')', 'this) or that', 'this or that'],
    ['f(x)', 'What is f(x)?', 'What is g?'],
    [':', 'this: that', 'this that'],
    ['a:*', 'what is a:* here', 'what is b here'],
    ['*', 'a * b', 'a b'],
    ['<', 'a < b', 'a b'],
    ['<->', 'a <-> b', 'a b'],
    ['<b>', 'the <b> element', 'the i element'],
    ['c++', 'c++ or rust', 'vitamin c'],
    ['rust c++', 'c++ or rust', 'c or rust'],
    ['C#', 'Learning c#', 'Learning c'],
    ['.net', 'Learning .NET', 'Casting a net'],
    ['learn .net', 'Learning .NET', 'Learning to cast a net'],
    ['asp.net', 'ASP.NET hosting', 'ASP hosting'],
    ['$40', 'It costs $40', 'It costs 40'],
    ['?', 'Why?', 'Because'],
    [']', 'a[0]', 'a 0'],
    ['{}', 'an empty {}', 'an empty set'],
    ['^', '2^8', '2 8'],
    ['~', '~/bin', '/bin'],
    ['🚀', 'To the moon 🚀', 'To the moon'],
    ['ÉTÉ', "C'est l'été", 'In summer'],
    ['商标', '如何为初创公司注册商标？', '远程团队如何工作？'],
    ['商标 注册', '如何为初创公司注册商标？', '如何选择商标？'],
    ['علامة', 'كيف أسجل علامة تجارية؟', 'كيف أبدأ شركة؟'],
    ['تجارية علامة', 'كيف أسجل علامة تجارية؟', 'ما هي علامة النجاح؟'],
    ['صغير تمويل', 'ما هي أفضل طريقة لتمويل مشروع صغير؟', 'هل مشروعي صغير؟'],
    ['КНИГИ', 'Какие книги читать?', 'Что читать?'],
  ])('%s', async (query, title, beside) => {
    await ask(title);
    await ask(beside);
    expect((await matches(query))[0]).toBe(title);
    expect((await search(query)).questions[0]?.title).toBe(title);
    expect(await search(query, { in: 'answers' })).toMatchObject({ total: 0 });
    expect(await search(query, { in: 'users' })).toMatchObject({ total: 0 });
  });

  test.each(['c++', 'C#', '.net', '商标 注册', 'تجارية علامة', '%', '_', '\\'])(
    'does not match %s to what only looks similar',
    async (query) => {
      for (const title of ['vitamin c', 'c sharp', 'a net', '注册', 'علامة', 'anything']) await ask(title);
      expect(await matches(query)).toEqual([]);
    },
  );
});

test.each(['', ' ', '\t\n', '\u3000'])(
  'returns nothing for a blank query (%j), for every kind',
  async (query) => {
    await ask('Anything');
    for (const kind of ['questions', 'answers', 'users'] as const)
      expect(await search(query, { in: kind })).toEqual({
        in: kind,
        highlights: [],
        unknownTerms: [],
        questions: [],
        answers: [],
        users: [],
        total: 0,
        corrected: false,
        suggestions: { tags: [], questions: [] },
        nextCursor: null,
      });
  },
);

test('finds answers by their text, the typed form before inflected ones, with their question', async () => {
  const id = await ask('Which mountain?');
  const inflected = await ann.answer(id, 'I was climbing.');
  const typed = await ann.answer(id, 'You can climb any.');
  await ann.answer(id, 'None.');
  const { answers, questions, total } = await search('climb', { in: 'answers' });
  expect(answers.map((answer) => answer.id)).toEqual([typed.id, inflected.id]);
  expect(answers[0]).toMatchObject({ questionId: id, questionTitle: 'Which mountain?', authorName: 'Ann' });
  expect({ questions, total }).toEqual({ questions: [], total: 2 });
});

test('finds users by a part of their name, without case; names that begin with it come first', async () => {
  const inside = await server.register('Old Marlowe');
  const first = await server.register('Marlene');
  const { users, total } = await search('MARL', { in: 'users' });
  expect(total).toBe(3);
  expect(users[0]).toMatchObject({ id: first.id, displayName: 'Marlene' });
  expect(users.map(({ id }) => id).toSorted((a, b) => a - b)).toEqual([bob.id, inside.id, first.id]);
});

test('sorts results by relevance, by time or by upvotes', async () => {
  const inText = await ask('One', { content: 'A glacier.' });
  const popular = await ask('Two', { content: 'Another glacier.' });
  const title = await ask('A glacier, three');
  const newest = await ask('Four', { content: 'The last glacier.' });
  await bob.vote('questions', popular, 'up');
  const order = async (sort: SearchSort) => (await search('glacier', { sort })).questions.map(({ id }) => id);
  expect(await order('relevance')).toEqual([title, popular, newest, inText]);
  expect(await order('recent')).toEqual([newest, title, popular, inText]);
  expect(await order('popular')).toEqual([popular, newest, title, inText]);
});

test.each<SearchSort>(['relevance', 'recent', 'popular'])(
  'pages through all results by %s without gaps or duplicates',
  async (sort) => {
    const asked: number[] = [];
    for (let n = 0; n < 45; n++) {
      // Nearly as many as a new member can ask before the rate limit applies.
      if (n === 25) await server.resetRateLimits();
      asked.push(await ask(`Pebble ${n % 3}`, { tags: ['pebbles'] }));
    }
    const pages: number[][] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const page = await search('pebble', { sort, ...(cursor !== '' && { cursor }) });
      expect(page.total).toBe(45);
      pages.push(page.questions.map(({ id }) => id));
      cursor = page.nextCursor;
    }
    expect(pages.map((page) => page.length)).toEqual([20, 20, 5]);
    expect(pages.flat().toSorted((a, b) => a - b)).toEqual(asked);
  },
);

test('refuses a query that is too long or has control characters', async () => {
  for (const q of ['x'.repeat(201), 'a\u0000b'])
    expect(await bob.get(`/search?${new URLSearchParams({ q }).toString()}`)).toMatchObject({
      status: 400,
      kind: 'invalid',
    });
});
