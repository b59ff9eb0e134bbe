import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import { findViolations } from '#server/operations/integrity-check.ts';
import { updateStatistics } from '#server/discovery/statistics.ts';
import type { FeedPage } from '#shared/engagement/mutes.ts';
import type { Follows } from '#shared/engagement/follows.ts';
import type { ManagedTag } from '#shared/moderation/managed-tags.ts';
import type { QuestionDocument } from '#shared/posts/questions-document.ts';
import type { SearchResults } from '#shared/discovery/search.ts';
import type { TagDocument } from '#shared/discovery/tags.ts';
import { startCachingNode } from '#tests/support/caching-node.ts';
import { expectOk } from '#tests/support/member.ts';
import { eventually } from '#tests/support/parley.ts';
import { transaction } from '#server/core/database.ts';
import { actOnPost, getModerationLog, startModeration } from '#tests/support/moderation.ts';
import { renameOnSomeQuestions } from '#server/posts/index.ts';
import { runTagChanges } from './tag-changes.ts';

const { server, ann, bob, eve, moderator } = await startModeration();

/** The names of the tags of one test. */
let n = 0;
let js = '';
let script = '';
beforeEach(() => {
  n++;
  js = `js${n}`;
  script = `script${n}`;
});

const change = (kind: 'merge' | 'rename', tag: string, to: string, member = moderator) =>
  member.post<ManagedTag>('/moderation/tag-changes', { kind, tag, to, reason: 'The same thing.' });
const managed = async (tag: string) => expectOk(await moderator.get<ManagedTag>(`/moderation/tags/${tag}`));
const tagsOf = async (id: number) =>
  expectOk(await ann.get<QuestionDocument>(`/questions/${id}`)).question.tags;
const taggedWith = async (tag: string) =>
  expectOk(await ann.get<{ items: { id: number }[] }>(`/tags/${tag}/questions`)).items.map(({ id }) => id);
const follows = async () => expectOk(await bob.get<Follows>('/follows')).tags;

/** Recounts everything from the rows. */
async function expectIntegrity() {
  await updateStatistics(server.db, Number.POSITIVE_INFINITY);
  expect(await findViolations(server.db)).toEqual([]);
}

test('a synonym leads to its tag: when asking, editing, following, searching, and at its address', async () => {
  const first = await ann.ask({ title: 'What is a closure?', tags: [script] });
  expectOk(await moderator.put(`/moderation/tags/${script}/synonyms/${js}`));
  expect((await managed(script)).synonyms).toEqual([js]);
  const second = await ann.ask({ title: 'What is hoisting?', tags: [js.toUpperCase(), 'web', script] });
  expect(await tagsOf(second)).toEqual([script, 'web']);
  expectOk(await bob.put(`/tags/${js}/follow`, { following: true }));
  expect(await follows()).toEqual([script]);
  expect(expectOk(await ann.get<TagDocument>(`/tags/${js}`))).toMatchObject({
    name: script,
    questionsCount: 2,
    followersCount: 1,
  });
  expect(await taggedWith(js)).toEqual([second, first]);
  const found = expectOk(await ann.get<SearchResults>(`/search?q=${encodeURIComponent(`[${js}]`)}`));
  expect(new Set(found.questions.map(({ id }) => id))).toEqual(new Set([first, second]));
  const listed = expectOk(await ann.get<{ items: TagDocument[] }>(`/tags?q=${js}`)).items;
  expect(listed.map(({ name }) => name)).toEqual([script]);
  const audience = expectOk(await ann.get<object>(`/audience?tags=${js}`));
  expect(audience).toMatchObject({ members: 1, tags: [{ name: js, followers: 1 }] });
  // Muting unfollows.
  expect((await bob.put(`/tags/${js}/mute`, { muted: true })).status).toBe(200);
  expect(await follows()).toEqual([]);
  await expectIntegrity();

  expectOk(await moderator.delete(`/moderation/tags/${script}/synonyms/${js}`));
  expect((await managed(script)).synonyms).toEqual([]);
  expect(await tagsOf(await ann.ask({ tags: [js] }))).toEqual([js]);
  await expectIntegrity();
});

test('merging moves questions, hidden ones, follows, mutes and statistics, once each, and leaves synonyms', async () => {
  const only = await ann.ask({ tags: ['web', js] });
  await bob.answer(only);
  const both = await ann.ask({ tags: [js, 'web', script] });
  const target = await ann.ask({ tags: [script] });
  const hidden = await ann.ask({ tags: [js] });
  expectOk(await actOnPost(moderator, 'hide', 'question', hidden));
  expectOk(await moderator.put(`/moderation/tags/${js}/synonyms/ecma${n}`));
  // Bob follows both, Ann one and mutes the other, Eve mutes the merged one.
  expectOk(await bob.put(`/tags/${js}/follow`, { following: true }));
  expectOk(await bob.put(`/tags/${script}/follow`, { following: true }));
  expectOk(await ann.put(`/tags/${js}/follow`, { following: true }));
  expectOk(await ann.put(`/tags/${script}/mute`, { muted: true }));
  expectOk(await eve.put(`/tags/${js}/mute`, { muted: true }));
  expect(await managed(js)).toMatchObject({ questionsCount: 2, followersCount: 2, mutesCount: 1 });

  expect(expectOk(await change('merge', js, script))).toMatchObject({
    name: script,
    questionsCount: 3,
    followersCount: 1,
    mutesCount: 2,
    synonyms: [`ecma${n}`, js],
    change: null,
  });
  expect(await tagsOf(only)).toEqual(['web', script]);
  expect(await tagsOf(both)).toEqual([script, 'web']);
  expect(await taggedWith(`ecma${n}`)).toEqual([target, both, only]);
  expectOk(await actOnPost(moderator, 'restore', 'question', hidden));
  expect(await tagsOf(hidden)).toEqual([script]);
  const mutes = expectOk(await eve.get<{ items: { tag: string }[] }>('/mutes/tags')).items;
  expect(mutes.map(({ tag }) => tag)).toEqual([script]);
  const feed = expectOk(await bob.get<FeedPage>('/following/questions')).items;
  expect(feed.map(({ id }) => id).slice(0, 4)).toEqual([hidden, target, both, only]);
  expect((await getModerationLog(moderator)).find(({ action }) => action === 'tag_merge')).toMatchObject({
    subject: js,
    reason: 'The same thing.',
    after: { mergedInto: script, questions: 2 },
  });
  await expectIntegrity();
  expectOk(await bob.put(`/tags/${script}/follow`, { following: false }));
  expectOk(await eve.put(`/tags/${script}/mute`, { muted: false }));
});

test('renaming writes the new name everywhere, keeps the old one as a synonym, and can be reversed', async () => {
  const id = await ann.ask({ title: 'Where?', tags: [js, 'web'] });
  expectOk(await moderator.put(`/moderation/tags/${js}`, { description: 'About it', about: '' }));
  expect(expectOk(await change('rename', js, `New ${script}`))).toMatchObject({
    name: `New ${script}`,
    synonyms: [js],
    description: 'About it',
    questionsCount: 1,
  });
  expect(await tagsOf(id)).toEqual([`New ${script}`, 'web']);
  expect(await taggedWith(js)).toEqual([id]);
  await expectIntegrity();
  expect(expectOk(await change('rename', `new ${script}`, js))).toMatchObject({
    name: js,
    synonyms: [`New ${script}`],
  });
  // The case alone.
  expect(expectOk(await change('rename', js, js.toUpperCase()))).toMatchObject({ name: js.toUpperCase() });
  expect(await tagsOf(id)).toEqual([js.toUpperCase(), 'web']);
  await expectIntegrity();
});

test('a merge continues where it stopped, and no question is lost that is asked or edited meanwhile', async () => {
  const ids = [];
  for (let each = 0; each < 3; each++) ids.push(await ann.ask({ tags: [js] }));
  await ann.ask({ tags: [script] });
  // More than a request does.
  await sql`
    with many as (
      insert into question (author_id, title, content, tag_text, excerpt, excerpt_cut)
      select ${ann.id}, 'Many ' || n, 'x', ${js}, 'x', false from generate_series(1, 120) n returning id, created_at, active_at, upvotes, answer_count
    ), linked as (
      insert into question_tag (question_id, question_created_at, tag_id, position)
      select many.id, many.created_at, tag.id, 0 from many, tag where key = ${js} returning question_id
    ), sort_keys as (
      insert into question_sort_key select id, created_at, active_at, upvotes, answer_count from many
    )
    update member set questions_count = questions_count + 120 where id = ${ann.id}`.execute(server.db);
  await sql`update tag set questions_count = questions_count + 120 where key = ${js}`.execute(server.db);
  await sql`
    insert into tag_question_sort_key (question_id, tag_id, active_at)
    select question_id, tag_id, active_at from question_tag join question on question.id = question_id
    where tag_id = (select id from tag where key = ${js}) on conflict do nothing`.execute(server.db);
  await sql`insert into tag_statistics_change (tag_id, week, questions, answers)
    select id, utc_week(now()::timestamptz(3)), 120, 0 from tag where key = ${js}`.execute(server.db);
  await sql`insert into member_statistics_change (member_id, day, questions)
    values (${ann.id}, utc_day(now()::timestamptz(3)), 120)`.execute(server.db);
  await expectIntegrity();
  const asking = Promise.all(Array.from({ length: 8 }, () => ann.ask({ tags: [js, 'web'] })));
  const merging = change('merge', js, script);
  const editing = ann.put(`/questions/${ids[0]}`, { title: 'Edited', content: 'Meanwhile.', tags: [js] });
  expectOk(await merging);
  expectOk(await editing);
  const asked = await asking;
  while ((await managed(script)).change !== null) await runTagChanges(server.db, Date.now() + 1);
  for (const id of [...ids, ...asked]) expect(await tagsOf(id)).toContain(script);
  expect(await managed(script)).toMatchObject({ questionsCount: 132, change: null });
  await expectIntegrity();
});

test('other changes succeed while one fails', async () => {
  const broken = `broken${n}`;
  await ann.ask({ tags: [js, broken] });
  await sql`create function refuse() returns trigger language plpgsql as 'begin raise ''It is broken''; end'`.execute(
    server.db,
  );
  await sql`
    create trigger refuse before update on tag_change for each row
    when (old.removed_key = 'broken') execute function refuse()`.execute(server.db);
  await sql`insert into tag_change (kind, tag_id, questions, removed_key)
    select 'rename', id, 1, 'broken' from tag where key = ${broken}`.execute(server.db);
  expectOk(await change('rename', js, script));
  expect((await managed(script)).change).toBe(null);
  expectOk(await moderator.delete(`/moderation/tags/${script}/synonyms/${js}`));
  await expect(runTagChanges(server.db, Number.POSITIVE_INFINITY)).rejects.toThrow('It is broken');
  await sql`drop function refuse cascade`.execute(server.db);
  await runTagChanges(server.db, Number.POSITIVE_INFINITY);
});

test('a document of the merged tag is read again on every node', async () => {
  const id = await ann.ask({ tags: [js] });
  const other = await ann.ask({ tags: [script] });
  const node = await startCachingNode(server.database);
  const reader = node.browserOf(ann);
  const read = async (path: string) => JSON.stringify(expectOk(await reader.get<object>(path)));
  const paths = [
    `/tags/${js}`,
    `/tags/${js}/questions`,
    `/tags/${script}/questions`,
    `/questions/${id}`,
    '/feeds/recent',
    '/tags?sort=alphabetical',
  ];
  for (const path of paths) await read(path);
  expectOk(
    await node.browserOf(moderator).post('/moderation/tag-changes', { kind: 'merge', tag: js, to: script }),
  );
  for (const path of paths) expect(await read(path)).not.toContain(`"${js}"`);
  expect(JSON.parse(await read(`/tags/${js}/questions`))).toMatchObject({ items: [{ id: other }, { id }] });
  // Later changes of the tag reach the document at the address of its synonym.
  expectOk(await node.browserOf(bob).put(`/tags/${js}/follow`, { following: true }));
  expect(JSON.parse(await read(`/tags/${js}`))).toMatchObject({ name: script, followersCount: 1 });
  await node.stop();
});

test('refuses names that are in use, not valid or unknown, and other members', async () => {
  await ann.ask({ tags: [js, script] });
  const codes = [
    await change('merge', js, js),
    await change('merge', js, 'no-such-tag'),
    await change('merge', 'no-such-tag', js),
    await change('rename', js, script),
    await change('rename', js, js),
    await change('rename', js, 'a,b'),
    await change('rename', js, 'x'.repeat(36)),
    await change('rename', js, '#'),
    await change('rename', js, '\u200B'),
    await moderator.put(`/moderation/tags/${js}/synonyms/${script}`),
    await moderator.put(`/moderation/tags/${js}/synonyms/${'x'.repeat(36)}`),
    await moderator.delete(`/moderation/tags/${js}/synonyms/unknown`),
  ].map(({ status, errors, code }) => `${status} ${errors?.[0]?.code ?? code}`);
  expect(codes).toEqual([
    '400 tag-merged-into-itself',
    '404 tag-not-found',
    '404 tag-not-found',
    '400 tag-exists',
    '400 tag-name-unchanged',
    '400 tag-name-not-valid',
    '400 tag-too-long',
    '400 tag-name-not-valid',
    '400 tag-name-not-valid',
    '400 tag-exists',
    '400 tag-too-long',
    '404 tag-not-found',
  ]);
  expectOk(await moderator.put(`/moderation/tags/${js}/synonyms/other${n}`));
  expect((await change('merge', script, `other${n}`)).errors?.[0]?.code).toBe('tag-is-synonym');
  expect((await change('merge', js, script, ann)).status).toBe(404);
  expect((await ann.put(`/moderation/tags/${js}/synonyms/mine${n}`)).status).toBe(404);
});

/** Waits until a transaction waits for a lock of another one. */
const untilBlocked = () =>
  eventually(async () => {
    const { rows } = await sql`
      select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(
      server.db,
    );
    return rows.length > 0;
  });

test('refuses to rename a tag to a name that a member creates at the same moment', async () => {
  await ann.ask({ tags: [js] });
  const { answered } = await transaction(server.db, async (tx) => {
    await sql`insert into tag (name, key) values (${script}, ${script})`.execute(tx);
    const renaming = change('rename', js, script);
    await untilBlocked();
    return { answered: renaming };
  });
  expect(await answered).toMatchObject({
    status: 400,
    body: { errors: [{ field: 'to', code: 'tag-exists' }] },
  });
  expect(await managed(js)).toMatchObject({ name: js });
});

test('refuses a synonym whose name a member creates as a tag at the same moment', async () => {
  await ann.ask({ tags: [js] });
  const { answered } = await transaction(server.db, async (tx) => {
    await sql`insert into tag (name, key) values (${script}, ${script})`.execute(tx);
    const adding = moderator.put(`/moderation/tags/${js}/synonyms/${script}`);
    await untilBlocked();
    return { answered: adding };
  });
  expect(await answered).toMatchObject({
    status: 400,
    body: { errors: [{ field: 'synonym', code: 'tag-exists' }] },
  });
  expect(await managed(js)).toMatchObject({ synonyms: [] });
});

test('stores a question under the new name of a tag that is renamed at the same moment', async () => {
  await ann.ask({ tags: [js] });
  const { asked } = await transaction(server.db, async (tx) => {
    const { rows } = await sql<{ id: number }>`select id from tag where key = ${js} for update`.execute(tx);
    const asking = bob.ask({ tags: [js] });
    await untilBlocked();
    await sql`update tag set name = ${script}, key = ${script} where key = ${js}`.execute(tx);
    await sql`insert into tag (name, key, synonym_of) values (${js}, ${js}, ${rows[0]?.id})`.execute(tx);
    return { asked: asking };
  });
  expect(await tagsOf(await asked)).toEqual([script]);
});

test('renames a tag on hidden questions in steps as well', async () => {
  const ids = [];
  for (let n = 0; n < 5; n++) ids.push(await ann.ask({ tags: [js, 'web'] }));
  for (const id of ids.slice(1)) expectOk(await actOnPost(moderator, 'hide', 'question', id));
  const { rows } = await sql<{ id: number }>`
    update tag set name = ${script}, key = ${script} where key = ${js} returning id`.execute(server.db);
  const steps: number[] = [];
  let after: { createdAt: Date; id: number } | null = null;
  for (let isDone = false; !isDone && steps.length < 10;) {
    const wanted: Parameters<typeof renameOnSomeQuestions>[1] = { tagId: rows[0]?.id ?? 0, after, limit: 2 };
    const step = await transaction(server.db, (tx) => renameOnSomeQuestions(tx, wanted));
    steps.push(step.renamed);
    after = step.last ?? after;
    isDone = step.isDone;
  }
  expect(steps).toEqual([1, 2, 2, 0]);
  const { rows: texts } = await sql<{ tag_text: string }>`
    select distinct tag_text from base_question where id = any(${ids}::bigint[])`.execute(server.db);
  expect(texts).toEqual([{ tag_text: `${script}, web` }]);
});

test('gives a hidden question the new name of its tag when it is restored before its turn', async () => {
  const id = await ann.ask({ tags: [js, 'web'] });
  expectOk(await actOnPost(moderator, 'hide', 'question', id));
  await sql`update tag set name = ${script}, key = ${script} where key = ${js}`.execute(server.db);
  expectOk(await actOnPost(moderator, 'restore', 'question', id));
  const { rows } = await sql`select tag_text from question where id = ${id}`.execute(server.db);
  expect(rows).toEqual([{ tag_text: `${script}, web` }]);
});
