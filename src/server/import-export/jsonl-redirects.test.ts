import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import type { Member } from '#tests/support/member.ts';
import { startTestServer } from '#tests/support/server.ts';
import { undoImport } from './import-undo.ts';
import { importJsonLines } from './jsonl-import.ts';
import { type RedirectFormat, writeRedirects } from './stack-exchange-redirects.ts';

const site = 'forum.example.org';
const directory = await mkdtemp(path.join(os.tmpdir(), 'parley-old-'));
await writeFile(path.join(directory, 'index.html'), '<!doctype html><title>Parley</title>');
await writeFile(path.join(directory, 'pages.json'), '{"index.html":{"file":"assets/index-1.js"}}');
const server = await startTestServer({ importedSite: site }, undefined, directory);
const ada = await server.register('Ada');

const rows = {
  members: [{ id: 1, name: 'Bea' }],
  questions: [
    { id: 12, title: 'First', content: 'Text', tags: ['Trips & tours'], authorId: 1 },
    { id: 13, title: 'Second', content: 'Text' },
  ],
  answers: [{ id: 34, questionId: 12, content: 'Answer', authorId: 1 }],
  replies: [{ id: 35, questionId: 12, answerId: 34, content: 'Reply' }],
  redirects: [
    { from: '/viewtopic.php?t=12', questionId: 12 },
    { from: '/viewtopic.php?t=13', questionId: 13 },
    { from: '/viewtopic.php?p=34', answerId: 34 },
    { from: '/viewtopic.php?p=35', replyId: 35 },
    { from: '/viewtopic.php?start=10&t=12', answerId: 34 },
    { from: '/t/caf%C3%A9/12/', questionId: 12 },
    { from: '/showthread.php?12-first', questionId: 12 },
    { from: '/memberlist.php?mode=viewprofile&u=1', memberId: 1 },
    { from: '/viewforum.php?f=2', tag: 'trips & tours' },
    { from: '/search', questionId: 12 },
    { from: '/q/12/*', questionId: 12 },
    { from: '/q/12/*?show=34', answerId: 34 },
    { from: '/q/12/second', questionId: 13 },
  ],
};

/** Writes files and imports them. */
async function importRows(files: Readonly<Record<string, readonly object[]>>) {
  const lines = await mkdtemp(path.join(os.tmpdir(), 'parley-lines-'));
  onTestFinished(() => rm(lines, { recursive: true }));
  for (const [kind, each] of Object.entries(files))
    await writeFile(path.join(lines, `${kind}.jsonl`), each.map((row) => JSON.stringify(row)).join('\n'));
  return withClient((client) =>
    importJsonLines({ client, directory: lines, site: `https://${site}`, license: 'CC BY 4.0' }),
  );
}

async function withClient<Result>(work: (client: pg.Client) => Promise<Result>): Promise<Result> {
  const client = new pg.Client(server.database.connection);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

const moved = 'question/12';
const bea = { path: '' };

beforeAll(async () => {
  await withClient(async (client) => {
    const lines = await mkdtemp(path.join(os.tmpdir(), 'parley-lines-'));
    for (const [kind, each] of Object.entries(rows))
      await writeFile(path.join(lines, `${kind}.jsonl`), each.map((row) => JSON.stringify(row)).join('\n'));
    await importJsonLines({ client, directory: lines, site: `https://${site}` });
    await rm(lines, { recursive: true });
    const found = await client.query<{ id: string }>(`select id from member where display_name = 'Bea'`);
    bea.path = `/profile/${found.rows[0]?.id}`;
  });
});
afterAll(async () => {
  await server.stop();
  await rm(directory, { recursive: true });
});

async function open(member: Member | null, address: string) {
  const response = await fetch(server.address + address, {
    redirect: 'manual',
    headers: member === null ? {} : { cookie: [...member.cookies].map((pair) => pair.join('=')).join('; ') },
  });
  const { status, headers } = response;
  return { status, location: headers.get('location'), text: await response.text() };
}

test.each([
  ['/viewtopic.php?t=12', `/${moved}`],
  ['/viewtopic.php?f=2&t=12&sid=abc', `/${moved}`],
  ['/viewtopic.php?t=12&start=10', `/${moved}#answer-34`],
  ['/viewtopic.php?t=12&p=34', `/${moved}#answer-34`],
  ['/viewtopic.php?p=35', `/${moved}#reply-35`],
  ['/t/caf%c3%a9/12', `/${moved}`],
  ['/t/caf%C3%A9/12/?u=ada', `/${moved}`],
  ['/showthread.php?12-first', `/${moved}`],
  ['/viewforum.php?f=2', '/topics/Trips%20%26%20tours'],
  ['/q/12/an-old-title', `/${moved}`],
  ['/q/12/an-old-title?show=34&utm=a', `/${moved}#answer-34`],
  ['/q/12/second', '/question/13'],
])('redirects a member from %s to %s', async (address, location) => {
  expect(await open(ada, address)).toMatchObject({ status: 301, location });
});

test('redirects a member to the profile of an imported member', async () => {
  expect(await open(ada, '/memberlist.php?u=1&mode=viewprofile')).toMatchObject({
    status: 301,
    location: bea.path,
  });
});

test('does not redirect from pages of Parley, unknown addresses, and numbers of another kind of site', async () => {
  expect(await open(ada, '/search')).toMatchObject({ status: 200, location: null });
  for (const address of [
    '/viewtopic.php',
    '/viewtopic.php?t=99',
    '/viewtopic.php?f=12',
    '/questions/12',
    '/t/%ff',
    '/q/12',
    '/q/12/title/more',
    '/q/13/title',
  ])
    expect([address, await open(ada, address)]).toMatchObject([address, { status: 404, location: null }]);
});

test('shows the same to visitors for addresses that lead somewhere and others', async () => {
  const [known, unknown] = await Promise.all(
    ['/viewtopic.php?t=12', '/viewtopic.php?t=99'].map((address) => open(null, address)),
  );
  expect(known).toMatchObject({ status: 200, location: null });
  expect(unknown).toEqual(known);
});

test('does not redirect to a deleted question', async () => {
  await withClient((client) => client.query(`delete from question where id = 13`));
  expect(await open(ada, '/viewtopic.php?t=13')).toMatchObject({ status: 404, location: null });
});

test('adds new addresses of later files, keeps those that are known, and skips those to nothing here', async () => {
  const summary = await importRows({
    ...rows,
    redirects: [...rows.redirects, { from: '/first', questionId: 12 }, { from: '/none', tag: 'none' }],
  });
  expect(summary.files.find(({ file }) => file === 'redirects.jsonl')).toMatchObject({
    read: 15,
    imported: 1,
    alreadyImported: 11,
    skipped: [{ reason: 'to posts, members or topics that are not here', rows: 3 }],
  });
  expect(summary).toMatchObject({ isUnchanged: false, added: { redirects: 1, questions: 0 } });
  expect(await open(ada, '/first')).toMatchObject({ status: 301 });
  await withClient(async (client) => {
    const { rows: runs } = await client.query<{ id: string }>('select max(id) as id from import_run');
    await undoImport(client, Number(runs[0]?.id));
  });
  expect(await open(ada, '/first')).toMatchObject({ status: 404 });
  expect(await open(ada, '/viewtopic.php?t=12')).toMatchObject({ status: 301 });
});

test.each([
  [{ from: 'viewtopic.php', questionId: 12 }, 'from: is not a path such as /viewtopic.php?t=12'],
  [{ from: '//elsewhere.example/1', questionId: 12 }, 'from: is not a path such as /viewtopic.php?t=12'],
  [{ from: '/t/1' }, 'needs one of questionId, answerId, replyId, memberId and tag'],
  [
    { from: '/t/1', questionId: 12, answerId: 34 },
    'needs one of questionId, answerId, replyId, memberId and tag',
  ],
  [{ from: '/t/1', answerId: 99 }, 'there is no answer 99 in the files'],
  [{ from: '/t/1', memberId: 99 }, 'there is no member 99 in the files'],
  [
    { from: '/viewtopic.php?t=12&f=1', questionId: 12 },
    'from: another line has the address /viewtopic.php?f=1&t=12',
  ],
])('refuses %j with its line', async (row, problem) => {
  const first = { from: '/viewtopic.php?f=1&t=12', questionId: 12 };
  await expect(importRows({ ...rows, redirects: [first, row] })).rejects.toThrow(
    `redirects.jsonl, line 2: ${problem}.`,
  );
});

async function printMap(format: RedirectFormat): Promise<string> {
  let text = '';
  await withClient((client) =>
    writeRedirects(client, { site, format, out: { write: (part: string) => (text += part) } }),
  );
  return text;
}

test('prints a map per set of parameters for nginx, the most specific first', async () => {
  const text = await printMap('nginx');
  expect(text.split('\n').filter((line) => /^map|^ {2}"\//u.test(line))).toEqual([
    'map $uri $parley_uri {',
    'map $parley_uri $parley_below {',
    'map "$parley_uri?$args" $parley_path {',
    '  "/showthread.php?12-first" "/question/12";',
    'map "$parley_uri?start=$arg_start&t=$arg_t" $parley_path_2 {',
    '  "/viewtopic.php?start=10&t=12" "/question/12#answer-34";',
    'map "$parley_uri?mode=$arg_mode&u=$arg_u" $parley_path_3 {',
    `  "/memberlist.php?mode=viewprofile&u=1" "${bea.path}";`,
    'map "$parley_uri?p=$arg_p" $parley_path_4 {',
    '  "/viewtopic.php?p=34" "/question/12#answer-34";',
    '  "/viewtopic.php?p=35" "/question/12#reply-35";',
    'map "$parley_uri?f=$arg_f" $parley_path_5 {',
    '  "/viewforum.php?f=2" "/topics/Trips%20%26%20tours";',
    'map "$parley_uri?t=$arg_t" $parley_path_6 {',
    '  "/viewtopic.php?t=12" "/question/12";',
    'map "$parley_below?show=$arg_show" $parley_path_7 {',
    '  "/q/12/*?show=34" "/question/12#answer-34";',
    'map "$parley_uri" $parley_path_8 {',
    '  "/search" "/question/12";',
    '  "/t/café/12" "/question/12";',
    'map "$parley_below" $parley_path_9 {',
    '  "/q/12/*" "/question/12";',
  ]);
});

test('prints the same map for Caddy', async () => {
  const text = await printMap('caddy');
  expect(text).toContain(
    'map "{parley_uri}?t={query.t}" {parley_path_6} {\n  default {parley_path_7}\n  "/viewtopic.php?t=12" "/question/12"\n}\n',
  );
});
