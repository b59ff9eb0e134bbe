import { readFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { projectRoot } from '#server/core/paths.ts';
import type { PageToRender, RenderPage } from '#shared/core/page-rendering.ts';
import type { QuestionCardsDocument, QuestionDocument } from '#shared/posts/questions-document.ts';
import { startCommunity } from '#tests/e2e/support/community.ts';
import { register } from '#tests/support/member.ts';

const help = `bench/page-rendering.ts [--texts FILE] [--build DIRECTORY] [--against DIRECTORY] [--rounds 40] [--length 1900]

Measures the processor time of rendering a question page with 30 answers that is not in a cache. --texts: answers as
JSON lines with 'markdown' (and 'post_type', of which 2 is an answer), other ones in each round. Without it, texts of the
demo community with much code, each about --length characters long; answers in archives of Stack Exchange have 1,000 on
average. The second build, if given, takes turns with the first in the same process, so that their ratio does not depend
on what else the machine does. --build: dist/render after npm run build.`;

const { values } = parseArgs({
  options: {
    build: { type: 'string', default: path.join(projectRoot, 'dist/render') },
    against: { type: 'string' },
    rounds: { type: 'string', default: '40' },
    length: { type: 'string', default: '1900' },
    texts: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

const answerCount = 30;
const answerLength = Number(values.length);

if (values.help) console.log(help);
else await main([values.build, ...(values.against === undefined ? [] : [values.against])]);

async function main(directories: readonly string[]): Promise<void> {
  const makePage = await readQuestionPage();
  const builds = await Promise.all(
    directories.map(async (directory) => {
      const file = path.resolve(directory, 'render-page.js');
      const { renderPage } = (await import(file)) as { renderPage: RenderPage };
      return { directory, renderPage, times: [] as number[] };
    }),
  );
  for (let round = -10; round < Number(values.rounds); round++)
    for (const { renderPage, times } of builds) {
      const page = makePage(round);
      const before = process.cpuUsage();
      const html = await renderPage(page);
      const { user, system } = process.cpuUsage(before);
      if (html?.includes(`round ${round}.`) !== true) throw new Error('The page was not rendered.');
      // The first rounds compile the code.
      if (round >= 0) times.push((user + system) / 1000);
    }
  for (const { directory, times } of builds)
    console.log(`${median(times).toFixed(1)} ms of processor time (median of ${times.length}), ${directory}`);
  const [one, other] = builds.map(({ times }) => median(times));
  if (one !== undefined && other !== undefined) console.log(`ratio ${(one / other).toFixed(2)}`);
  console.log(`${os.cpus()[0]?.model ?? 'unknown'}, Node ${process.version}`);
}

/** Returns a function that makes a page whose texts differ in each round, as they were never rendered before. */
async function readQuestionPage(): Promise<(round: number) => PageToRender> {
  const community = await startCommunity({ demo: true });
  try {
    const client = await register(community.address, 'Reader');
    const read = async (url: string) => JSON.stringify((await client.send('GET', url)).body);
    const documents: QuestionDocument[] = [];
    const { body: feed } = await client.send<QuestionCardsDocument>('GET', '/feeds/recent');
    for (const { id } of feed.items) {
      const { body } = await client.send<QuestionDocument>('GET', `/questions/${id}?sort=newest`);
      documents.push(body);
    }
    const page = documents.find(({ answers }) => answers.items.length > 2);
    if (page === undefined) throw new Error('The demo community has no question with answers.');
    const answers = documents.flatMap((document) => document.answers.items);
    const real = values.texts === undefined ? null : await readAnswers(values.texts);
    const makeText = (from: number) => {
      let text = '';
      for (let at = from; text.length < 0.75 * answerLength; at++)
        text += `${answers[at % answers.length]?.content ?? ''}\n\n`;
      return text;
    };
    const items = Array.from({ length: answerCount }, (_, at) => {
      const answer = answers[at % answers.length];
      if (answer === undefined) throw new Error('The demo community has too few answers.');
      return { ...answer, id: 1000 + at, content: makeText(at * 2) };
    });
    const getText = (round: number, at: number) =>
      real === null
        ? (items[at]?.content ?? '')
        : (real[((round + 10) * answerCount + at) % real.length] ?? '');
    const used = Array.from(
      { length: Number(values.rounds) * answerCount },
      (_, at) => getText(Math.floor(at / answerCount), at % answerCount).length,
    );
    const length = used.reduce((sum, each) => sum + each, 0) / used.length;
    console.log(`${answerCount} answers with ${Math.round(length)} characters on average`);
    const address = `/question/${page.question.id}?sort=newest`;
    const responses = new Map([
      ['/api/session', await read('/session')],
      [
        `/api/viewer/questions/${page.question.id}?sort=newest`,
        await read(`/viewer/questions/${page.question.id}?sort=newest`),
      ],
    ]);
    return (round) => ({
      origin: community.address,
      path: address,
      language: 'en',
      time: Date.now(),
      responses: new Map([
        ...responses,
        [
          `/api/questions/${page.question.id}?sort=newest`,
          JSON.stringify({
            ...page,
            answers: {
              ...page.answers,
              items: items.map((item, at) => ({
                ...item,
                content: `${getText(round, at)}\n\nIn round ${round}.`,
              })),
            },
          }),
        ],
      ]),
    });
  } finally {
    await community.remove();
  }
}

/** In a mixed order that is the same in each run: neighbours in the file are answers to one question. */
async function readAnswers(file: string): Promise<string[]> {
  const lines = (await readFile(file, 'utf8')).split('\n').filter((line) => line !== '');
  const posts = lines.map((line) => JSON.parse(line) as { markdown: string; post_type?: number });
  const answers = posts.filter(({ post_type: type = 2 }) => type === 2).map(({ markdown }) => markdown);
  return answers.map((_, at) => answers[(at * 7919) % answers.length] ?? '');
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN;
}
