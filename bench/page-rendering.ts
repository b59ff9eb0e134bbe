import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { projectRoot } from '#server/core/paths.ts';
import type { PageToRender, RenderPage } from '#shared/core/page-rendering.ts';
import type { QuestionCardsDocument, QuestionDocument } from '#shared/posts/questions-document.ts';
import { startCommunity } from '#tests/e2e/support/community.ts';
import { register } from '#tests/support/member.ts';

const help = `bench/page-rendering.ts [--build DIRECTORY] [--against DIRECTORY] [--rounds 40] [--length 1900]

Measures the processor time of rendering a question page with 30 answers that is not in a cache: texts of the demo
community, each about --length characters long. (Answers in archives of Stack Exchange have 900 on average.) The second
build, if given, takes turns with the first in the same process, so that their ratio does not depend on what else the
machine does. --build: dist/render after npm run build.`;

const { values } = parseArgs({
  options: {
    build: { type: 'string', default: path.join(projectRoot, 'dist/render') },
    against: { type: 'string' },
    rounds: { type: 'string', default: '40' },
    length: { type: 'string', default: '1900' },
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
    const length = items.reduce((sum, { content }) => sum + content.length, 0) / items.length;
    console.log(`${items.length} answers with ${Math.round(length)} characters on average`);
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
              items: items.map((item) => ({ ...item, content: `${item.content}\n\nIn round ${round}.` })),
            },
          }),
        ],
      ]),
    });
  } finally {
    await community.remove();
  }
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN;
}
