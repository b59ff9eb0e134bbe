import { sql } from 'kysely';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { one } from '#server/core/sql.ts';
import { updateStatistics } from '#server/discovery/statistics.ts';
import { recordNewChanges } from '#server/integrations/changes.ts';
import { findViolations } from '#server/operations/integrity-check.ts';
import type { ManagedTag } from '#shared/moderation/managed-tags.ts';
import type { SearchResults } from '#shared/discovery/search.ts';
import { runTagChanges } from './tag-changes.ts';
import { startCachingNode } from '#tests/support/caching-node.ts';
import { expectOk, type Member } from '#tests/support/member.ts';
import { actOnPost, getModerationLog, startModeration } from '#tests/support/moderation.ts';
import { setSiteSetting } from '#tests/support/site-settings.ts';

const { server, ann, bob, eve, moderator } = await startModeration();

/** The removed name of one test, and the name of the tag after it. */
let n = 0;
let old = '';
let main = '';
beforeEach(() => {
  n++;
  old = `insult${n}`;
  main = `kindness${n}`;
});

const change = (kind: 'merge' | 'rename', tag: string, to: string, more: object = {}) =>
  moderator.post<ManagedTag>('/moderation/tag-changes', { kind, tag, to, keepSynonym: false, ...more });

async function setSetting(
  ...setting: Parameters<typeof setSiteSetting> extends [unknown, ...infer Rest] ? Rest : never
) {
  await setSiteSetting(server.db, ...setting);
  await server.siteSettings.refresh();
}

const managed = async () => expectOk(await moderator.get<ManagedTag>(`/moderation/tags/${main}`));

/** The tables with the removed name, in any spelling. */
async function findTables(): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select table_name as name from information_schema.tables
    where table_schema = current_schema() and table_type = 'BASE TABLE' order by 1`.execute(server.db);
  const found: string[] = [];
  for (const { name } of rows) {
    const pattern = `%${old}%`;
    const { rows: hits } = await sql`
      select from ${sql.table(name)} each where each::text ilike ${pattern} limit 1`.execute(server.db);
    if (hits.length > 0) found.push(name);
  }
  return found;
}

/** Whether programs that copy what is public know that the tag with an id is gone; undefined if it was never listed. */
async function isGoneForPrograms(tagId: number): Promise<boolean | undefined> {
  await recordNewChanges(server.db);
  const { rows } = await sql<{ isGone: boolean }>`
    select digest = 0 as "isGone" from public_change where kind = 'tag' and id = ${tagId}`.execute(server.db);
  return rows[0]?.isGone;
}

async function expectRemoved() {
  await runTagChanges(server.db, Number.POSITIVE_INFINITY);
  expect((await managed()).change).toBe(null);
  // Events are deleted after an hour. The row of the change hides the name in the log.
  expect(await findTables()).toEqual(['event', 'moderation_log', 'tag_change']);
  expect(JSON.stringify(await getModerationLog(ann))).not.toMatch(new RegExp(old, 'iu'));
  expect(JSON.stringify(await getModerationLog(moderator))).toContain(old);
  expect((await ann.get(`/tags/${old}`)).status).toBe(404);
  const found = expectOk(await ann.get<SearchResults>(`/search?q=${encodeURIComponent(`[${old}]`)}`));
  expect(found.questions).toEqual([]);
  await updateStatistics(server.db, Number.POSITIVE_INFINITY);
  expect(await findViolations(server.db)).toEqual([]);
}

/** A question with an earlier version that has the tag. */
async function askAndEdit(member: Member, tags: readonly string[], later = tags): Promise<number> {
  const id = await member.ask({ tags: [...tags] });
  await server.ageEdits(6);
  const edit = { title: 'How long does bread keep now?', content: 'In a bag.', tags: later };
  expectOk(await member.put(`/questions/${id}`, edit));
  return id;
}
const tagsOfVersions = async (id: number) =>
  (await ann.revisions(`/questions/${id}`)).map(({ tags }) => tags);

test('renaming without a synonym removes the old name for everyone, but not from the log of moderators', async () => {
  const upper = old.toUpperCase();
  const asked = await askAndEdit(ann, [upper, 'web']);
  const edited = await askAndEdit(bob, [main, old], ['web']);
  expectOk(await moderator.put(`/moderation/tags/${old}`, { description: 'About it', about: '' }));
  const hidden = await ann.ask({ tags: ['web', old] });
  expectOk(await actOnPost(moderator, 'hide', 'question', hidden));
  expectOk(await bob.put(`/tags/${old}/follow`, { following: true }));
  expectOk(await eve.put(`/tags/${old}/mute`, { muted: true }));
  const suggestion = {
    title: 'How long?',
    content: 'In a bag, at 20 °C.',
    tags: [old, 'web'],
    summary: 'Temperature',
  };
  for (const [member, status] of [
    [bob, 'open'],
    [eve, 'withdrawn'],
  ] as const) {
    const { id } = expectOk(
      await member.post<{ id: number }>(`/questions/${asked}/edit-suggestions`, suggestion),
    );
    if (status === 'withdrawn') await member.delete(`/edit-suggestions/${id}`);
  }
  await sql`insert into webhook (name, address, format, events, tags, encrypted_secret)
    values ('Chat', 'https://chat.example', 'slack', '{question.posted}', ${[old, main]}::text[], 'x')`.execute(
    server.db,
  );
  await sql`insert into tag_proposal (name, key, status, tag_id, decided_at)
    select name, key, 'approved', id, now() from tag where key = ${old}`.execute(server.db);
  await setSetting('requiredTags', ['web', old]);
  await setSetting('reviewFirstPosts', 1);
  await setSetting('holdForApproval', true);
  onTestFinished(async () => {
    await setSetting('requiredTags', []);
    await setSetting('holdForApproval', false);
  });
  const nora = await server.register(`Nora${n}`);
  const draft = { title: 'Does it freeze?', content: 'A whole loaf.', tags: [old, main] };
  const held = expectOk(await nora.post<{ id: number }>('/questions', draft)).id;
  await sql`delete from tag where key = ${main} and not exists (select from question_tag where tag_id = tag.id)`.execute(
    server.db,
  );

  const renamed = expectOk(await change('rename', old, main));

  expect(renamed).toMatchObject({
    name: main,
    synonyms: [],
    questionsCount: 1,
    description: 'About it',
  });
  await expectRemoved();
  expect(await tagsOfVersions(asked)).toEqual([
    [main, 'web'],
    [main, 'web'],
  ]);
  expect(await tagsOfVersions(edited)).toEqual([['web'], [main]]);
  expectOk(await actOnPost(moderator, 'restore', 'question', hidden));
  expectOk(await actOnPost(moderator, 'approve', 'question', held, { reason: '' }));
  expect(await tagsOfVersions(held)).toEqual([[main]]);
  expect((await server.siteSettings.refresh(), server.siteSettings.get('requiredTags'))).toEqual([
    'web',
    main,
  ]);
  expect((await sql`select tags from webhook`.execute(server.db)).rows).toEqual([{ tags: [main] }]);
  await setSetting('requiredTags', []);
  await setSetting('holdForApproval', false);
  await expectRemoved();

  // What happens to a new tag with the name is shown.
  await ann.ask({ tags: [old] });
  expectOk(await moderator.put(`/moderation/tags/${old}`, { description: 'Another one', about: '' }));
  expect((await getModerationLog(ann))[0]).toMatchObject({ action: 'tag_texts', subject: old });
});

test('held questions and suggested edits that are approved before the job runs do not bring the name back', async () => {
  await ann.ask({ tags: [old] });
  const asked = await ann.ask({ tags: ['web'] });
  const suggestion = {
    title: 'How long?',
    content: 'In a bag, at 20 °C.',
    tags: [old, 'web'],
    summary: 'Tag',
  };
  const { id } = expectOk(await bob.post<{ id: number }>(`/questions/${asked}/edit-suggestions`, suggestion));
  await setSetting('reviewFirstPosts', 1);
  await setSetting('holdForApproval', true);
  onTestFinished(() => setSetting('holdForApproval', false));
  const nora = await server.register(`Nora${n}`);
  const draft = { title: 'Does it freeze?', content: 'A whole loaf.', tags: [old] };
  const held = expectOk(await nora.post<{ id: number }>('/questions', draft)).id;

  expectOk(await change('rename', old, main));
  expectOk(await actOnPost(moderator, 'approve', 'question', held, { reason: '' }));
  expectOk(await ann.put(`/edit-suggestions/${id}/decision`, { decision: 'approve', reason: '' }));

  expect((await ann.get(`/tags/${old}`)).status).toBe(404);
  expect(await tagsOfVersions(held)).toEqual([[main]]);
  expect(await tagsOfVersions(asked)).toEqual([[main, 'web'], ['web']]);
  await expectRemoved();
});

test('an edit that is suggested with the name while the job runs does not bring it back', async () => {
  await ann.ask({ tags: [old] });
  await ann.ask({ tags: [main] });
  const asked = await ann.ask({ tags: ['web'] });
  expectOk(await change('merge', old, main));
  // As after a step of the job: the name is still a synonym.
  await sql`update tag_change set revisions_read_to = 0 where finished_at is null`.execute(server.db);
  const suggestion = {
    title: 'How long?',
    content: 'In a bag, at 20 °C.',
    tags: [old, 'web'],
    summary: 'Tag',
  };
  const { id } = expectOk(await bob.post<{ id: number }>(`/questions/${asked}/edit-suggestions`, suggestion));
  await runTagChanges(server.db, Number.POSITIVE_INFINITY);
  expectOk(await ann.put(`/edit-suggestions/${id}/decision`, { decision: 'approve', reason: '' }));
  expect(await tagsOfVersions(asked)).toEqual([[main, 'web'], ['web']]);
  await expectRemoved();
});

test('removes the name of a synonym, also one that the renamed tag had, and keeps announcements', async () => {
  const id = await askAndEdit(ann, [old]);
  expectOk(await change('rename', old, main, { keepSynonym: true }));
  const announcement = { questionId: id, text: '', link: '', tag: old, until: null };
  expectOk(await moderator.post('/moderation/announcements', announcement));
  await sql`update announcement set tag_id = (select id from tag where key = ${old})`.execute(server.db);
  await sql`insert into tag_proposal (name, key, status, tag_id, decided_at)
    select name, key, 'approved', id, now() from tag where key = ${old}`.execute(server.db);
  // As after a merge whose changes are not added to the statistics yet.
  await sql`insert into tag_statistics_change (tag_id, week, questions, answers)
    select id, utc_week(now()::timestamptz(3)), change, 0 from tag, unnest('{1,-1}'::int[]) change
    where key = ${old}`.execute(server.db);

  const path = `/moderation/tags/${main}/synonyms/${old}?keepName=false`;
  expect(expectOk(await moderator.delete(path))).toMatchObject({ name: main, synonyms: [] });
  const { rows: orphans } = await sql`
    select from tag_statistics_change where tag_id not in (select id from tag)`.execute(server.db);
  expect(orphans).toEqual([]);
  await expectRemoved();
  const { rows: proposals } = await sql`
    select proposal.name from tag_proposal proposal join tag on tag.id = tag_id where tag.key = ${main}`.execute(
    server.db,
  );
  expect(proposals).toEqual([{ name: main }]);
  expect(await tagsOfVersions(id)).toEqual([[main], [main]]);
  expect(expectOk(await ann.get<{ items: object[] }>(`/announcements?tag=${main}`)).items).toHaveLength(1);

  // Back to the old name, and forward again: the new name is a synonym then.
  const other = `other${n}`;
  expectOk(await change('rename', main, other, { keepSynonym: true }));
  expect(expectOk(await change('rename', other, main))).toMatchObject({ name: main, synonyms: [] });
  expect((await ann.get(`/tags/${other}`)).status).toBe(404);
});

test('merging without a synonym removes the name once the questions have moved', async () => {
  const ids = [await askAndEdit(ann, [old, 'web']), await askAndEdit(bob, [old, main])];
  expectOk(await bob.put(`/tags/${old}/follow`, { following: true }));
  const { rows } = await sql<{ id: number }>`select id from tag where key = ${old}`.execute(server.db);
  const { id } = one(rows);
  await recordNewChanges(server.db);
  expect(await isGoneForPrograms(id)).not.toBe(true);
  expect(expectOk(await change('merge', old, main))).toMatchObject({
    name: main,
    questionsCount: 2,
    followersCount: 1,
  });
  await expectRemoved();
  expect(await isGoneForPrograms(id)).toBe(true);
  expect((await managed()).synonyms).toEqual([]);
  expect(await tagsOfVersions(ids[0] ?? 0)).toEqual([
    [main, 'web'],
    [main, 'web'],
  ]);
  expect(await tagsOfVersions(ids[1] ?? 0)).toEqual([[main], [main]]);
});

test('removes the name from more versions than one step reads', async () => {
  const id = await ann.ask({ tags: [old] });
  await sql`
    insert into revision (question_id, number, title, content, tags, created_at, replaced_at)
    select ${id}, number, 'Many', 'x', array[${old}], now(), now() from generate_series(1, 4500) number`.execute(
    server.db,
  );
  expectOk(await change('rename', old, main));
  await expectRemoved();
});

test('documents and pages in caches lose the name on every node', async () => {
  const id = await ann.ask({ tags: [old] });
  const announcement = { questionId: id, text: '', link: '', tag: old, until: null };
  expectOk(await moderator.post('/moderation/announcements', announcement));
  const node = await startCachingNode(server.database);
  const reader = node.browserOf(ann);
  const paths = [
    `/tags/${old}`,
    `/questions/${id}`,
    '/feeds/recent',
    '/tags?sort=alphabetical',
    `/tags/${old}/questions`,
    `/announcements?tag=${old}`,
    `/announcements?tag=${main}`,
  ];
  for (const path of paths) expect((await reader.get(path)).status).toBe(200);
  const body = { kind: 'rename', tag: old, to: main, keepSynonym: false };
  expectOk(await node.browserOf(moderator).post('/moderation/tag-changes', body));
  const responses = await Promise.all(paths.map((path) => reader.get(path)));
  expect(JSON.stringify(responses.map((response) => response.body))).not.toContain(`"${old}"`);
  expect(responses.map(({ status }) => status)).toEqual([404, 200, 200, 200, 404, 200, 200]);
  expect(responses.at(-1)?.body).toMatchObject({ items: [{ question: { id }, tag: main }] });
  await node.stop();
});
