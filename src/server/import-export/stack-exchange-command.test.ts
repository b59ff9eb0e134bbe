import { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { registerImportCommand } from './stack-exchange-command.ts';
import { createLineProgress } from '#server/core/progress.ts';
import {
  createTestCommunity,
  answerRow,
  questionRow,
  writeArchive,
  type TestCommunity,
  setupTestDatabase,
} from '#tests/support/stack-exchange-archive.ts';

setupTestDatabase();

/** Runs a command line and returns what a terminal would show. */
async function run(
  community: TestCommunity,
  parameters: string[],
): Promise<{ out: string; err: string; code: number }> {
  const result = { out: '', err: '', code: 0 };
  const program = new Command('parley').exitOverride().configureOutput({
    writeOut: (text) => (result.out += text),
    writeErr: (text) => (result.err += text),
  });
  registerImportCommand(program, {
    withClient: (work) => work(community.client),
    out: { write: (text) => (result.out += text) },
    err: { write: (text) => (result.err += text) },
    ask: null,
    exitWith: (code) => (result.code = code),
  });
  await program.parseAsync(['import', ...parameters], { from: 'user' });
  return result;
}

it('prints the outcome of every row, and at the end what was added', async () => {
  const community = await createTestCommunity();
  const directory = await writeArchive({ Posts: [questionRow(1), { ...questionRow(2), PostTypeId: 7 }] });
  expect(
    await run(community, ['stackexchange', directory, '--site', 'beer.stackexchange.com']),
  ).toMatchObject({
    out: [
      'Posts.xml: 2 rows read, 1 imported',
      '  1 skipped: wiki placeholders (type 7)',
      'Note: 1 texts were converted from HTML.',
      'Note: 1 authors have their number as name: they have no entry in Users.xml.',
      'Members 1, questions 1, answers 0, replies 0, follows 0.',
      'The archive of beer.stackexchange.com was imported.\n',
    ].join('\n'),
    code: 0,
  });
  const again = await run(community, ['stackexchange', directory, '--site', 'beer.stackexchange.com']);
  expect(again.out).toMatch(
    /Nothing to add: all of this archive of beer\.stackexchange\.com was imported before\. Nothing was changed\.\n$/u,
  );
  expect(again.code).toBe(0);
});

it('marks the summary of a dry run', async () => {
  const community = await createTestCommunity();
  const { out } = await run(community, [
    'stackexchange',
    await writeArchive({ Posts: [questionRow(1)] }),
    '--site',
    'a.example',
    '--dry-run',
  ]);
  expect(out).toMatch(
    /This was a dry run: the archive of a\.example can be imported\. Nothing was changed\.\n$/u,
  );
  expect(await community.rows('select * from question')).toEqual([]);
});

it('prints a sentence and exits with code 1 for a refused archive', async () => {
  const community = await createTestCommunity();
  const directory = await writeArchive({ Posts: '<posts>\n<row ' });
  const { out, err, code } = await run(community, ['stackexchange', directory]);
  expect(out).toBe('');
  expect(err).toMatch(/Posts\.xml, line 2: the file is damaged or cut off .* Nothing was imported\.\n$/u);
  expect(code).toBe(1);
});

it('prints progress as lines with percentage, rate and remaining time if the output is not a terminal', () => {
  const lines: string[] = [];
  const progress = createLineProgress((line) => lines.push(line), 0);
  progress.start(4_000_000);
  progress.update('Posts.xml', 1_000_000, 1234);
  progress.stop();
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatch(/^25% \| Posts\.xml \| 1,234 rows, [\d.]+ MB\/s \| \d+ s left$/u);
});

describe('the map of redirects', () => {
  async function importTwo(): Promise<TestCommunity & { question: string; answer: string }> {
    const community = await createTestCommunity();
    const posts = [questionRow(7), answerRow(9, 7), questionRow(8)];
    await community.import(await writeArchive({ Posts: posts }));
    await community.rows(`delete from question where source_key = '8'`);
    const [row] = await community.rows('select question_id as question, id as answer from answer');
    return { ...community, question: String(row?.['question']), answer: String(row?.['answer']) };
  }

  it.each([
    ['nginx', ';'],
    ['caddy', ''],
  ])('for %s has the visible questions and answers of the site', async (format, end) => {
    const community = await importTwo();
    const { out, code } = await run(community, ['redirects', '--format', format]);
    expect(code).toBe(0);
    expect(out).toMatch(/^# The addresses of beer\.stackexchange\.com /u);
    const { question, answer } = community;
    expect(out.split('\n').filter((line) => /^ {2}\d/u.test(line))).toEqual([
      `  7 "/question/${question}"${end}`,
      `  9 "/question/${question}#answer-${answer}"${end}`,
    ]);
  });

  it('needs the name of the site if there are several', async () => {
    const community = await importTwo();
    await community.import(await writeArchive({ Posts: [questionRow(1)] }), { site: 'wine.example' });
    expect(await run(community, ['redirects'])).toEqual({
      out: '',
      err: 'Archives of several sites were imported here. Name one of them: beer.stackexchange.com, wine.example.\n',
      code: 1,
    });
    expect((await run(community, ['redirects', 'ale.example'])).err).toBe(
      'No archive of ale.example was imported here, only of beer.stackexchange.com, wine.example.\n',
    );
    expect((await run(community, ['redirects', 'wine.example'])).out).toContain('  1 "/question/');
  });
});
