import { Command } from 'commander';
import { expect, it } from 'vitest';
import { registerImportCommand } from './stack-exchange-command.ts';
import {
  answerRow,
  commentRow,
  createTestCommunity,
  questionRow,
  setupTestDatabase,
  type TestCommunity,
  userRow,
  writeArchive,
} from '#tests/support/stack-exchange-archive.ts';

setupTestDatabase();

const first = { Users: [userRow(1), userRow(2)], Posts: [questionRow(1), answerRow(2, 1)] };
const second = {
  Users: [...first.Users, userRow(3, { LastAccessDate: '2016-06-01T00:00:00.000' })],
  Posts: [...first.Posts, questionRow(3), answerRow(4, 1, { OwnerUserId: 3 })],
  Comments: [commentRow(1, 1)],
};

async function list(community: TestCommunity, ...flags: string[]): Promise<string> {
  let out = '';
  const program = new Command('parley').exitOverride();
  registerImportCommand(program, {
    withClient: (work) => work(community.client),
    out: { write: (text) => (out += text) },
    err: { write: () => {} },
    ask: null,
    exitWith: () => {},
  });
  await program.parseAsync(['import', 'list', ...flags], { from: 'user' });
  return out;
}

it('lists each import with its site, its file, the newest time in it and what it added', async () => {
  const community = await createTestCommunity();
  expect(await list(community)).toBe('Nothing was imported.\n');
  const directory = await writeArchive(first);
  await community.import(directory);
  await community.import(await writeArchive(second, 'newer'));
  const lines = (await list(community)).trimEnd().split('\n');
  const site = 'beer.stackexchange.com';
  const now = expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d$/u);
  expect(lines.map((line) => line.split('\t').slice(1))).toEqual([
    [site, now, '2015-01-02', '1', '1', '0', '2', '0', directory],
    [site, now, '2016-06-01', '1', '1', '1', '1', '0', expect.stringMatching(/\/newer$/u)],
  ]);
});

it('prints JSON with the outcome of the rows of each file', async () => {
  const community = await createTestCommunity();
  await community.import(await writeArchive(first));
  expect(JSON.parse(await list(community, '--json'))).toEqual([
    {
      id: expect.any(Number),
      site: 'beer.stackexchange.com',
      file: expect.stringMatching(/\/archive$/u),
      importedAt: expect.any(String),
      newestAt: '2015-01-02T10:00:00.000Z',
      rows: { members: 2, questions: 1, answers: 1, replies: 0, tagTexts: 0 },
      summary: expect.objectContaining({
        files: expect.arrayContaining([expect.objectContaining({ file: 'Posts.xml', read: 2, imported: 2 })]),
      }),
    },
  ]);
});

it('records no import that changed nothing, was refused or was a dry run', async () => {
  const community = await createTestCommunity();
  const directory = await writeArchive(first);
  await community.import(directory, { dryRun: true });
  await community.import(directory);
  await community.import(directory);
  await expect(community.import(await writeArchive({ Posts: '<posts>\n<row ' }))).rejects.toThrow('damaged');
  expect(await community.rows('select id from import_run')).toHaveLength(1);
});
