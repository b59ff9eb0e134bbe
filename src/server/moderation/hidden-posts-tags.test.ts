import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { expectOk } from '#tests/support/member.ts';
import type { Follows } from '#shared/engagement/follows.ts';
import type { FollowedTagsSummary, Tag, TagsPage } from '#shared/discovery/tags.ts';
import { actOnPost, getReviewQueue, startModeration } from '#tests/support/moderation.ts';
import { setSiteSetting } from '#tests/support/site-settings.ts';
import { applyTagProposals, closeOutdatedProposals } from '#server/posts/index.ts';
import type { Question } from '#shared/posts/questions.ts';
import type { Audience } from '#shared/discovery/similar.ts';
import type { SearchResults } from '#shared/discovery/search.ts';
import type { MutedTags } from '#shared/engagement/mutes.ts';
import { purgeDeletedPosts } from './moderation-job.ts';

const { ann, bob, eve, moderator, server } = await startModeration();
const { db } = server;

/** Returns the tags that are visible to a member who follows tags, from every endpoint that lists tags. */
async function shownTags() {
  const topics = (await bob.readTags('?q=zorb')).items;
  const all = (await bob.readTags()).items;
  const followed = expectOk(await bob.get<TagsPage>('/following/tags')).items;
  const { tags, total } = expectOk(await bob.get<FollowedTagsSummary>('/following'));
  const page = await bob.get<Tag>('/tags/zorbing');
  const questions = await bob.get('/tags/zorbing/questions');
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
  'does not show a tag whose only question moderators %s until the question is restored',
  async (action) => {
    const id = await ann.ask({ title: 'Where to roll?', content: 'Down a hill.', tags: ['zorbing'] });
    expectOk(await bob.put('/tags/zorbing/follow', { following: true }));
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
    expectOk(await actOnPost(moderator, action, 'question', id));
    expect(await shownTags()).toEqual({
      topics: [],
      all: [],
      followed: [],
      sidebar: { tags: [], total: 0 },
      page: 404,
      questions: 404,
      suggested: false,
    });
    expect(expectOk(await bob.get<Follows>('/follows')).tags).toEqual([]);
    expectOk(await actOnPost(moderator, 'restore', 'question', id));
    expect(await shownTags()).toEqual(shown);
    expectOk(await ann.delete(`/questions/${id}`));
  },
);

test('does not confirm the guessed name of a hidden tag, whose followers it had, or a synonym of it', async () => {
  const id = await ann.ask({ title: 'Who jumps?', content: 'From a bridge.', tags: ['Bungee'] });
  expectOk(await bob.put('/tags/bungee/follow', { following: true }));
  expectOk(await moderator.put('/moderation/tags/bungee/synonyms/bungy'));
  const audience = async () => expectOk(await eve.get<Audience>('/audience?tags=bungee,bungy'));
  const visible = await audience();
  expect(visible.members).toBe(1);
  expect(visible.tags.map(({ isNew }) => isNew)).toEqual([false, false]);
  await setSiteSetting(db, 'tagCreation', 'moderators');
  await server.siteSettings.refresh();
  const muting = async (name: string) =>
    (await eve.put(`/tags/${name}/mute`, { muted: true })).errors?.map(({ code }) => code);
  const proposeHidden = () =>
    eve.post<{ id: number }>('/questions', {
      title: 'May I jump?',
      content: 'From a bridge.',
      tags: [],
      proposedTags: [{ name: 'bungee', reason: '' }],
    });
  expectOk(await actOnPost(moderator, 'hide', 'question', id));

  const unknownTerms = async (query: string) =>
    expectOk(await eve.get<SearchResults>(`/search?q=${encodeURIComponent(query)}`)).unknownTerms;
  for (const term of ['[bungee]', '[bungy]', '[unknown]', '-[bungee]'])
    expect(await unknownTerms(`${term} jump`)).toEqual([term]);
  expect(await audience()).toEqual({
    members: 0,
    tags: ['bungee', 'bungy'].map((name) => ({ name, followers: 0, synonymOf: null, isNew: true })),
  });
  for (const name of ['bungee', 'bungy', 'unknown'])
    expect(await muting(name)).toEqual(['new-tag-by-moderators']);
  const proposed = expectOk(await proposeHidden()).id;
  await closeOutdatedProposals(db);
  expect(expectOk(await eve.get<{ question: Question }>(`/questions/${proposed}`)).question.tags).toEqual([]);
  expect((await getReviewQueue(moderator)).map(({ tagProposal }) => tagProposal?.name)).toContain('bungee');

  expectOk(await actOnPost(moderator, 'restore', 'question', id));
  expect(await audience()).toEqual(visible);
  await setSiteSetting(db, 'tagCreation', 'everyone');
  await server.siteSettings.refresh();
});

test('does not confirm the guessed name of a hidden tag by what follows and mutes of it show', async () => {
  const id = await ann.ask({ tags: ['Zipline'] });
  expectOk(await moderator.put('/moderation/tags/zipline/synonyms/zipwire'));
  expectOk(await bob.put('/tags/zipline/follow', { following: true }));
  expectOk(await actOnPost(moderator, 'hide', 'question', id));
  await sql`delete from event`.execute(db);

  expectOk(await eve.put('/tags/zipwire/follow', { following: true }));
  expectOk(await eve.put('/tags/zipwire/mute', { muted: true }));
  expectOk(await bob.put('/tags/zipline/follow', { following: false }));
  expect((await sql`select from event where topic = 'tags'`.execute(db)).rows).toEqual([]);
  const named = await sql<{ tag: string }>`
    select distinct event ->> 'tag' as tag from event where topic = ${`member:${eve.id}`}`.execute(db);
  expect(named.rows).toEqual([{ tag: 'zipwire' }]);
  expect(expectOk(await eve.get<MutedTags>('/mutes/tags')).items).toEqual([]);

  expectOk(await actOnPost(moderator, 'restore', 'question', id));
  expect(expectOk(await eve.get<MutedTags>('/mutes/tags')).items).toMatchObject([{ tag: 'Zipline' }]);
  expectOk(await eve.put('/tags/zipwire/mute', { muted: false }));
});

test('keeps a tag that moderators described or approved usable when its only question is deleted', async () => {
  await setSiteSetting(db, 'tagCreation', 'moderators');
  await server.siteSettings.refresh();
  const { id } = expectOk(
    await ann.post<{ id: number }>('/questions', {
      title: 'How to sail?',
      content: 'On a lake.',
      tags: [],
      proposedTags: [{ name: 'approved-tag', reason: '' }],
    }),
  );
  const proposal = (await getReviewQueue(moderator)).find(
    (item) => item.tagProposal?.name === 'approved-tag',
  )?.tagProposal;
  expectOk(
    await moderator.put(`/moderation/tag-proposals/${proposal?.id}/decision`, { decision: 'approve' }),
  );
  await applyTagProposals(db, Date.now() + 10_000);
  expectOk(await ann.delete(`/questions/${id}`));
  for (const tag of ['described-tag', 'plain-tag'])
    expectOk(await moderator.put(`/tags/${tag}/follow`, { following: true }));
  expectOk(await moderator.put('/moderation/tags/described-tag', { description: 'About boats.', about: '' }));
  for (const tag of ['approved-tag', 'described-tag', 'plain-tag']) {
    const spam = await bob.ask({ tags: [tag] });
    expectOk(await actOnPost(moderator, 'delete', 'question', spam));
  }
  const statuses = async () => {
    const status: Record<string, number> = {};
    for (const tag of ['approved-tag', 'described-tag', 'plain-tag'])
      status[tag] = (await eve.put(`/tags/${tag}/follow`, { following: true })).status;
    return status;
  };
  expect(await statuses()).toEqual({ 'approved-tag': 200, 'described-tag': 200, 'plain-tag': 400 });
  await setSiteSetting(db, 'tagCreation', 'everyone');
  await server.siteSettings.refresh();
});

test('still shows a tag without questions to its followers', async () => {
  expectOk(await bob.put('/tags/paragliding/follow', { following: true }));
  expect(expectOk(await bob.get<FollowedTagsSummary>('/following')).tags).toContain('paragliding');
  expect((await bob.get('/tags/paragliding')).status).toBe(200);
});

test('does not show a tag after its only question, which moderators deleted, was purged', async () => {
  const ask = () =>
    ann.ask({ title: 'Where to paraglide?', content: 'From a hill.', tags: ['spamglide', 'gliding'] });
  const [spam, id] = [await ask(), await ann.ask({ title: 'Gliding?', content: 'Up.', tags: ['gliding'] })];
  expectOk(await actOnPost(moderator, 'delete', 'question', spam));
  await sql`update hidden_post set purge_at = now()`.execute(db);
  await purgeDeletedPosts(db);
  expect((await sql`select from base_question where id = ${spam}`.execute(db)).rows.length).toBe(0);
  expect((await bob.get('/tags/spamglide')).status).toBe(404);
  // Another question of this tag is visible, and its author may delete it.
  expect((await bob.get('/tags/gliding')).status).toBe(200);
  expectOk(await ann.delete(`/questions/${id}`));
  expect((await bob.get('/tags/gliding')).status).toBe(200);
  await ask();
  expect((await bob.get('/tags/spamglide')).status).toBe(200);
});

test('shows a tag that moderators renamed, also when they hide its only question', async () => {
  const id = await ann.ask({ title: 'Which rope?', content: 'For a tower.', tags: ['abseil'] });
  const renaming = { kind: 'rename', tag: 'abseil', to: 'Abseiling', reason: 'The whole word.' };
  expectOk(await moderator.post('/moderation/tag-changes', renaming));
  expectOk(await actOnPost(moderator, 'hide', 'question', id));
  for (const name of ['abseiling', 'abseil'])
    expect(expectOk(await bob.get<Tag>(`/tags/${name}`)).name).toBe('Abseiling');
});
