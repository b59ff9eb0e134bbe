import { sql } from 'kysely';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { findViolations } from '#server/operations/integrity-check.ts';
import { expectOk, type Member } from '#tests/support/member.ts';
import { startTestServer } from '#tests/support/server.ts';
import type { Feed } from '#shared/discovery/feeds.ts';
import type { FeedPage, MutedQuestions, MutedTags } from '#shared/engagement/mutes.ts';
import type { Notifications } from '#shared/notifications/notifications.ts';
import type { SearchResults } from '#shared/discovery/search.ts';
import type { FollowedTag, Tag } from '#shared/discovery/tags.ts';
import { feedWindow } from './mutes-filter.ts';

// Every test finds a community of its own, since a feed shows all of it.
const server = await startTestServer();
afterAll(() => server.stop());
let ann: Member;
let bob: Member;
let eve: Member;
beforeEach(async () => {
  await server.resetRateLimits();
  await server.db.deleteFrom('question').execute();
  [ann, bob, eve] = [
    await server.register('Ann'),
    await server.register('Bob'),
    await server.register('Eve'),
  ];
});

const heardBy = async (member: Member) =>
  expectOk(await member.get<Notifications>('/notifications')).items.map(({ message }) => message);
const idsOf = (page: FeedPage) => page.items.map(({ id }) => id);
const follow = (member: Member, what: string, following = true) =>
  member.put(`/${what}/follow`, { following });
const topicOf = async (member: Member, tag: string) => expectOk(await member.get<Tag>(`/topics/${tag}`));
const mutedTopicsOf = async (member: Member) =>
  expectOk(await member.get<MutedTags>('/mutes/topics')).items.map(({ tag }) => tag);

describe('a muted question', () => {
  test('tells its member nothing more: no answer, reply or vote; others are told as ever', async () => {
    const id = await ann.ask({ title: 'Does bread freeze?' });
    await follow(bob, `questions/${id}`);
    await ann.mute(`questions/${id}`);
    const answer = await eve.answer(id);
    await ann.answer(id);
    await eve.replyToQuestion(id);
    await eve.vote('questions', id, 'up');
    expect(await heardBy(ann)).toEqual([]);
    expect(await heardBy(bob)).toEqual([
      'Ann answered a question you follow: "Does bread freeze?"',
      'Eve answered a question you follow: "Does bread freeze?"',
    ]);
    await ann.replyToAnswer(answer.id);
    expect(await heardBy(eve)).toEqual(['Ann replied to your answer']);
  });

  test('stays quiet for a follower and for those who answered or replied there, and nobody else', async () => {
    const id = await ann.ask({ title: 'Does bread freeze?' });
    await follow(bob, `questions/${id}`);
    const answer = await bob.answer(id);
    const reply = await bob.replyToAnswer(answer.id);
    await bob.mute(`questions/${id}`);
    await eve.answer(id);
    await eve.replyToAnswer(answer.id, { to: reply });
    await eve.vote('answers', answer.id, 'up');
    await eve.vote('replies', reply.id, 'up');
    expect(await heardBy(bob)).toEqual([]);
    expect(await heardBy(ann)).toHaveLength(2);
  });

  test('tells again once it is unmuted, and other questions told all along', async () => {
    const [id, other] = [await ann.ask({ title: 'One' }), await ann.ask({ title: 'Other' })];
    await ann.mute(`questions/${id}`);
    await bob.answer(other);
    await ann.mute(`questions/${id}`, false);
    await bob.answer(id);
    expect(await heardBy(ann)).toEqual([
      'Bob answered your question "One"',
      'Bob answered your question "Other"',
    ]);
  });

  test('stays in the feeds, shows that it is muted to its member alone, and goes from the list with the question', async () => {
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

  test('that is not there is not found', async () => {
    expect(await bob.put('/questions/999999999/mute', { muted: true })).toMatchObject({ status: 404 });
  });
});

describe('a muted topic', () => {
  test.each<Feed>(['recent', 'popular', 'unanswered'])(
    'leaves %s, which says how many it passed over and shows them when asked to',
    async (feed) => {
      const bread = await ann.ask({ tags: ['Bread', 'oven'] });
      const cake = await ann.ask({ tags: ['cake'] });
      const plain = await ann.ask();
      await bob.mute('topics/bread');
      expect(await bob.feed(feed)).toMatchObject({
        items: [{ id: plain }, { id: cake }],
        mutedCount: 1,
        nextCursor: null,
      });
      const all = expectOk(await bob.get<FeedPage>(`/feeds/${feed}?muted=show`));
      expect([idsOf(all), all.mutedCount]).toEqual([[plain, cake, bread], 0]);
      expect(idsOf(await eve.feed(feed))).toEqual([plain, cake, bread]);
      await bob.mute('topics/bread', false);
      expect(idsOf(await bob.feed(feed))).toEqual([plain, cake, bread]);
    },
  );

  test('never hides questions one follows or asked oneself', async () => {
    const [followed, hidden] = [await ann.ask({ tags: ['bread'] }), await ann.ask({ tags: ['bread'] })];
    const own = await bob.ask({ tags: ['bread'] });
    await follow(bob, `questions/${followed}`);
    await bob.mute('topics/bread');
    expect(idsOf(await bob.feed('recent'))).toEqual([own, followed]);
    expect(idsOf(await eve.feed('recent'))).toEqual([own, hidden, followed]);
  });

  test('leaves the personal feed in all its parts, and the newest questions of other topics', async () => {
    const both = await ann.ask({ title: 'Both', tags: ['bread', 'oven'] });
    const oven = await ann.ask({ title: 'Oven', tags: ['oven'] });
    const kept = await ann.ask({ title: 'Kept', tags: ['bread', 'oven'] });
    for (const what of ['topics/oven', `questions/${kept}`]) await follow(bob, what);
    await bob.mute('topics/bread');
    const { body: questions } = await bob.get<FeedPage>('/following/questions');
    expect([idsOf(questions), questions.mutedCount]).toEqual([[kept, oven], 1]);
    const { body: activity } = await bob.get<FeedPage>('/following/activity');
    expect([idsOf(activity), activity.mutedCount]).toEqual([[kept, oven], 1]);
    const { body: topics } = await bob.get<{ items: FollowedTag[] }>('/following/topics');
    expect(topics.items.map(({ questions }) => questions.map(({ id }) => id))).toEqual([[kept, oven]]);
    const shown = expectOk(await bob.get<FeedPage>('/following/questions?muted=show'));
    expect(idsOf(shown)).toEqual([kept, oven, both]);
  });

  test('is still found by search, listed on its own page, and told of', async () => {
    const id = await ann.ask({ title: 'Rye loaf', tags: ['bread'] });
    const mine = await bob.ask({ tags: ['bread'] });
    await bob.mute('topics/bread');
    const found = expectOk(await bob.get<SearchResults>('/search?q=rye'));
    expect(found.questions.map((question) => question.id)).toEqual([id]);
    const listed = expectOk(await bob.get<FeedPage>('/topics/bread/questions'));
    expect(idsOf(listed)).toEqual([mine, id]);
    await ann.answer(mine);
    expect(await heardBy(bob)).toHaveLength(1);
  });

  test('is no longer followed, and one that is followed again is no longer muted', async () => {
    await ann.ask({ tags: ['bread'] });
    await follow(bob, 'topics/bread');
    await follow(eve, 'topics/bread');
    await bob.mute('topics/bread');
    expect(await topicOf(bob, 'bread')).toMatchObject({ following: false, muted: true, followersCount: 1 });
    expect(await topicOf(eve, 'bread')).toMatchObject({ following: true, muted: false });
    await follow(bob, 'topics/bread');
    expect(await topicOf(bob, 'bread')).toMatchObject({ following: true, muted: false, followersCount: 2 });
    expect(await mutedTopicsOf(bob)).toEqual([]);
    const broken = await findViolations(server.db);
    // Each test begins by emptying the community past the API, so that counts are none of its business.
    expect(broken.filter(({ rule }) => rule.includes('mutes'))).toEqual([]);
  });

  test('may be one nobody asked about yet, and is listed once, as first written', async () => {
    await bob.mute('topics/Sour Dough');
    await bob.mute('topics/sour dough');
    await bob.mute('topics/bread');
    expect(await mutedTopicsOf(bob)).toEqual(['Bread', 'Sour Dough']);
    expect(await mutedTopicsOf(ann)).toEqual([]);
    await bob.mute('topics/never heard of', false);
    expect(await mutedTopicsOf(bob)).toHaveLength(2);
  });

  test('is one of 100 at most, also when several are muted at once', async () => {
    await sql`
      with made as (
        insert into tag (name, key) select 'many' || n, 'many' || n from generate_series(1, 99) n
        on conflict do nothing returning id
      )
      insert into tag_mute (tag_id, member_id) select id, ${bob.id} from made`.execute(server.db);
    const mute = async (tag: string) => (await bob.put(`/topics/${tag}/mute`, { muted: true })).status;
    const statuses = await Promise.all(['a', 'b', 'c'].map(mute));
    expect(statuses.toSorted((a, b) => a - b)).toEqual([200, 403, 403]);
    expect(await mutedTopicsOf(bob)).toHaveLength(100);
    expect(await eve.put('/topics/a/mute', { muted: true })).toMatchObject({ status: 200 });
  });
});

test('pages go through a feed without gaps or doubles, filled where few are muted', async () => {
  const ids: number[] = [];
  for (let n = 0; n < 50; n++) {
    // As many as a newcomer may ask at a time.
    if (n % 25 === 0) await server.resetRateLimits();
    ids.unshift(await ann.ask({ tags: n % 3 === 0 ? ['bread'] : [] }));
  }
  await bob.mute('topics/bread');
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

test('a feed that is muted almost throughout is looked through a bounded part at a time', async () => {
  const first = await ann.ask({ title: 'The first' });
  await ann.ask({ tags: ['bread'] });
  await sql`
    with asked as (
      insert into question (author_id, title, content, excerpt, excerpt_cut)
      select ${ann.id}, 'Many', 'Many', 'Many', false from generate_series(1, ${feedWindow}) returning id, created_at
    )
    insert into question_tag (question_id, question_created_at, tag_id, position)
    select asked.id, asked.created_at, tag.id, 0 from asked, tag where tag.key = 'bread'`.execute(server.db);
  await bob.mute('topics/bread');
  const page = await bob.feed('recent');
  expect(page).toEqual({ items: [], mutedCount: feedWindow, nextCursor: expect.any(String) });
  const rest = await bob.feed('recent', page.nextCursor);
  expect([idsOf(rest), rest.mutedCount, rest.nextCursor]).toEqual([[first], 1, null]);
});
