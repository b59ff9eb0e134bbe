import { expect, test } from 'vitest';
import { done } from '#server/testing/member.ts';
import type { Followed } from '#shared/follows.ts';
import type { FollowedSummary, Topic, Topics } from '#shared/topics.ts';
import { act, startCare } from './testing.ts';

const { ann, bob, op } = await startCare();

/** Everywhere a tag may be shown to a member who follows it, by the tags that are there. */
async function shownTags() {
  const topics = done(await bob.get<Topics>('/topics?q=zorb')).items;
  const all = done(await bob.get<Topics>('/topics')).items;
  const followed = done(await bob.get<Topics>('/following/topics')).items;
  const { tags, total } = done(await bob.get<FollowedSummary>('/following'));
  const page = await bob.get<Topic>('/topics/zorbing');
  const questions = await bob.get('/topics/zorbing/questions');
  const search = done(await bob.get<object>('/search?q=zorbimg'));
  const instant = done(await bob.get<object>('/search/instant?q=zorb'));
  return {
    topics: topics.map(({ tag }) => tag),
    all: all.map(({ tag }) => tag).filter((tag) => tag === 'zorbing'),
    followed: followed.map(({ tag }) => tag),
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
    done(await bob.put('/topics/zorbing/follow', { following: true }));
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
    done(await act(op, action, 'question', id));
    expect(await shownTags()).toEqual({
      topics: [],
      all: [],
      followed: [],
      sidebar: { tags: [], total: 0 },
      page: 404,
      questions: 404,
      suggested: false,
    });
    expect(done(await bob.get<Followed>('/following/marks')).tags).toEqual([]);
    done(await act(op, 'restore', 'question', id));
    expect(await shownTags()).toEqual(shown);
    done(await ann.delete(`/questions/${id}`));
  },
);

test('a tag that is followed and has no question yet stays shown to who follows it', async () => {
  done(await bob.put('/topics/paragliding/follow', { following: true }));
  expect(done(await bob.get<FollowedSummary>('/following')).tags).toContain('paragliding');
  expect((await bob.get('/topics/paragliding')).status).toBe(200);
});
