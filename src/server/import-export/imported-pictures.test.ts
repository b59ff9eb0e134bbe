import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { Command } from 'commander';
import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, expect, test } from 'vitest';
import { projectRoot } from '#server/core/paths.ts';
import { findViolations } from '#server/operations/integrity-check.ts';
import { toDatabaseUrl } from '#tests/support/database-url.ts';
import { compileCache } from '#tests/support/parley-process.ts';
import { createPngPicture } from '#tests/support/pictures.ts';
import { eventually } from '#tests/support/parley.ts';
import { writeJsonLines } from '#tests/support/json-lines.ts';
import { actOnPost, startModeration } from '#tests/support/moderation.ts';
import {
  answerRow,
  commentRow,
  questionRow,
  userRow,
  versionRow,
  writeArchive,
} from '#tests/support/stack-exchange-archive.ts';
import { cleanUpUploads } from '#server/posts/uploads.ts';
import { addPicturesCommand } from './imported-pictures-command.ts';
import { importJsonLines } from './jsonl-import.ts';
import { importStackExchange } from './stack-exchange-import.ts';

const { server, ann, moderator } = await startModeration();
const { db } = server;

/** The site with the pictures. Each path has a picture of its own unless a test sets a response. */
const responses = new Map<string, RequestListener>();
const requests: string[] = [];
const pictures = new Map<string, Uint8Array>();
const sendPicture = (name: string): RequestListener => {
  const bytes = pictures.get(name) ?? createPngPicture();
  pictures.set(name, bytes);
  return (_, response) => response.setHeader('content-type', 'image/png').end(bytes);
};
const site = createServer((request, response) => {
  const name = request.url ?? '';
  requests.push(name);
  (responses.get(name) ?? sendPicture(name))(request, response);
});
await once(site.listen(0, '127.0.0.1'), 'listening');
const address = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
afterAll(() => {
  site.closeAllConnections();
  site.close();
});

/** Adds imported questions with these texts, in which `$` stands for the address of the site. Returns their ids. */
let posts = 0;
async function importQuestions(...texts: string[]): Promise<number[]> {
  const keys = texts.map(() => ++posts);
  await importArchive({ Posts: keys.map((id) => questionRow(id)), Users: [userRow(1)] });
  const contents = texts.map((text) => text.replaceAll('$', address));
  const { rows } = await sql<{ id: number }>`
    update question set content = text.content
    from unnest(${keys.map(String)}::text[], ${contents}::text[]) text (key, content)
    where source_key = text.key returning id`.execute(db);
  return rows.map(({ id }) => id).toSorted((a, b) => a - b);
}

async function importArchive(files: Parameters<typeof writeArchive>[0]): Promise<void> {
  const client = new pg.Client(server.database.connection);
  await client.connect();
  try {
    await importStackExchange({
      directory: await writeArchive(files),
      client,
      site: 'beer.stackexchange.com',
      addOnly: true,
    });
  } finally {
    await client.end();
  }
}

/** Runs `import pictures` and returns what a terminal would show. */
async function importPictures(...parameters: string[]) {
  const result = { out: '', err: '', code: 0 };
  const program = new Command('parley').exitOverride();
  addPicturesCommand(program, {
    withDatabase: (work) => work(db),
    out: { write: (text) => (result.out += text) },
    err: { write: (text) => (result.err += text) },
    exitWith: (code) => (result.code = code),
  });
  await program.parseAsync(['pictures', ...parameters], { from: 'user' });
  return result;
}
const allowed = ['--allow-address', '127.0.0.1'];

const contentOf = async (id: number) => (await ann.read(id)).question.content;
const shown = /\/uploads\/[\w-]{22}\/4x3\.webp/u;

async function statusOf(picture: string): Promise<number> {
  const cookie = [...ann.cookies].map((pair) => pair.join('=')).join('; ');
  return (await fetch(server.address + picture, { headers: { cookie } })).status;
}

test('shows the pictures of a forum whose posts became the own ones of this community', async () => {
  const client = new pg.Client(server.database.connection);
  await client.connect();
  const questions = [{ id: 1, title: 'Moved', content: `![one](${address}/moved.png)` }];
  const directory = await writeJsonLines({ questions });
  expect(await importJsonLines({ directory, client, site: 'forum.example.org' })).toMatchObject({
    isMove: true,
  });
  await client.end();
  const own = await ann.ask({ content: `![one](${address}/of-a-member.png)` });
  expect((await importPictures(...allowed)).out).toContain('Posts that show pictures now: 1\n');
  expect(await contentOf(1)).toMatch(shown);
  expect(await contentOf(own)).not.toMatch(shown);
  requests.length = 0;
});

test('shows the pictures of questions, answers and comments, each fetched once', async () => {
  const picture = `${address}/one.png`;
  await importArchive({
    Posts: [
      questionRow(1001, {
        Body: `<p>Look: <a href="${picture}"><img src="${picture}" alt="enter image description here"></a></p>`,
      }),
      answerRow(1002, 1001, {
        Body: `<p>See <a href="${picture}">one</a> and <img src="${address}/two.png" alt="two">.</p>`,
      }),
    ],
    PostHistory: [
      versionRow(1, 1001, `Look: [![enter image description here][1]][1]\n\n  [1]: ${picture}`),
      versionRow(2, 1002, `See [one](${picture}) and ![two](${address}/two.png).`),
    ],
    Comments: [commentRow(1, 1001)],
    Users: [userRow(1), userRow(2)],
  });
  const { rows } = await sql<{ id: number }>`select id from question where source_key = '1001'`.execute(db);
  const id = rows[0]?.id ?? 0;
  await sql`update reply set content = ${`![one](${picture})`} where question_id = ${id}`.execute(db);
  expect((await ann.read(id)).question.content).toContain(`[1]: ${picture}`);
  const { out, code } = await importPictures(...allowed);
  expect({ out, code }).toEqual({
    out: 'Fetched: 2 (0.0 MB)\nFetched earlier, shown in more posts: 1\nPosts that show pictures now: 3\n',
    code: 0,
  });
  expect(requests.toSorted()).toEqual(['/one.png', '/two.png']);
  await eventually(async () => shown.test(await contentOf(id)));
  const page = await ann.read(id);
  const [path = ''] = shown.exec(page.question.content) ?? [];
  expect(page.question).toMatchObject({
    content: `Look: ![enter image description here](${path})\n\n  [1]: ${picture}`,
    editedAt: null,
  });
  expect(page.answers.items[0]?.content).toMatch(/^See \[one\]\(http:.*\) and !\[two\]\(\/uploads\/.*\)\.$/u);
  expect(page.replies.items[0]?.content).toBe(`![one](${path})`);
  expect(await statusOf(path)).toBe(200);
  await actOnPost(moderator, 'hide', 'question', id);
  expect(await statusOf(path)).toBe(404);
  await actOnPost(moderator, 'restore', 'question', id);

  requests.length = 0;
  expect((await importPictures(...allowed)).out).toBe(
    'Fetched: 0 (0.0 MB)\nPosts that show pictures now: 0\n',
  );
  const [later = 0] = await importQuestions('Once more: ![one]($/one.png)');
  const again = await importPictures(...allowed);
  expect(again.out).toContain('Fetched earlier, shown in more posts: 1\n');
  expect(requests).toEqual([]);
  expect(await contentOf(later)).toBe(`Once more: ![one](${path})`);
  expect(await findViolations(db)).toEqual([]);
});

test('tries failures again on a later run, and what is no picture never again', async () => {
  responses.set('/gone.png', (_, response) => response.writeHead(404).end());
  responses.set('/text.png', (_, response) => response.setHeader('content-type', 'image/png').end('<svg/>'));
  let refusals = 0;
  responses.set('/busy.png', (request, response) => {
    if (++refusals < 3) return response.writeHead(429, { 'retry-after': '0' }).end();
    return sendPicture('/busy.png')(request, response);
  });
  const [id = 0] = await importQuestions(
    '![a]($/gone.png) ![z]($/busy.png#a) ![b]($/text.png) ![c]($/busy.png) ![d](http://10.255.255.1/private.png)',
  );
  const { out, code } = await importPictures(...allowed);
  expect({ out, code }).toEqual({
    out: [
      'Fetched: 1 (0.0 MB)',
      'Refused: 2',
      '  1: not a JPEG, PNG, WebP or GIF picture',
      '  1: not on the public internet (see --allow-address)',
      'Failed: 1',
      '  1: the server responded 404',
      'Run the command again to try those that failed once more.',
      'Posts that show pictures now: 1\n',
    ].join('\n'),
    code: 1,
  });
  responses.clear();
  requests.length = 0;
  expect(await importPictures(...allowed)).toMatchObject({ code: 0 });
  expect(requests).toEqual(['/gone.png']);
  expect(await contentOf(id)).toMatch(
    /^!\[a\]\(\/uploads\/.* !\[z\]\(\/uploads\/.* !\[b\]\(http:.* !\[c\]\(\/uploads\/.* !\[d\]\(http:/u,
  );
});

test('fetches nothing of the own network unless the operator allows it', async () => {
  requests.length = 0;
  await importQuestions('![a]($/own-network.png)');
  expect((await importPictures()).out).toContain('not on the public internet (see --allow-address)\n');
  expect(requests).toEqual([]);
  expect(await importPictures('--allow-address', 'localhost')).toMatchObject({
    err: 'localhost is not an IP address, or a range such as 10.1.0.0/16.\n',
    code: 1,
  });
});

test('leaves a host alone that does not respond', async () => {
  responses.set('/own-network.png', sendPicture('/own-network.png'));
  const names = Array.from({ length: 12 }, (_, index) => `/broken${index}.png`);
  for (const name of names) responses.set(name, (request) => request.socket.destroy());
  const [id = 0] = await importQuestions(names.map((name) => `![a]($${name})`).join('\n'));
  const { out } = await importPictures(...allowed);
  expect(out).toMatch(
    /Failed: 12\n  [67]: the host did not respond to the requests before\n  [56]: the host closed/u,
  );
  responses.clear();
  await sql`delete from question where id = ${id}`.execute(db);
});

test('continues after it was killed, and fetches nothing twice that is stored', async () => {
  requests.length = 0;
  const ids = await importQuestions(...Array.from({ length: 6 }, (_, index) => `![a]($/kill${index}.png)`));
  // The first half is sent, then the site is silent.
  let sent = 0;
  for (let index = 0; index < 6; index++)
    responses.set(`/kill${index}.png`, (request, response) => {
      if (++sent <= 3) sendPicture(request.url ?? '')(request, response);
    });
  const env = {
    PATH: process.env['PATH'],
    NODE_COMPILE_CACHE: compileCache,
    DATABASE_URL: toDatabaseUrl(server.database.connection),
    SECRET: 'a secret that only this test knows, long enough',
    LOG_LEVEL: 'error',
  };
  const program = path.join(projectRoot, 'src/server/cli-main.ts');
  const child = spawn(process.execPath, [program, 'import', 'pictures', ...allowed], {
    env,
    stdio: 'ignore',
  });
  const ended = once(child, 'close');
  const countShown = async () =>
    (await Promise.all(ids.map(contentOf))).filter((text) => shown.test(text)).length;
  await eventually(async () => (await countShown()) === 3);
  child.kill('SIGKILL');
  await ended;
  responses.clear();
  requests.length = 0;
  expect((await importPictures(...allowed)).out).toContain('Fetched: 3 (0.0 MB)\n');
  expect(requests.length).toBe(3);
  expect(await countShown()).toBe(6);
});

test('stops on a signal, and stores what was fetched', async () => {
  const ids = await importQuestions('![a]($/fast.png)', '![a]($/slow.png)');
  responses.set('/slow.png', () => setTimeout(() => process.emit('SIGTERM'), 500));
  const { err, code } = await importPictures(...allowed);
  expect({ code, err: err.split('\n').at(-2) }).toEqual({
    code: 130,
    err: 'Interrupted. Run the command again to continue.',
  });
  expect(await Promise.all(ids.map(async (id) => shown.test(await contentOf(id))))).toEqual([true, false]);
});

test('a picture is deleted a day after the last post that shows it, and can be fetched again', async () => {
  responses.clear();
  await importPictures(...allowed);
  const [id = 0] = await importQuestions('![a]($/last.png)');
  await importPictures(...allowed);
  const [path = ''] = shown.exec(await contentOf(id)) ?? [];
  await sql`update upload set uploaded_at = now() - interval '2 days'`.execute(db);
  await cleanUpUploads(db);
  expect(await statusOf(path)).toBe(200);
  await sql`delete from question where id = ${id}`.execute(db);
  await cleanUpUploads(db);
  expect(await statusOf(path)).toBe(404);
  const refers = sql<{
    upload: null;
  }>`select upload from imported_picture where address = ${`${address}/last.png`}`;
  expect((await refers.execute(db)).rows).toEqual([{ upload: null }]);
});
