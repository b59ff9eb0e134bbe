import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { projectRoot } from '#server/core/paths.ts';
import { createToken } from '#tests/support/api-tokens.ts';
import { eventually } from '#tests/support/eventually.ts';
import { expectOk } from '#tests/support/member.ts';
import { startTestServer } from '#tests/support/server.ts';
import {
  createParleyClient,
  ParleyError,
  readChanges,
  readPages,
} from '../../clients/typescript/src/index.ts';

const server = await startTestServer({}, { changes: { pollMs: 50 } });
afterAll(() => server.stop());
const ann = await server.register('Ann');
const { token } = await createToken(ann, ['read', 'write']);
const parley = createParleyClient({ url: `${server.address}/`, token });

type Document = { paths: Record<string, Record<string, { security: object[] }>> };

/** The document of the API that the client is generated from: the operations that accept an API token. */
async function readApiDocument(): Promise<Document> {
  const { info: _, ...document } = expectOk(await ann.get<Document & { info: object }>('/openapi.json'));
  const paths = Object.entries(document.paths).map(([address, methods]) => {
    const callable = Object.entries(methods).filter(([, { security }]) =>
      security.some((way) => 'apiToken' in way),
    );
    return [address, Object.fromEntries(callable)] as const;
  });
  const info = { title: 'Parley', version: '1' };
  const called = Object.fromEntries(paths.filter(([, methods]) => Object.keys(methods).length > 0));
  return withoutExamples({ info, ...document, paths: called });
}

const withoutExamples = <Part>(part: Part): Part =>
  JSON.parse(JSON.stringify(part, (key, value: unknown) => (key === 'example' ? undefined : value))) as Part;

test('the types of the client are generated from the current API (npm run api-client)', async () => {
  const document = JSON.stringify(await readApiDocument());
  const digest = `${createHash('sha256').update(document).digest('hex')}\n`;
  const digestFile = path.join(projectRoot, 'clients/typescript/openapi.sha256');
  const file = process.env['PARLEY_API_DOCUMENT'];
  if (file !== undefined) {
    await writeFile(file, document);
    await writeFile(digestFile, digest);
  }
  expect(await readFile(digestFile, 'utf8')).toBe(digest);
});

test('the client asks, reads and lists', async () => {
  const titles = ['How warm should a starter stand?', 'Why does a crust soften?'];
  for (const title of titles) {
    const { data } = await parley.POST('/questions', {
      body: { title, content: 'Please tell.', tags: ['bread'] },
    });
    const id = data?.id ?? 0;
    const { data: page } = await parley.GET('/questions/{id}', { params: { path: { id: String(id) } } });
    expect(page?.question).toMatchObject({ id, title, authorId: ann.id });
  }
  const listed: string[] = [];
  const questions = readPages((page) =>
    parley.GET('/tags/{tag}/questions', { params: { path: { tag: 'bread' }, query: page } }),
  );
  for await (const { title } of questions) listed.push(title);
  expect(listed).toEqual(titles.toReversed());
});

test('the client reads all pages of a list', async () => {
  for (let number = 0; number < 25; number++) await ann.ask({ tags: ['many'] });
  const ids = new Set<number>();
  const questions = readPages((page) =>
    parley.GET('/tags/{tag}/questions', { params: { path: { tag: 'many' }, query: page } }),
  );
  for await (const { id } of questions) ids.add(id);
  expect(ids.size).toBe(25);
});

test('the client keeps a copy up to date', async () => {
  const copy = new Map<string, object>();
  let stored: string | undefined;
  const read = async () => {
    const from = stored === undefined ? {} : { cursor: stored };
    for await (const { changes, cursor } of readChanges(parley, { ...from, kinds: ['question'] })) {
      for (const { kind, id, item } of changes)
        if (item === null) copy.delete(`${kind} ${id}`);
        else copy.set(`${kind} ${id}`, item);
      stored = cursor;
    }
  };
  const id = await ann.ask({ title: 'Is a mirror fast?' });
  await eventually(async () => {
    await read();
    return copy.has(`question ${id}`);
  });
  expect(copy.get(`question ${id}`)).toMatchObject({ title: 'Is a mirror fast?', authorId: ann.id });
  await ann.remove('questions', id);
  await eventually(async () => {
    await read();
    return !copy.has(`question ${id}`);
  });
});

test('the client throws problems with their code', async () => {
  const { problem } = await parley.GET('/questions/{id}', { params: { path: { id: '987654321' } } }).then(
    () => Promise.reject(new Error('found')),
    (error: ParleyError) => error,
  );
  expect(problem).toMatchObject({ status: 404, kind: 'not-found', code: 'question-not-found' });
  await expect(parley.GET('/notifications')).rejects.toThrow(ParleyError);
});

test.each([
  { wait: '60', limit: 500, error: 'TimeoutError' },
  { wait: '3600', limit: 3_000, error: 'ParleyError' },
])('a request that is refused for $wait seconds ends by $error', async ({ wait, limit, error }) => {
  const busy = createServer((_, response) => response.writeHead(429, { 'retry-after': wait }).end());
  await new Promise<void>((resolve) => busy.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void busy.close());
  const url = `http://127.0.0.1:${(busy.address() as AddressInfo).port}`;
  const request = createParleyClient({ url, token }).GET('/tags', { signal: AbortSignal.timeout(limit) });
  await expect(request).rejects.toMatchObject({ name: error });
});

test('the client sends a refused request again after the time that the server names, but no unsafe one', async () => {
  const requests: string[] = [];
  const busy = createServer((request, response) => {
    requests.push(`${request.method} ${String(request.headers['idempotency-key'] ?? '')}`);
    const isFirst = requests.filter((each) => each === requests.at(-1)).length === 1;
    response.writeHead(isFirst ? 429 : 201, { 'content-type': 'application/json', 'retry-after': '1' });
    response.end('{"id":1}');
  });
  await new Promise<void>((resolve) => busy.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(busy.address() as AddressInfo).port}`;
  const client = createParleyClient({ url, token });
  const body = { title: 'How wet is a rye dough?', content: 'It sticks.', tags: ['rye'] };
  const header = { 'idempotency-key': 'rye-dough-1' };
  expect((await client.POST('/questions', { body, params: { header } })).data).toEqual({ id: 1 });
  await expect(client.POST('/questions', { body })).rejects.toThrow('429');
  expect(requests).toEqual(['POST rye-dough-1', 'POST rye-dough-1', 'POST ']);
  await new Promise((resolve) => busy.close(resolve));
});
