import { sql } from 'kysely';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { findViolations } from '#server/operations/integrity-check.ts';
import { expectOk, type Member } from '#tests/support/member.ts';
import { startTestServer } from '#tests/support/server.ts';
import type { Feed } from '#shared/discovery/feeds.ts';
import type { FeedPage, MutedQuestions, MutedTags } from '#shared/engagement/mutes.ts';
import type { QuestionCards } from '#shared/posts/questions.ts';
import type { Notifications } from '#shared/notifications/notifications.ts';
import type { SearchResults } from '#shared/discovery/search.ts';
import type { FollowedTag } from '#shared/discovery/tags.ts';
import { feedWindow } from './mutes-filter.ts';

// Each test starts with an empty community, because a feed shows all questions.
const server = await startTestServer();
afterAll(() => server.stop());
let ann: Member;
let bob: Member;
let eve: Member;
beforeEach(async () => {
  await server.resetRateLimits();
  await sql`delete from question`.execute(server.db);
  [ann, bob, eve] = [
    await server.register('Ann'),
    await server.register('Bob'),
    await server.register('Eve'),
  ];
});

const receivedBy = async (member: Member) =>
  expectOk(await member.get<Notifications>('/notifications')).items.map(({ message }) => message);
const idsOf = (page: QuestionCards) => page.items.map(({ id }) => id);
const follow = (member: Member, what: string, following = true) =>
  member.put(`/${what}/follow`, { following });
const readTag = (member: Member, tag: string) => member.readTag(tag);
const mutedTopicsOf = async (member: Member) =>
  expectOk(await member.get<MutedTags>('/mutes/tags')).items.map(({ tag }) => tag);

describe('a muted question', () => {
  test('sends its member no notification of an answer, reply or vote, but notifies others', async () => {
    const id = await ann.ask({ title: 'Does bread freeze?' });
    await follow(bob, `questions/${id}`);
    await ann.mute(`questions/${id}`);
    const answer = await eve.answer(id);
    await ann.answer(id);
    await eve.replyToQuestion(id);
    await eve.vote('questions', id, 'up');
    expect(await receivedBy(ann)).toEqual([]);
    expect(await receivedBy(bob)).toEqual([
      'Ann answered a question you follow: "Does bread freeze?"',
      'Eve answered a question you follow: "Does bread freeze?"',
    ]);
    await ann.replyToAnswer(answer.id);
    expect(await receivedBy(eve)).toEqual(['Ann replied to your answer']);
  });

  test('sends none to a follower, or to those who answered or replied there, and affects no one else', async () => {
    const id = await ann.ask({ title: 'Does bread freeze?' });
    await follow(bob, `questions/${id}`);
    const answer = await bob.answer(id);
    const reply = await bob.replyToAnswer(answer.id);
    await bob.mute(`questions/${id}`);
    await eve.answer(id);
    await eve.replyToAnswer(answer.id, { to: reply });
    await eve.vote('answers', answer.id, 'up');
    await eve.vote('replies', reply.id, 'up');
    expect(await receivedBy(bob)).toEqual([]);
    expect(await receivedBy(ann)).toHaveLength(2);
  });

  test('sends notifications again after it is unmuted; other questions send them all the time', async () => {
    const [id, other] = [await ann.ask({ title: 'One' }), await ann.ask({ title: 'Other' })];
    await ann.mute(`questions/${id}`);
    await bob.answer(other);
    await ann.mute(`questions/${id}`, false);
    await bob.answer(id);
    expect(await receivedBy(ann)).toEqual([
      'Bob answered your question "One"',
      'Bob answered your question "Other"',
    ]);
  });

  test('stays in the feeds, is shown as muted only to its member, and leaves the list of mutes when it is deleted', async () => {
    const id = await ann.ask({ title: 'Does bread freeze?' });
    await bob.mute(`questions/${id}`);
    await bob.mute(`questions/${id}`);
    expect(idsOf(await bob.feed('recent'))).toEqual([id]);
    expect((await bob.read(id)).question.muted).toBe(true);
    expect((await ann.read(id)).question.muted).toBe(false);
    const listed = async (member: Member) =>
      expectOk(await member.get<MutedQuestions>('/mutes/questions')).items;
    expect(await listed(bob)).toEqual([{ id, title: 'Does bread freeze?', mutedAt: expect.any(String) }]);
    expect(await listed(ann)).toEqual([]);
    await ann.remove('questions', id);
    expect(await listed(bob)).toEqual([]);
  });

  test('responds 404 if it does not exist', async () => {
    expect(await bob.put('/questions/999999999/mute', { muted: true })).toMatchObject({ status: 404 });
  });
});

describe('a muted tag', () => {
  test.each<Feed>(['recent', 'popular', 'unanswered'])(
    'is left out of %s, which counts the hidden questions and shows them on request',
    async (feed) => {
      const bread = await ann.ask({ tags: ['Bread', 'oven'] });
      const cake = await ann.ask({ tags: ['cake'] });
      const plain = await ann.ask();
      await bob.mute('tags/bread');
      expect(await bob.feed(feed)).toMatchObject({
        items: [{ id: plain }, { id: cake }],
        mutedCount: 1,
        nextCursor: null,
      });
      const all = await bob.feed(feed, null, 'show');
      expect([idsOf(all), all.mutedCount]).toEqual([[plain, cake, bread], 0]);
      expect(idsOf(await eve.feed(feed))).toEqual([plain, cake, bread]);
      await bob.mute('tags/bread', false);
      expect(idsOf(await bob.feed(feed))).toEqual([plain, cake, bread]);
    },
  );

  test('is left out for its member only when many open the feeds at the same time', async () => {
    const bread = await eve.ask({ tags: ['bread'] });
    const rye = await eve.ask({ tags: ['rye'] });
    const other = await eve.ask();
    await ann.mute('tags/bread');
    await bob.mute('tags/rye');
    const expected = new Map([
      [ann, [other, rye]],
      [bob, [other, bread]],
      [eve, [other, rye, bread]],
    ]);
    const readers = Array.from({ length: 5 }, () => [ann, eve, bob, eve]).flat();
    const pages = await Promise.all(readers.map((reader) => reader.feed('recent')));
    expect(pages.map(idsOf)).toEqual(readers.map((reader) => expected.get(reader)));
    await ann.mute('tags/bread', false);
    const [own] = await Promise.all([ann, eve, bob].map((reader) => reader.feed('recent')));
    expect(idsOf(own!)).toEqual([other, rye, bread]);
  });

  test('never hides questions that the member follows or wrote', async () => {
    const [followed, hidden] = [await ann.ask({ tags: ['bread'] }), await ann.ask({ tags: ['bread'] })];
    const own = await bob.ask({ tags: ['bread'] });
    await follow(bob, `questions/${followed}`);
    await bob.mute('tags/bread');
    expect(idsOf(await bob.feed('recent'))).toEqual([own, followed]);
    expect(idsOf(await eve.feed('recent'))).toEqual([own, hidden, followed]);
  });

  test('is left out of all parts of the personal feed, and of the newest questions of other tags', async () => {
    const both = await ann.ask({ title: 'Both', tags: ['bread', 'oven'] });
    const oven = await ann.ask({ title: 'Oven', tags: ['oven'] });
    const remaining = await ann.ask({ title: 'Kept', tags: ['bread', 'oven'] });
    for (const what of ['tags/oven', `questions/${remaining}`]) await follow(bob, what);
    await bob.mute('tags/bread');
    const { body: questions } = await bob.get<FeedPage>('/following/questions');
    expect([idsOf(questions), questions.mutedCount]).toEqual([[remaining, oven], 1]);
    const { body: activity } = await bob.get<FeedPage>('/following/activity');
    expect([idsOf(activity), activity.mutedCount]).toEqual([[remaining, oven], 1]);
    const { body: tags } = await bob.get<{ items: FollowedTag[] }>('/following/tags');
    expect(tags.items.map(({ questions }) => questions.map(({ id }) => id))).toEqual([[remaining, oven]]);
    const withMuted = expectOk(await bob.get<FeedPage>('/following/questions?muted=show'));
    expect(idsOf(withMuted)).toEqual([remaining, oven, both]);
  });

  test('still appears in search and on its own page, and still sends notifications', async () => {
    const id = await ann.ask({ title: 'Rye loaf', tags: ['bread'] });
    const mine = await bob.ask({ tags: ['bread'] });
    await bob.mute('tags/bread');
    const results = expectOk(await bob.get<SearchResults>('/search?q=rye'));
    expect(results.questions.map((question) => question.id)).toEqual([id]);
    const listed = await bob.readTagQuestions('bread');
    expect(idsOf(listed)).toEqual([mine, id]);
    await ann.answer(mine);
    expect(await receivedBy(bob)).toHaveLength(1);
  });

  test('is no longer followed, and a muted tag that is followed is no longer muted', async () => {
    await ann.ask({ tags: ['bread'] });
    await follow(bob, 'tags/bread');
    await follow(eve, 'tags/bread');
    await bob.mute('tags/bread');
    expect(await readTag(bob, 'bread')).toMatchObject({ following: false, muted: true, followersCount: 1 });
    expect(await readTag(eve, 'bread')).toMatchObject({ following: true, muted: false });
    await follow(bob, 'tags/bread');
    expect(await readTag(bob, 'bread')).toMatchObject({ following: true, muted: false, followersCount: 2 });
    expect(await mutedTopicsOf(bob)).toEqual([]);
    const broken = await findViolations(server.db);
    // Each test deletes all questions directly in the database, so other counts can be wrong here.
    expect(broken.filter(({ rule }) => rule.includes('mutes'))).toEqual([]);
  });

  test('can have no questions yet, and is listed once, as first written', async () => {
    await bob.mute('tags/Sour Dough');
    await bob.mute('tags/sour dough');
    await bob.mute('tags/bread');
    expect(await mutedTopicsOf(bob)).toEqual(['Bread', 'Sour Dough']);
    expect(await mutedTopicsOf(ann)).toEqual([]);
    await bob.mute('tags/never heard of', false);
    expect(await mutedTopicsOf(bob)).toHaveLength(2);
  });

  test('is limited to 100 per member, also when several are muted at the same time', async () => {
    await sql`
      with made as (
        insert into tag (name, key) select 'many' || n, 'many' || n from generate_series(1, 99) n
        on conflict do nothing returning id
      )
      insert into tag_mute (tag_id, member_id) select id, ${bob.id} from made`.execute(server.db);
    const mute = async (tag: string) => (await bob.put(`/tags/${tag}/mute`, { muted: true })).status;
    const statuses = await Promise.all(['a', 'b', 'c'].map(mute));
    expect(statuses.toSorted((a, b) => a - b)).toEqual([200, 403, 403]);
    expect(await mutedTopicsOf(bob)).toHaveLength(100);
    expect(await eve.put('/tags/a/mute', { muted: true })).toMatchObject({ status: 200 });
  });
});

test('pages through a feed without gaps or duplicates, and fills each page while few questions are muted', async () => {
  const ids: number[] = [];
  for (let n = 0; n < 50; n++) {
    // A new member can ask this many questions before the rate limit applies.
    if (n % 25 === 0) await server.resetRateLimits();
    ids.unshift(await ann.ask({ tags: n % 3 === 0 ? ['bread'] : [] }));
  }
  await bob.mute('tags/bread');
  const seen: number[] = [];
  const sizes: number[] = [];
  let hidden = 0;
  let cursor: string | null = '';
  while (cursor !== null) {
    const page: FeedPage = await bob.feed('recent', cursor === '' ? null : cursor);
    seen.push(...idsOf(page));
    sizes.push(page.items.length);
    hidden += page.mutedCount;
    cursor = page.nextCursor;
  }
  expect(seen).toEqual(ids.filter((_, index) => (49 - index) % 3 !== 0));
  expect([sizes, hidden]).toEqual([[20, 13], 17]);
});

test('reads a bounded number of rows per page of a feed that is almost entirely muted', async () => {
  const first = await ann.ask({ title: 'The first' });
  await ann.ask({ tags: ['bread'] });
  await sql`
    with asked as (
      insert into question (author_id, title, content, excerpt, excerpt_cut)
      select ${ann.id}, 'Many', 'Many', 'Many', false from generate_series(1, ${feedWindow}) returning id, created_at
    )
    insert into question_tag (question_id, question_created_at, tag_id, position)
    select asked.id, asked.created_at, tag.id, 0 from asked, tag where tag.key = 'bread'`.execute(server.db);
  await bob.mute('tags/bread');
  const page = await bob.feed('recent');
  expect(page).toEqual({ items: [], mutedCount: feedWindow, nextCursor: expect.any(String) });
  const rest = await bob.feed('recent', page.nextCursor);
  expect([idsOf(rest), rest.mutedCount, rest.nextCursor]).toEqual([[first], 1, null]);
});
