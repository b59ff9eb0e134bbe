import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { setRole } from '#server/admin/roles.ts';
import { changeSetting } from '#server/admin/settings.ts';
import { transaction } from '#server/core/database.ts';
import { publish } from '#server/core/events.ts';
import { type Change, changesPage, type ChangesPage } from '#shared/integrations/changes.ts';
import { programOf } from '#tests/support/api-tokens.ts';
import { eventually } from '#tests/support/eventually.ts';
import { expectOk, password } from '#tests/support/member.ts';
import { compareMirror, Mirror } from '#tests/support/mirror.ts';
import { actOnPost } from '#tests/support/moderation.ts';
import { startTestServer } from '#tests/support/server.ts';
import { itemDigest, selectItems } from './changes-queries.ts';
import { recordNewChanges } from './changes.ts';

const server = await startTestServer({}, { changes: { pollMs: 50 } });
afterAll(() => server.stop());
beforeEach(() => server.resetRateLimits());
const ann = await server.register('Ann');
const bob = await server.register('Bob');
const moderator = await server.register('Olga');
await setRole(server.db, { email: moderator.email, role: 'moderator' });
const program = await programOf(ann, ['read']);
await eventually(async () => (await program.get('/changes')).status === 200);

/** Reads until everything is as in the database. */
async function catchUp(mirror: Mirror): Promise<Change[]> {
  const read: Change[] = [];
  await eventually(async () => {
    read.push(...(await mirror.read(program)));
    return (await compareMirror(mirror, server.db)).length === 0;
  });
  return read;
}

/** A mirror that has read everything. */
async function createMirror(query = ''): Promise<Mirror> {
  const mirror = new Mirror(query);
  await catchUp(mirror);
  return mirror;
}

test('a program reads everything once, and then only what changed', async () => {
  const id = await ann.ask({ title: 'How warm?', tags: ['Sourdough'] });
  const answer = await bob.answer(id, 'As **warm** as you.');
  const reply = await ann.replyToAnswer(answer.id, { content: 'Thanks!' });
  const mirror = await createMirror();
  expect(await mirror.read(program)).toEqual([]);
  expect(mirror.items.get(`question ${id}`)).toMatchObject({ title: 'How warm?', tags: ['Sourdough'] });
  expect(mirror.items.get(`reply ${reply.id}`)).toMatchObject({ answerId: answer.id, authorId: ann.id });
  await bob.vote('questions', id, 'up');
  const changed = await catchUp(mirror);
  expect(new Set(changed.map(({ kind, id: changedId }) => `${kind} ${changedId}`))).toEqual(
    new Set([`question ${id}`, `member ${ann.id}`]),
  );
  // Views are no change, although they publish an event for the profile of the author.
  expectOk(await bob.put(`/questions/${id}/view`));
  await delay(300);
  expect(await mirror.read(program)).toEqual([]);
});

test('every item fits the schema of the API', async () => {
  const page = expectOk(await program.get<ChangesPage>('/changes'));
  expect(changesPage.strict().parse(page)).toEqual(page);
  expect(new Set(page.changes.map(({ kind }) => kind)).size).toBe(5);
});

test('what is hidden is gone with everything below it, without a word of it, and comes back', async () => {
  const id = await ann.ask({ title: 'A secret title?', content: 'A secret text.', tags: ['secrets'] });
  const answer = await bob.answer(id, 'A secret answer.');
  const reply = await ann.replyToAnswer(answer.id, { content: 'A secret reply.' });
  const mirror = await createMirror();
  expectOk(await actOnPost(moderator, 'hide', 'question', id));
  const hidden = await catchUp(mirror);
  const own = [`question ${id}`, `answer ${answer.id}`, `reply ${reply.id}`];
  for (const key of own) expect([mirror.items.has(key), mirror.gone.has(key)]).toEqual([false, true]);
  expect(JSON.stringify(hidden)).not.toMatch(/secret/iu);
  expect(hidden).toContainEqual({ kind: 'answer', id: answer.id, item: null });
  // Also for a program that begins now.
  const later = await createMirror();
  expect(JSON.stringify([...later.items])).not.toMatch(/secret/iu);
  expectOk(await actOnPost(moderator, 'restore', 'question', id));
  await catchUp(mirror);
  for (const key of own) expect(mirror.items.has(key)).toBe(true);
});

test('lists only the kinds that a program asks for', async () => {
  const id = await ann.ask({ tags: ['rye'] });
  await createMirror();
  const mirror = new Mirror('kinds=tag,question');
  const read = await mirror.read(program);
  expect(new Set(read.map(({ kind }) => kind))).toEqual(new Set(['tag', 'question']));
  expect(mirror.items.has(`question ${id}`)).toBe(true);
  expect(await program.get('/changes?kinds=vote')).toMatchObject({ status: 400 });
});

test('updatedSince lists what changed since a time', async () => {
  await ann.ask();
  const before = await createMirror();
  await delay(20);
  const { rows } = await sql<{ now: Date }>`select clock_timestamp() as now`.execute(server.db);
  const since = rows[0]?.now.toISOString() ?? '';
  const id = await bob.ask();
  await catchUp(before);
  const mirror = new Mirror(`updatedSince=${since}`);
  const read = await mirror.read(program);
  expect(read.map(({ kind, id: changed }) => `${kind} ${changed}`).toSorted()).toEqual([
    `member ${bob.id}`,
    `question ${id}`,
  ]);
  expect(await program.get('/changes?updatedSince=yesterday')).toMatchObject({ status: 400 });
  // The clock of the program is an hour ahead.
  const ahead = new Mirror(`updatedSince=${new Date(Date.now() + 3_600_000).toISOString()}`);
  expect(await ahead.read(program)).toEqual([]);
  await eventually(async () => {
    await bob.vote('questions', id, null);
    await ann.vote('questions', id, 'up');
    return (await ahead.read(program)).length > 0;
  });
});

test('a change that is committed after later ones is not missed', async () => {
  const [first, second] = [await ann.ask({ title: 'First?' }), await ann.ask({ title: 'Second?' })];
  const mirror = await createMirror();
  const commit = Promise.withResolvers<void>();
  const edited = Promise.withResolvers<void>();
  const slow = transaction(server.db, async (tx) => {
    await sql`update question set title = 'First, late?' where id = ${first}`.execute(tx);
    await publish(tx, `question:${first}`, { kind: 'edited' });
    edited.resolve();
    await commit.promise;
  });
  await edited.promise;
  await ann.vote('questions', second, 'up');
  await eventually(async () => {
    await mirror.read(program);
    return JSON.stringify(mirror.items.get(`question ${second}`)).includes('"upvotes":1');
  });
  expect(mirror.items.get(`question ${first}`)).toMatchObject({ title: 'First?' });
  commit.resolve();
  await slow;
  await catchUp(mirror);
  expect(mirror.items.get(`question ${first}`)).toMatchObject({ title: 'First, late?' });
});

test('an account that registers, changes its name and is deleted', async () => {
  const mirror = await createMirror();
  const cy = await server.register('Cy');
  await catchUp(mirror);
  const key = `member ${cy.id}`;
  expect(mirror.items.get(key)).toMatchObject({ displayName: 'Cy' });
  expect(JSON.stringify(mirror.items.get(key))).not.toContain('@');
  expectOk(await cy.put('/settings', { displayName: 'Cyd', bio: 'Bakes.', showEmail: true }));
  await catchUp(mirror);
  expect(mirror.items.get(key)).toMatchObject({ displayName: 'Cyd', bio: 'Bakes.' });
  await sql`update member set application = 'waiting' where id = ${bob.id}`.execute(server.db);
  await sql`update member set application = null where id = ${bob.id}`.execute(server.db);
  expectOk(await cy.post('/account-deletion', { password, posts: 'keep' }));
  await catchUp(mirror);
  expect(mirror.gone.has(key)).toBe(true);
});

test('two nodes build one list', async () => {
  await sql`delete from event_reader where name = 'changes'`.execute(server.db);
  const building = Array.from({ length: 4 }, () => recordNewChanges(server.db));
  await Promise.all(building);
  const { rows } = await sql<{ rows: number; positions: number }>`
    select count(*) as rows, count(distinct position) as positions from public_change`.execute(server.db);
  expect(rows[0]?.rows).toBe(rows[0]?.positions);
  await createMirror();
});

test('a cursor of a list that was built again is refused', async () => {
  const mirror = await createMirror();
  // As after a backup was restored.
  await sql`delete from event_reader where name = 'changes'`.execute(server.db);
  await eventually(async () => (await program.get(`/changes?cursor=${mirror.cursor}`)).status === 410);
  expect(await program.get(`/changes?cursor=${mirror.cursor}`)).toMatchObject({
    code: 'changes-cursor-expired',
  });
  await createMirror();
});

test('responds 304 to the ETag until something changes', async () => {
  const mirror = await createMirror();
  const path = `/changes?cursor=${mirror.cursor}`;
  const etag = (await program.get(path)).headers.get('etag') ?? '';
  const send = () => program.send('GET', path, { headers: { 'if-none-match': etag } });
  expect((await send()).status).toBe(304);
  await ann.ask();
  await eventually(async () => (await send()).status === 200);
});

test('visitors read the list only while public reading is on', async () => {
  expect((await server.visitor().get('/changes')).status).toBe(401);
  await changeSetting(server.db, { name: 'publicReading', value: true, adminId: null });
  await server.siteSettings.refresh();
  const mirror = new Mirror();
  await mirror.read(server.visitor());
  expect(mirror.items.size).toBeGreaterThan(5);
  await changeSetting(server.db, { name: 'publicReading', value: false, adminId: null });
  await server.siteSettings.refresh();
  expect((await server.visitor().get('/changes')).status).toBe(401);
  const drafting = await programOf(ann, ['drafts']);
  expect(await drafting.get('/changes')).toMatchObject({ status: 403, code: 'api-token-scope-missing' });
});

test('the posts of an account that was merged with tens of thousands of threads get positions', async () => {
  const id = await ann.ask();
  const answer = await bob.answer(id);
  const mirror = await createMirror();
  await sql`
    with changed as (update base_answer set content = 'Changed.' where id = ${answer.id})
    insert into event (topic, event)
    select 'question:' || n, jsonb_build_object('kind', 'edited', 'authorId', ${bob.id}::bigint)
    from generate_series(${id}::bigint, ${id}::bigint + 40000) n`.execute(server.db);
  await catchUp(mirror);
  expect(mirror.items.get(`answer ${answer.id}`)).toMatchObject({ content: 'Changed.' });
});

test('itemVersion belongs to the present fields of the items', () => {
  const statement = selectItems(sql`page`)
    .compile(server.db)
    .sql.replaceAll(/\s+/gu, ' ');
  // If this fails: raise itemVersion if a field was added, removed or changed, or other items are shown. Set itemDigest to
  // the new value.
  expect(createHash('sha256').update(statement).digest('hex').slice(0, 16)).toBe(itemDigest);
});
