import { sql } from 'kysely';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { findViolations } from '#server/operations/integrity-check.ts';
import { expectOk, type Member } from '#tests/support/member.ts';
import { startTestServer } from '#tests/support/server.ts';
import type { Bookmark, BookmarkLists, Bookmarks } from '#shared/engagement/bookmarks.ts';
import { limits } from '#shared/core/limits.ts';

const server = await startTestServer();
afterAll(() => server.stop());
let ann: Member;
let bob: Member;
// Each test registers its own members, because the page lists all bookmarks of a member.
beforeEach(async () => {
  [ann, bob] = await server.registerAll('Ann', 'Bob');
});

const pageOf = async (member: Member, query = '') =>
  expectOk(await member.get<Bookmarks>(`/bookmarks${query}`));
const bookmarksOf = async (member: Member, query = '') => (await pageOf(member, query)).items;
const titlesOf = (items: readonly Bookmark[]) => items.map(({ title }) => title);
const listsOf = async (member: Member) => expectOk(await member.get<BookmarkLists>('/bookmark-lists'));
const listNamed = async (member: Member, name: string) =>
  expectOk(await member.post<{ id: number }>('/bookmark-lists', { name })).id;
const letGo = (member: Member, questionId: number) =>
  member.put(`/questions/${questionId}/bookmark`, { bookmarked: false });

test('bookmarks questions and answers and lists them newest first with the fields of a card', async () => {
  const question = await ann.ask({ title: 'Does bread freeze?', content: '**White** bread.' });
  const answer = await bob.answer(question, 'Yes, *sliced*.');
  await ann.bookmark('questions', question);
  await ann.bookmark('answers', answer.id, { note: ' For Sunday ' });
  expect(await bookmarksOf(ann)).toEqual([
    {
      id: expect.any(Number),
      questionId: question,
      answerId: answer.id,
      title: 'Does bread freeze?',
      excerpt: 'Yes, sliced.',
      excerptCut: false,
      authorId: bob.id,
      authorName: 'Bob',
      authorAvatar: null,
      authorIsBot: false,
      note: 'For Sunday',
      listIds: [],
      bookmarkedAt: expect.any(String),
    },
    expect.objectContaining({ answerId: null, excerpt: 'White bread.', authorName: 'Ann', note: '' }),
  ]);
});

test('shows bookmarks only to their member: others see no mark, no count and no bookmark', async () => {
  const question = await ann.ask();
  const answer = await ann.answer(question);
  const before = await bob.read(question);
  const id = await ann.bookmark('questions', question, { note: 'Secret' });
  await ann.bookmark('answers', answer.id);
  expect(await bob.read(question)).toEqual(before);
  expect(await bookmarksOf(bob)).toEqual([]);
  const mine = await ann.read(question);
  expect([mine.question.bookmarked, mine.answers.items[0]?.bookmarked]).toEqual([true, true]);
  expect(await bob.put(`/bookmarks/${id}/note`, { note: 'Mine now' })).toMatchObject({ status: 404 });
  expect(await bob.put(`/bookmarks/${id}/lists`, { listIds: [] })).toMatchObject({ status: 404 });
  expect((await bookmarksOf(ann)).map(({ note }) => note)).toEqual(['', 'Secret']);
});

test('bookmarks a post once when repeated, and keeps its note, lists and position', async () => {
  const question = await ann.ask({ title: 'First' });
  const id = await ann.bookmark('questions', question, { note: 'Mine' });
  await ann.bookmark('questions', await ann.ask({ title: 'Second' }));
  expect(await ann.bookmark('questions', question, { note: 'Other' })).toBe(id);
  expect((await bookmarksOf(ann)).map(({ title, note }) => [title, note])).toEqual([
    ['Second', ''],
    ['First', 'Mine'],
  ]);
});

test('bookmarks a post once when requests run at the same time', async () => {
  const question = await ann.ask();
  const ids = await Promise.all(Array.from({ length: 8 }, () => ann.bookmark('questions', question)));
  expect(new Set(ids).size).toBe(1);
  expect(await bookmarksOf(ann)).toHaveLength(1);
});

test('returns the stored note and lists when the post is already bookmarked', async () => {
  const list = await listNamed(ann, 'Reading');
  const question = await ann.ask();
  await ann.bookmark('questions', question, { note: 'From the phone', listIds: [list] });
  const again = await ann.put(`/questions/${question}/bookmark`, { bookmarked: true });
  expect(again.body).toEqual({
    bookmarked: true,
    id: expect.any(Number),
    note: 'From the phone',
    listIds: [list],
  });
  expect((await letGo(ann, question)).body).toEqual({ bookmarked: false, id: null, note: '', listIds: [] });
});

test('restores a removed bookmark with its note, lists and position', async () => {
  const list = await listNamed(ann, 'Baking');
  const [first, second] = [await ann.ask({ title: 'First' }), await ann.ask({ title: 'Second' })];
  await ann.bookmark('questions', first, { note: 'Mine', listIds: [list] });
  await ann.bookmark('questions', second);
  const before = await bookmarksOf(ann);
  await letGo(ann, first);
  expect(titlesOf(await bookmarksOf(ann))).toEqual(['Second']);
  const { note, listIds, bookmarkedAt } = before[1]!;
  await ann.bookmark('questions', first, { note, listIds, bookmarkedAt });
  expect(await bookmarksOf(ann)).toEqual([before[0], { ...before[1], id: expect.any(Number) }]);
});

test('does not accept a bookmark time in the future', async () => {
  await ann.bookmark('questions', await ann.ask(), { bookmarkedAt: '2999-01-01T00:00:00.000Z' });
  const [bookmark] = await bookmarksOf(ann);
  expect(new Date(bookmark!.bookmarkedAt).getTime()).toBeLessThan(Date.now() + 60_000);
});

test('changes nothing when it removes a bookmark that does not exist', async () => {
  expect(await letGo(ann, await ann.ask())).toMatchObject({ status: 200, body: { bookmarked: false } });
  expect(await letGo(ann, 999_999_999)).toMatchObject({ status: 404 });
});

test('deletes the bookmarks of a deleted answer, and of a deleted question and its answers', async () => {
  const question = await ann.ask();
  const [one, other] = [await bob.answer(question), await bob.answer(question)];
  await ann.bookmark('questions', question);
  await ann.bookmark('answers', one.id, { listIds: [await listNamed(ann, 'Baking')] });
  await ann.bookmark('answers', other.id);
  await bob.remove('answers', one.id);
  expect(await bookmarksOf(ann)).toHaveLength(2);
  await ann.remove('questions', question);
  expect(await bookmarksOf(ann)).toEqual([]);
  expect((await listsOf(ann)).items.map(({ count }) => count)).toEqual([0]);
  expect(await findViolations(server.db)).toEqual([]);
});

test('pages through all bookmarks without gaps or duplicates while new ones are added', async () => {
  const ids: number[] = [];
  for (let n = 0; n < 45; n++) {
    const question = await (n % 2 === 0 ? ann : bob).ask({ title: `Question ${n}` });
    ids.unshift(question);
    await ann.bookmark('questions', question);
  }
  const seen: number[] = [];
  let cursor: string | null = '';
  for (let page = 0; cursor !== null; page++) {
    const { items, nextCursor }: Bookmarks = await pageOf(ann, cursor === '' ? '' : `?cursor=${cursor}`);
    seen.push(...items.map(({ questionId }) => questionId));
    cursor = nextCursor;
    if (page === 0) await ann.bookmark('questions', await bob.ask());
  }
  expect(seen).toEqual(ids);
});

describe('a note', () => {
  test('is trimmed, can be empty, and has at most 500 code points', async () => {
    const id = await ann.bookmark('questions', await ann.ask());
    const noted = (note: string) => ann.put(`/bookmarks/${id}/note`, { note });
    expect(await noted(`  ${'🍞'.repeat(limits.bookmarkNote)} `)).toMatchObject({ status: 200 });
    expect(Array.from((await bookmarksOf(ann))[0]!.note)).toHaveLength(500);
    expect(await noted('🍞'.repeat(501))).toMatchObject({
      status: 400,
      detail: 'Note must be 500 characters or fewer',
    });
    expect(await noted('')).toMatchObject({ status: 200, body: { note: '' } });
  });

  test("is found by its words, as titles are, but not by the words of posts or of other members' notes", async () => {
    await ann.bookmark('questions', await ann.ask({ title: 'Rye or wheat?' }), {
      note: 'ask 100% of Grandma',
    });
    await ann.bookmark('questions', await ann.ask({ title: 'Does bread freeze?', content: 'Wheat bread.' }));
    await bob.bookmark('questions', await ann.ask({ title: 'Wheat?' }), { note: 'Grandma' });
    expect(titlesOf(await bookmarksOf(ann, '?q=grandma'))).toEqual(['Rye or wheat?']);
    expect(titlesOf(await bookmarksOf(ann, '?q=WHEAT'))).toEqual(['Rye or wheat?']);
    expect(titlesOf(await bookmarksOf(ann, '?q=100%25%20of'))).toEqual(['Rye or wheat?']);
    expect(await bookmarksOf(ann, '?q=_%25_')).toEqual([]);
  });
});

describe('lists', () => {
  test('count their bookmarks; a bookmark can be in several lists or in none', async () => {
    const [baking, reading] = [await listNamed(ann, 'Baking'), await listNamed(ann, 'Reading')];
    const id = await ann.bookmark('questions', await ann.ask({ title: 'In both' }), {
      listIds: [baking, reading],
    });
    await ann.bookmark('questions', await ann.ask({ title: 'In none' }));
    expect(await listsOf(ann)).toEqual({
      items: [
        { id: baking, name: 'Baking', count: 1 },
        { id: reading, name: 'Reading', count: 1 },
      ],
      total: 2,
    });
    expect(titlesOf(await bookmarksOf(ann, `?list=${reading}`))).toEqual(['In both']);
    expect(await ann.put(`/bookmarks/${id}/lists`, { listIds: [baking] })).toMatchObject({ status: 200 });
    expect(await bookmarksOf(ann, `?list=${reading}`)).toEqual([]);
    expect(titlesOf(await bookmarksOf(ann))).toEqual(['In none', 'In both']);
  });

  test('of other members can be neither read nor changed', async () => {
    const list = await listNamed(bob, 'Baking');
    const id = await ann.bookmark('questions', await ann.ask(), { listIds: [list] });
    expect((await bookmarksOf(ann))[0]?.listIds).toEqual([]);
    expect(await ann.put(`/bookmarks/${id}/lists`, { listIds: [list] })).toMatchObject({ status: 400 });
    expect(await ann.get(`/bookmarks?list=${list}`)).toMatchObject({ status: 404 });
    expect(await ann.put(`/bookmark-lists/${list}`, { name: 'Mine' })).toMatchObject({ status: 404 });
    expect(await ann.delete(`/bookmark-lists/${list}`)).toMatchObject({ status: 404 });
    expect((await listsOf(bob)).items).toEqual([{ id: list, name: 'Baking', count: 0 }]);
  });

  test('of one member have unique names, compared without case; creating one twice creates one', async () => {
    const [id, other] = [await listNamed(ann, 'Baking'), await listNamed(ann, 'Reading')];
    expect(await listNamed(ann, ' BAKING ')).toBe(id);
    expect(await ann.put(`/bookmark-lists/${other}`, { name: 'baking' })).toMatchObject({
      status: 400,
      detail: 'You already have a list with this name',
    });
    expect(await ann.put(`/bookmark-lists/${id}`, { name: 'baking' })).toMatchObject({ status: 200 });
    expect((await listsOf(ann)).items.map(({ name }) => name)).toEqual(['baking', 'Reading']);
    expect(await listNamed(bob, 'Baking')).not.toBe(id);
  });

  test('are deleted without their bookmarks', async () => {
    const list = await listNamed(ann, 'Baking');
    await ann.bookmark('questions', await ann.ask(), { listIds: [list] });
    expect(await ann.delete(`/bookmark-lists/${list}`)).toMatchObject({ status: 204 });
    expect((await bookmarksOf(ann)).map(({ listIds }) => listIds)).toEqual([[]]);
  });

  test('are limited to 100', async () => {
    await sql`
      insert into bookmark_list (member_id, name, key)
      select ${ann.id}, n::text, n::text from generate_series(1, 99) n`.execute(server.db);
    const made = await Promise.all(
      ['a', 'b', 'c'].map(async (name) => (await ann.post('/bookmark-lists', { name })).status),
    );
    expect(made.toSorted((a, b) => a - b)).toEqual([201, 403, 403]);
  });
});

test('limits a member to 5,000 bookmarks without affecting others', async () => {
  const [question, more] = [await ann.ask(), await ann.ask()];
  await sql`
    with asked as (
      insert into question (author_id, title, content, excerpt, excerpt_cut)
      select ${bob.id}, 'Many', 'Many', 'Many', false from generate_series(1, 4999) returning id
    )
    insert into bookmark (member_id, question_id) select ${ann.id}, id from asked`.execute(server.db);
  await sql`update member set questions_count = 4999 where id = ${bob.id}`.execute(server.db);
  await ann.bookmark('questions', question);
  expect(await ann.put(`/questions/${more}/bookmark`, { bookmarked: true })).toMatchObject({
    status: 403,
    detail: 'You can save up to 5,000 bookmarks. Remove some to add others.',
  });
  await bob.bookmark('questions', more);
  expect((await listsOf(ann)).total).toBe(5000);
});
