import { expect, test } from 'vitest';
import { expectOk } from '#tests/support/member.ts';
import type { Follows } from '#shared/engagement/follows.ts';
import type { FollowedTagsSummary, Tag, TagsPage } from '#shared/discovery/tags.ts';
import { actOnPost, startModeration } from '#tests/support/moderation.ts';

const { ann, bob, op } = await startModeration();

/** Everywhere a tag may be shown to a member who follows it, by the tags that are there. */
async function shownTags() {
  const topics = expectOk(await bob.get<TagsPage>('/topics?q=zorb')).items;
  const all = expectOk(await bob.get<TagsPage>('/topics')).items;
  const followed = expectOk(await bob.get<TagsPage>('/following/topics')).items;
  const { tags, total } = expectOk(await bob.get<FollowedTagsSummary>('/following'));
  const page = await bob.get<Tag>('/topics/zorbing');
  const questions = await bob.get('/topics/zorbing/questions');
  const search = expectOk(await bob.get<object>('/search?q=zorbimg'));
  const instant = expectOk(await bob.get<object>('/search/instant?q=zorb'));
  return {
    topics: topics.map(({ name }) => name),
    all: all.map(({ name }) => name).filter((tag) => tag === 'zorbing'),
    followed: followed.map(({ name }) => name),
    sidebar: { tags, total },
    page: page.status,
    questions: questions.status,
    suggested: JSON.stringify([search, instant]).includes('zorbing'),
  };
}

test.each(['hide', 'delete'])(
  'a tag whose only question moderators %s is not shown until it is back',
  async (action) => {
    const id = await ann.ask({ title: 'Where to roll?', content: 'Down a hill.', tags: ['zorbing'] });
    expectOk(await bob.put('/topics/zorbing/follow', { following: true }));
    const shown = await shownTags();
    expect(shown).toEqual({
      topics: ['zorbing'],
      all: ['zorbing'],
      followed: ['zorbing'],
      sidebar: { tags: ['zorbing'], total: 1 },
      page: 200,
      questions: 200,
      suggested: true,
    });
    expectOk(await actOnPost(op, action, 'question', id));
    expect(await shownTags()).toEqual({
      topics: [],
      all: [],
      followed: [],
      sidebar: { tags: [], total: 0 },
      page: 404,
      questions: 404,
      suggested: false,
    });
    expect(expectOk(await bob.get<Follows>('/following/marks')).tags).toEqual([]);
    expectOk(await actOnPost(op, 'restore', 'question', id));
    expect(await shownTags()).toEqual(shown);
    expectOk(await ann.delete(`/questions/${id}`));
  },
);

test('a tag that is followed and has no question yet stays shown to who follows it', async () => {
  expectOk(await bob.put('/topics/paragliding/follow', { following: true }));
  expect(expectOk(await bob.get<FollowedTagsSummary>('/following')).tags).toContain('paragliding');
  expect((await bob.get('/topics/paragliding')).status).toBe(200);
});
