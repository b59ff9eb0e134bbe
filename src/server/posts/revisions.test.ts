import { afterAll, expect, test } from 'vitest';
import type { PostPath } from '#server/testing/member.ts';
import { startTestServer } from '#server/testing/server.ts';
import type { Revision } from '#shared/revisions.ts';

const server = await startTestServer();
afterAll(() => server.stop());
const ann = await server.register('Ann');

/** A post of each kind, and what an edit of it sends. */
async function posts(): Promise<{ path: `/${PostPath}/${number}`; edit: (content: string) => object }[]> {
  const questionId = await ann.ask();
  const answer = await ann.answer(questionId);
  const reply = await ann.reply(answer.id);
  const title = 'How long does rye bread keep?';
  return [
    { path: `/questions/${questionId}`, edit: (content) => ({ title, content, tags: [] }) },
    { path: `/answers/${answer.id}`, edit: (content) => ({ content }) },
    { path: `/replies/${reply.id}`, edit: (content) => ({ content }) },
  ];
}

const contents = async (path: string) => {
  const { items } = (await ann.get<{ items: Revision[] }>(`${path}/revisions`)).body;
  return items.map(({ content }) => content);
};

test('an edit based on a version that is no longer the current one is refused and changes nothing', async () => {
  for (const { path, edit } of await posts()) {
    const save = (content: string, basedOn: string | null) =>
      ann.put<{ editedAt: string }>(path, { ...edit(content), basedOn });
    const { status, body: one } = await save('One.', null);
    expect({ path, status }).toEqual({ path, status: 200 });
    const { body: two } = await save('Two.', one.editedAt);

    for (const old of [null, one.editedAt])
      expect(await save('Three.', old)).toMatchObject({
        status: 409,
        code: 'edited-meanwhile',
        detail: expect.stringMatching(/^This (question|answer|reply) was edited since you began\./),
      });
    expect((await contents(path)).slice(0, 2)).toEqual(['Two.', 'One.']);
    expect(await save('Three.', two.editedAt)).toMatchObject({ status: 200 });
  }
});

test('of two edits of one version at the same moment one is saved', async () => {
  for (const { path, edit } of await posts()) {
    const texts = ['Here.', 'There.', 'Elsewhere.'];
    const saved = await Promise.all(
      texts.map((content) => ann.put(path, { ...edit(content), basedOn: null })),
    );
    expect(saved.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409, 409]);
    expect(await contents(path)).toHaveLength(2);
  }
});

test('an edit that is sent again because its answer got lost is no other edit', async () => {
  for (const { path, edit } of await posts()) {
    const again = () => ann.put(path, { ...edit('Once.'), basedOn: null });
    const [first, second] = [await again(), await again()];
    expect(second).toMatchObject({ status: 200, body: first.body });
    expect(await contents(path)).toHaveLength(2);
  }
});

test('an edit that names no version replaces the current one, whichever it is', async () => {
  for (const { path, edit } of await posts()) {
    for (const content of ['One.', 'Two.'])
      expect(await ann.put(path, edit(content))).toMatchObject({ status: 200 });
    expect(await ann.put(path, { ...edit('Three.'), basedOn: 'yesterday' })).toMatchObject({ status: 400 });
    expect((await contents(path)).slice(0, 2)).toEqual(['Two.', 'One.']);
  }
});
