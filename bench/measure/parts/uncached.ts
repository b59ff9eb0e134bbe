import { createRandom } from '../../fill/random.ts';
import type { Request } from '../load-client.ts';
import type { Community } from '../community.ts';
import { questionPageRequests, type Requests } from '../requests.ts';
import { runInTurn, type Part } from '../part.ts';
import { hasPgbench, runPgbench, createScript } from '../pgbench.ts';
import type { Statement } from '../statement.ts';
import { formatAmount, type PartResult, median, formatSpread } from '../results.ts';
import { type Recorder, startRecorder } from '../statement-recorder.ts';

const clients = 32;

export const uncached: Part = {
  name: 'uncached',
  title: 'Pages from the database',
  description: 'question page without the cache, compared with pgbench and the same SQL',
  async run({ community, seconds, rounds, log }): Promise<PartResult> {
    const there = await community('large', 'uncached');
    const what = 'question page without the cache, random over all, relative to pgbench with the same SQL';
    const row = { what, target: 'at least 0.4' };
    if (!(await hasPgbench()))
      return { rows: [{ ...row, measured: 'pgbench is not installed here', holds: false }] };
    const replayed = await replayOf(there);
    log(`The page takes ${replayed.statements.length} statements; pgbench runs ${replayed.how}.`);
    const all = questionPageRequests(there);
    const same = replayed.among === null ? all : replayed.among;
    const measured = await runInTurn(rounds, {
      page: async () => rate(await there.load(same, { seconds })),
      pgbench: () => runPgbench(there.connection, { ...replayed, clients, seconds }),
      random: async () => rate(await there.load(all, { seconds })),
    });
    const ratios = measured.page.map((pages, round) => pages / (measured.pgbench[round] ?? Number.NaN));
    return {
      rows: [{ ...row, measured: formatSpread(ratios), holds: median(ratios) >= 0.4 }],
      table: {
        head: ['what', 'requests per second'],
        rows: [
          ['Parley, the pages that pgbench reads', formatSpread(measured.page)],
          [`pgbench, ${replayed.statements.length} statements per page`, formatSpread(measured.pgbench)],
          ['Parley, random pages', formatSpread(measured.random)],
        ],
      },
      notes: [
        `${clients} clients on each side. pgbench runs ${replayed.how}, ${replayed.prepared ? 'prepared' : 'with the extended protocol'}; both look up the session. Median of a random page: ${formatAmount(1_000 / median(measured.random), 2)} ms.`,
      ],
    };
  },
};

async function replayOf(there: Community): Promise<Replayed> {
  const recorder = await startRecorder(there.data, there);
  try {
    return await replay(recorder, there.counts.questions);
  } finally {
    await recorder.stop();
  }
}

const rate = ({ requests, seconds }: { requests: number; seconds: number }) => requests / seconds;

type Replayed = {
  statements: Statement[];
  scripts: string[];
  prepared: boolean;
  /** The pages that the scripts read; null: all of them. */
  among: Requests | null;
  how: string;
};

/**
 * If the statements of two pages differ only in the id of the question, one script with a random id covers all pages.
 * Otherwise each of many pages gets a script, since later statements depend on results of earlier ones.
 */
async function replay(recorder: Recorder, questions: number): Promise<Replayed> {
  const pages = pagesToRecord(questions);
  const recorded: Statement[][] = [];
  for (const request of pages.slice(0, 2)) recorded.push(await recorder.record(request));
  const [one = [], other = []] = recorded;
  const prepared = one.some(({ name }) => name !== undefined);
  const numberOf = (request: Request | undefined) => Number(/\d+/u.exec(request?.path ?? '')?.[0]);
  const variable = (request: Request | undefined) => [
    { name: 'question', value: numberOf(request), from: 1, to: questions },
  ];
  const script = createScript(one, variable(pages[0]));
  if (script === createScript(other, variable(pages[1])))
    return {
      statements: one,
      scripts: [script],
      prepared,
      among: null,
      how: 'them with a random question id',
    };
  for (const request of pages.slice(2)) recorded.push(await recorder.record(request));
  const scripts = recorded.map((statements) => createScript(statements));
  return {
    statements: one,
    scripts,
    prepared,
    among: pages,
    how: `the recorded statements of ${pages.length} pages`,
  };
}

/** pgbench accepts up to 128 scripts. */
function pagesToRecord(questions: number): Request[] {
  const random = createRandom(23);
  return Array.from({ length: 120 }, () => ({
    method: 'GET',
    path: `/api/questions/${1 + random.below(questions)}?sort=newest`,
    member: 3,
  }));
}
