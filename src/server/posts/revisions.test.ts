import { afterAll, expect, test } from 'vitest';
import type { PostPath } from '#tests/support/member.ts';
import { startTestServer } from '#tests/support/server.ts';
import { limits, serverLimits } from '#shared/core/limits.ts';
import type { RevisionsPage } from '#shared/posts/revisions.ts';

const server = await startTestServer();
afterAll(() => server.stop());
const ann = await server.register('Ann');

/** A post of each kind, and the request that edits it. */
async function posts(): Promise<{ path: `/${PostPath}/${number}`; edit: (content: string) => object }[]> {
  const questionId = await ann.ask();
  const answer = await ann.answer(questionId);
  const reply = await ann.replyToAnswer(answer.id);
  const title = 'How long does rye bread keep?';
  return [
    { path: `/questions/${questionId}`, edit: (content) => ({ title, content, tags: [] }) },
    { path: `/answers/${answer.id}`, edit: (content) => ({ content }) },
    { path: `/replies/${reply.id}`, edit: (content) => ({ content }) },
  ];
}

const contents = async (path: string) => (await ann.revisions(path)).map(({ content }) => content);

test('refuses an edit based on an outdated version, and changes nothing', async () => {
  for (const { path, edit } of await posts()) {
    const save = (content: string, basedOn: string | null) =>
      ann.put<{ editedAt: string }>(path, { ...edit(content), basedOn });
    const { status, body: one } = await save('One.', null);
    expect({ path, status }).toEqual({ path, status: 200 });
    await server.ageEdits(6);
    const { body: two } = await save('Two.', one.editedAt);

    for (const old of [null, one.editedAt])
      expect(await save('Three.', old)).toMatchObject({
        status: 409,
        kind: 'edit-conflict',
        detail: expect.stringMatching(/^This (question|answer|reply) was edited while you were writing\./),
      });
    expect((await contents(path)).slice(0, 2)).toEqual(['Two.', 'One.']);
    expect(await save('Three.', two.editedAt)).toMatchObject({ status: 200 });
  }
});

test('saves one of two concurrent edits of the same version', async () => {
  for (const { path, edit } of await posts()) {
    const texts = ['Here.', 'There.', 'Elsewhere.'];
    const saved = await Promise.all(
      texts.map((content) => ann.put(path, { ...edit(content), basedOn: null })),
    );
    expect(saved.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409, 409]);
    expect(await contents(path)).toHaveLength(2);
  }
});

test('accepts a repeated edit whose first response was lost, without a second revision', async () => {
  for (const { path, edit } of await posts()) {
    const again = () => ann.put(path, { ...edit('Once.'), basedOn: null });
    const [first, second] = [await again(), await again()];
    expect(second).toMatchObject({ status: 200, body: first.body });
    expect(await contents(path)).toHaveLength(2);
  }
});

test('replaces the current version when an edit names none', async () => {
  for (const { path, edit } of await posts()) {
    for (const content of ['One.', 'Two.']) {
      expect(await ann.put(path, edit(content))).toMatchObject({ status: 200 });
      await server.ageEdits(6);
    }
    expect(await ann.put(path, { ...edit('Three.'), basedOn: 'yesterday' })).toMatchObject({ status: 400 });
    expect((await contents(path)).slice(0, 2)).toEqual(['Two.', 'One.']);
  }
});

test('combines edits within five minutes of the first into one revision', async () => {
  for (const { path, edit } of await posts()) {
    const [first] = await contents(path);
    for (const content of ['One.', 'Two.']) await ann.put(path, edit(content));
    await server.ageEdits(4);
    await ann.put(path, edit('Three.'));
    expect(await contents(path)).toEqual(['Three.', first]);
    // Six minutes after the first of them, two after the last.
    await server.ageEdits(2);
    await ann.put(path, edit('Four.'));
    expect(await contents(path)).toEqual(['Four.', 'Three.', first]);
    await server.ageEdits(4);
    await ann.put(path, edit('Five.'));
    expect(await contents(path)).toEqual(['Five.', 'Three.', first]);
  }
});

test('keeps the first revision and the latest ones, in pages without texts', async () => {
  for (const { path, edit } of await posts()) {
    const [first] = await contents(path);
    const edits = limits.revisions + 3;
    for (let n = 1; n <= edits; n++) {
      if (n % 20 === 1) await server.resetRateLimits();
      expect((await ann.put(path, edit(`Edit ${n}.`))).status).toBe(200);
      await server.ageEdits(6);
    }
    await server.resetRateLimits();
    const page = (await ann.get<RevisionsPage>(`${path}/revisions`)).body;
    expect(page.items).toHaveLength(serverLimits.revisionsPage);
    expect(page.items[0]).toEqual({
      number: edits + 1,
      createdAt: expect.any(String),
      previous: edits,
      editor: null,
    });
    const revisions = await ann.revisions(path);
    expect(revisions.map(({ number }) => number)).toEqual([
      ...Array.from({ length: limits.revisions }, (_, index) => edits + 1 - index),
      1,
    ]);
    expect(revisions.map(({ content }) => content)).toEqual([
      ...Array.from({ length: limits.revisions }, (_, index) => `Edit ${edits - index}.`),
      first,
    ]);
    const next = await ann.get<RevisionsPage>(`${path}/revisions?cursor=${page.nextCursor}`);
    expect(next.body.items[0]?.number).toBe(page.items.at(-1)?.previous);
    for (const number of [2, 4, edits + 2])
      expect(await ann.get(`${path}/revisions/${number}`)).toMatchObject({ status: 404, kind: 'not-found' });
  }
});

test('responds not found for the revisions of a post that does not exist', async () => {
  for (const path of ['/questions/99999', '/answers/99999', '/replies/99999'])
    for (const part of ['/revisions', '/revisions/1'])
      expect(await ann.get(`${path}${part}`)).toMatchObject({ status: 404, kind: 'not-found' });
});
