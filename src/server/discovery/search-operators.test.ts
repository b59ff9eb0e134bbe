import { sql } from 'kysely';
import { afterAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { startTestServer } from '#tests/support/server.ts';
import type { InstantResults, HighlightedText, SearchKind, SearchResults } from '#shared/discovery/search.ts';

const server = await startTestServer();
afterAll(() => server.stop());
const ann = await server.register('Ann Lee');
const bob = await server.register('Bob Marley');
beforeEach(async () => {
  await server.resetRateLimits();
  await sql`delete from question`.execute(server.db);
});

async function search(q: string, wanted: { in?: SearchKind; sort?: string } = {}): Promise<SearchResults> {
  const { status, body } = await bob.get<SearchResults>(
    `/search?${new URLSearchParams({ q, ...wanted }).toString()}`,
  );
  expect(status).toBe(200);
  return body;
}

const titles = async (q: string) => (await search(q)).questions.map(({ title }) => title).toSorted();

type Question = { content?: string; tags?: string[] };
const ask = (title: string, more: Question = {}, by = ann) =>
  by.ask({ content: 'Nothing to see.', tags: [], ...more, title });

describe('narrows questions', () => {
  test('by tags, all of which must be present or absent, without case', async () => {
    await ask('Both', { tags: ['Rust', 'async'] });
    await ask('One', { tags: ['rust'] });
    await ask('Spaced', { tags: ['two words'] });
    expect(await titles('[rust]')).toEqual(['Both', 'One']);
    expect(await titles('[rust][async]')).toEqual(['Both']);
    expect(await titles('[rust] -[async]')).toEqual(['One']);
    expect(await titles('tag:"two words"')).toEqual(['Spaced']);
  });

  test('by author: the viewer, a name, the beginning of a name, an id', async () => {
    await ask('By Ann');
    await ask('By Bob', {}, bob);
    expect(await titles('user:me')).toEqual(['By Bob']);
    expect(await titles('user:"ann lee"')).toEqual(['By Ann']);
    expect(await titles('user:bob')).toEqual(['By Bob']);
    expect(await titles(`user:${ann.id}`)).toEqual(['By Ann']);
    expect(await titles('by -user:me')).toEqual(['By Ann']);
    expect(await titles('is:question -user:me')).toEqual(['By Ann']);
  });

  test('by an id of digits, or by a name of the same digits in quotation marks', async () => {
    await sql`update member set display_name = ${String(ann.id)} where id = ${bob.id}`.execute(server.db);
    onTestFinished(async () => {
      await sql`update member set display_name = 'Bob Marley' where id = ${bob.id}`.execute(server.db);
    });
    await ask('By Ann');
    await ask('By Bob', {}, bob);
    expect(await titles(`user:${ann.id}`)).toEqual(['By Ann']);
    expect(await titles(`user:"${ann.id}"`)).toEqual(['By Bob']);
    expect(await titles(`by -user:"${ann.id}"`)).toEqual(['By Ann']);
  });

  test('by answers, votes and views', async () => {
    const answered = await ask('Answered');
    await ask('Unanswered');
    const { id: answerId } = await bob.answer(answered, 'Because.');
    await bob.vote('questions', answered, 'up');
    await bob.put(`/questions/${answered}/view`);
    expect(await titles('is:solved')).toEqual([]);
    await ann.put(`/questions/${answered}/accepted-answer`, { answerId });
    expect(await titles('is:solved')).toEqual(['Answered']);
    expect(await titles('is:answered')).toEqual(['Answered']);
    expect(await titles('is:unanswered')).toEqual(['Unanswered']);
    expect(await titles('answers:0')).toEqual(['Unanswered']);
    expect(await titles('answers:1..3')).toEqual(['Answered']);
    expect(await titles('score:1')).toEqual(['Answered']);
    expect(await titles('score:..0')).toEqual(['Unanswered']);
    expect(await titles('views:1')).toEqual(['Answered']);
    expect(await titles('views:0')).toEqual(['Answered', 'Unanswered']);
  });

  test('by the day they were posted', async () => {
    const old = await ask('Old');
    await ask('New');
    await sql`update question set created_at = '2024-02-29T23:59:59Z' where id = ${old}`.execute(server.db);
    expect(await titles('created:2024')).toEqual(['Old']);
    expect(await titles('created:2024-02-29')).toEqual(['Old']);
    expect(await titles('created:2024-03..')).toEqual(['New']);
    expect(await titles('created:..2024-02')).toEqual(['Old']);
    expect(await titles('created:1w')).toEqual(['New']);
    expect(await titles('created:..1w')).toEqual(['Old']);
  });

  test('by phrases and excluded words, combined with other operators', async () => {
    await ask('Baking bread fast', { tags: ['oven'] });
    await ask('Bread that bakes slow', { tags: ['oven'] });
    await ask('Fast baking, stale bread', { tags: ['oven'] });
    expect(await titles('"baking bread"')).toEqual(['Baking bread fast']);
    expect(await titles('bread -slow')).toEqual(['Baking bread fast', 'Fast baking, stale bread']);
    expect(await titles('[oven] -"baking bread"')).toEqual([
      'Bread that bakes slow',
      'Fast baking, stale bread',
    ]);
    expect(
      await titles('[oven] baked is:unanswered "bread" -stale -slow user:ann score:0 created:1d'),
    ).toEqual(['Baking bread fast']);
  });
});

test('lists the newest first and counts them when the query has only operators', async () => {
  for (let n = 1; n <= 23; n++) await ask(`Pebble ${n}`, { tags: ['pebbles'] });
  const { questions, total, nextCursor } = await search('[pebbles]');
  expect(total).toBe(23);
  expect(questions.map(({ title }) => title).slice(0, 2)).toEqual(['Pebble 23', 'Pebble 22']);
  expect(nextCursor).not.toBeNull();
});

test('searches answers with is:answer: their author, text and votes, and the tags of their question', async () => {
  const id = await ask('Which mountain?', { tags: ['hills'] });
  const mine = await bob.answer(id, 'I was climbing.');
  await ann.answer(id, 'I was not.');
  for (const q of [
    'is:answer climb',
    'is:answer user:me',
    'is:answer [hills] "climbing"',
    '[hills] is:a -not',
  ]) {
    const found = await search(q);
    expect(found.in).toBe('answers');
    expect(found.answers.map((answer) => answer.id)).toEqual([mine.id]);
  }
  expect((await search('is:answer score:1')).total).toBe(0);
  await ann.vote('answers', mine.id, 'up');
  expect((await search('is:answer score:1', { in: 'users', sort: 'popular' })).total).toBe(1);
  expect(await search('is:question mountain', { in: 'answers' })).toMatchObject({
    in: 'questions',
    total: 1,
  });
});

test('searches for the name of an unknown tag or member as words, and reports it as unknown', async () => {
  await ask('What is [object Object]?');
  expect(await search('[object Object]')).toMatchObject({ total: 1, unknownTerms: ['[object Object]'] });
  expect(await search('user:nobody -[nothing] what')).toMatchObject({
    total: 0,
    unknownTerms: ['user:nobody', '-[nothing]'],
  });
});

test.each(['scroe:5', 'is:fun', '-webkit', 'score:x'])(
  'searches for %s as typed, because it is not an operator',
  async (text) => {
    await ask(`Why ${text} here?`);
    await ask('Why here?');
    expect(await titles(text)).toEqual([`Why ${text} here?`]);
  },
);

describe('highlights matches', () => {
  const show = (text: HighlightedText | null | undefined) =>
    text?.map((part) => (part.highlighted ? `<${part.text}>` : part.text)).join('') ?? null;
  const hit = async (q: string, wanted: { in?: SearchKind } = {}) => {
    const found = (await search(q, wanted)).highlights[0];
    return [show(found?.title), show(found?.text)];
  };

  test.each([
    ['script', 'Why Java<Script>?', null],
    ['baking breads', 'How is <bread> <baked>?', null],
    ['how to bake the bread', 'How is <bread> <baked>?', null],
    ['"is bread"', 'How <is bread> baked?', null],
    ['c', 'Is vitamin <C> a Cat?', null],
    ['c++', 'Is vitamin C a <C++>?', null],
    ['商标', '如何为初创公司注册<商标>？', null],
    ['[bread] baked', 'How is bread <baked>?', null],
  ])('%s', async (q, title) => {
    await ask(title.replaceAll(/[<>]/g, ''), { tags: ['bread'] });
    const [found] = await hit(q);
    expect(found).toBe(title);
  });

  test('in a part of the text around the match, without Markdown marks', async () => {
    const before = 'Some words that come before it. '.repeat(30);
    await ask('Stairs', {
      content: `${before}\n\n**Never** use a [glass](https://example.org) <b>staircase</b>, \`or\` two.`,
    });
    const [title, text] = await hit('glass staircases');
    expect(title).toBe('Stairs');
    expect(text).toContain('Never use a <glass> <b><staircase></b>, or two.');
    expect(text).toMatch(/^… /u);
    expect(text?.length).toBeLessThan(320);
  });

  test('in code, if that is the only match', async () => {
    await ask('Loop', { content: 'Why does this end?\n\n```js\nwhile (banana) wait();\n```' });
    expect(await hit('banana')).toEqual(['Loop', 'while (<banana>) wait();']);
  });

  test('in answers', async () => {
    const id = await ask('Which mountain?');
    await ann.answer(id, 'I *was* climbing.');
    expect(await hit('climbs', { in: 'answers' })).toEqual(['Which mountain?', 'I was <climbing>.']);
  });

  test('but not for a query of operators only', async () => {
    await ask('Stairs', { tags: ['steps'] });
    expect((await search('[steps]')).highlights).toEqual([]);
  });
});

describe('suggestions while typing', () => {
  const instantly = async (q: string) => {
    const { status, body } = await bob.get<InstantResults>(
      `/search/instant?${new URLSearchParams({ q }).toString()}`,
    );
    expect(status).toBe(200);
    return body;
  };

  test('list questions by the beginning of their title, a part of it and their words, and tags and members by name', async () => {
    await ask('Where are marbles made?', { tags: ['marble runs'] });
    await ask('Marbles: how many?');
    const { questions, tags, members } = await instantly('MARB');
    expect(questions.map(({ title }) => title)).toEqual(['Marbles: how many?', 'Where are marbles made?']);
    expect(tags).toEqual([{ tag: 'marble runs', questionsCount: 1 }]);
    expect(members).toEqual([]);
    expect((await instantly('made marb')).questions).toHaveLength(1);
    expect((await instantly('marl')).members).toEqual([{ id: bob.id, displayName: 'Bob Marley' }]);
    expect((await instantly('@bo')).members).toEqual([{ id: bob.id, displayName: 'Bob Marley' }]);
  });

  test('list entries that start with one or two letters', async () => {
    await ask('Marbles: how many?', { tags: ['ma'] });
    const { questions, tags } = await instantly('ma');
    expect(questions.map(({ title }) => title)).toEqual(['Marbles: how many?']);
    expect(tags[0]?.tag).toBe('ma');
  });

  test.each(['', '  ', '%', '_', "'", '&|!():*<->', '\\', '🚀', "it's:*"])('accept %j', async (q) => {
    await ask('Something else');
    expect((await instantly(q)).questions).toEqual([]);
  });
});
