import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import type { Member } from '#tests/support/member.ts';
import { startTestServer } from '#tests/support/server.ts';
import { answerRow, archiveXml, questionRow } from '#tests/support/stack-exchange-archive.ts';
import { importJsonLines } from './jsonl-import.ts';
import { importStackExchange } from './stack-exchange-import.ts';

const directory = await mkdtemp(path.join(os.tmpdir(), 'parley-imported-'));
await writeFile(path.join(directory, 'index.html'), '<!doctype html><title>Parley</title>');
await writeFile(path.join(directory, 'pages.json'), '{"index.html":{"file":"assets/index-1.js"}}');
await writeFile(
  path.join(directory, 'Posts.xml'),
  archiveXml('Posts', [questionRow(7), answerRow(9, 7), questionRow(8), answerRow(10, 8)]),
);
const off = await startTestServer({}, undefined, directory);
const server = await off.startSecondNode({ importedSite: 'beer.stackexchange.com' });
const ada = await server.register('Ada');
const ids: Record<string, number> = {};
beforeAll(async () => {
  const client = new pg.Client(server.database.connection);
  await client.connect();
  await importStackExchange({ client, directory, site: 'beer.stackexchange.com' });
  const { rows } = await client.query<{ source_key: string; id: string }>(
    'select source_key, id from question union all select source_key, id from answer',
  );
  for (const { source_key: key, id } of rows) ids[key] = Number(id);
  await client.query('delete from question where id = $1', [ids['8']]);
  await client.end();
});
afterAll(async () => {
  await server.stop();
  await off.stop();
  await rm(directory, { recursive: true });
});

/** Opens a page like a browser window. */
async function open(member: Member | null, address: string, at = server.address) {
  const response = await fetch(at + address, {
    redirect: 'manual',
    headers: member === null ? {} : { cookie: [...member.cookies].map((pair) => pair.join('=')).join('; ') },
  });
  const { status, headers } = response;
  return {
    status,
    location: headers.get('location'),
    cache: headers.get('cache-control'),
    text: await response.text(),
  };
}

test.each([
  '/questions/7',
  '/questions/7/title-of-7',
  '/questions/7/x?lq=1',
  '/q/7',
  '/q/7/1',
  '/questions/7/x/999',
])('redirects a member from %s to the question', async (address) => {
  expect(await open(ada, address)).toMatchObject({
    status: 301,
    location: `/question/${ids['7']}`,
    cache: 'no-store',
  });
});

test.each(['/a/9', '/a/9/1', '/questions/7/title-of-7/9'])(
  'redirects a member from %s to the answer',
  async (address) => {
    const location = `/question/${ids['7']}#answer-${ids['9']}`;
    expect(await open(ada, address)).toMatchObject({ status: 301, location });
  },
);

test('shows the same to visitors for posts that exist, were deleted or never existed', async () => {
  const [imported, ...others] = await Promise.all(
    ['/questions/7', '/questions/8', '/questions/999', '/a/9', '/a/10', '/elsewhere'].map((each) =>
      open(null, each),
    ),
  );
  expect(imported).toMatchObject({ status: 200, location: null });
  for (const other of others) expect(other).toEqual(imported);
  expect((await server.visitor().get('/imported-posts?address=/questions/7')).status).toBe(401);
});

test('does not redirect a member to deleted and unknown posts, and to none if no site is set', async () => {
  for (const address of ['/questions/8', '/a/10', '/questions/999', '/questions/tagged/7', '/questions/7x'])
    expect(await open(ada, address)).toMatchObject({ status: 404, location: null });
  expect(await open(ada, '/questions/7', off.address)).toMatchObject({ status: 404, location: null });
});

test('finds the post of an address with a fragment, which only the browser knows', async () => {
  const address = encodeURIComponent('/questions/7/x#9');
  expect((await ada.get(`/imported-posts?address=${address}`)).body).toEqual({
    path: `/question/${ids['7']}#answer-${ids['9']}`,
  });
});

test('posts of JSON lines link to their pages on the old site, by the paths that the rows have', async () => {
  const lines = await mkdtemp(path.join(os.tmpdir(), 'parley-lines-'));
  onTestFinished(() => rm(lines, { recursive: true }));
  const url = (page: string) => `https://forum.example.org/${page}`;
  const files = {
    members: { id: 1, name: 'Bea', url: url('u/bea') },
    questions: {
      id: 70,
      title: 'From the forum',
      content: 'C',
      authorId: 1,
      url: url('t/from-the-forum/70'),
    },
    answers: { id: 71, questionId: 70, content: 'A', authorName: 'Cay', url: url('t/from-the-forum/70#p71') },
  };
  for (const [kind, row] of Object.entries(files))
    await writeFile(path.join(lines, `${kind}.jsonl`), JSON.stringify(row));
  const client = new pg.Client(server.database.connection);
  await client.connect();
  onTestFinished(() => client.end());
  await importJsonLines({
    client,
    directory: lines,
    site: 'https://forum.example.org',
    license: 'CC BY 4.0',
  });
  const { rows } = await client.query<{ id: string; author_id: string }>(
    `select id, author_id from question where title = 'From the forum'`,
  );
  const [question] = rows;
  const source = { site: 'forum.example.org', license: 'CC BY 4.0' };
  const page = await ada.get(`/questions/${question?.id}`);
  expect(page.body).toMatchObject({
    question: { source: { ...source, url: url('t/from-the-forum/70'), authorUrl: url('u/bea') } },
  });
  expect(JSON.stringify(page.body)).toContain(
    JSON.stringify({
      site: source.site,
      url: url('t/from-the-forum/70#p71'),
      authorUrl: null,
      license: source.license,
    }),
  );
  expect((await ada.get(`/members/${question?.author_id}`)).body).toMatchObject({
    sourceUrl: url('u/bea'),
  });
});
