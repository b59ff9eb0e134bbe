import { createRandom } from '../../fill/random.ts';
import type { LoadResult, Request } from '../load-client.ts';
import type { Community } from '../community.ts';
import { runInTurn, type Part } from '../part.ts';
import { hasPgbench, createMergedScript, runPgbench } from '../pgbench.ts';
import type { Statement } from '../statement.ts';
import { formatAmount, type PartResult, median, type Row, formatSpread } from '../results.ts';
import { newAnswerRequests, sampleAnswers, voteRequests as votesOn } from '../requests.ts';
import { isTransaction, type Recorder, startRecorder } from '../statement-recorder.ts';

const clients = 32;

/** More than a client of pgbench stores in one run. */
const votesOfARun = 1_500;

export const votes: Part = {
  name: 'votes',
  title: 'Durable votes and answers',
  description:
    'votes compared with pgbench and the same statements, and votes on one answer compared with votes on many',
  async run({ community, seconds, rounds }): Promise<PartResult> {
    const there = await community('large');
    const spreadOut = sampleAnswers(there, 100);
    const hot = await answerOfAll(there);
    const scripts = (await hasPgbench()) ? [await voteScript(there, spreadOut)] : [];
    const requests = {
      spread: votesOn(spreadOut, createRandom(5)),
      one: votesOn([hot], createRandom(5)),
      answers: newAnswerRequests(there),
      'answers to one question': newAnswerRequests(there, 1),
    };
    const next: Partial<Record<keyof typeof requests, number>> = {};
    const load = (name: keyof typeof requests) => async () => {
      const loaded = await there.load(requests[name], {
        seconds,
        connections: clients,
        from: next[name] ?? 0,
      });
      next[name] = loaded.next;
      return loaded;
    };
    const bench: number[] = [];
    const measured = await runInTurn(rounds, {
      spread: load('spread'),
      one: load('one'),
      answers: load('answers'),
      'answers to one question': load('answers to one question'),
      pgbench: async () => {
        if (scripts.length > 0)
          bench.push(
            await runPgbench(there.connection, {
              scripts,
              clients,
              seconds,
              prepared: true,
              taken: bench.length * votesOfARun,
            }),
          );
        return null;
      },
    });
    const rates = (name: keyof typeof requests) =>
      (measured[name] as LoadResult[]).map((each) => each.requests / each.seconds);
    const ratios = rates('one').map((rate, round) => rate / (rates('spread')[round] ?? Number.NaN));
    return {
      rows: [
        againstPgbench(rates('spread'), bench),
        {
          what: 'all votes on one answer, relative to votes on many',
          target: 'at least 0.5',
          measured: formatSpread(ratios),
          holds: median(ratios) >= 0.5,
        },
      ],
      table: {
        head: ['work', 'per second', 'median ms', 'p99 ms', 'refused'],
        rows: [
          ...(Object.keys(requests) as (keyof typeof requests)[]).map((name) => {
            const all = measured[name] as LoadResult[];
            const refused = JSON.stringify(Object.assign({}, ...all.map((each) => each.refused)));
            const times = [median(all.map((each) => each.median)), median(all.map((each) => each.p99))];
            return [
              name === 'spread' ? 'votes on many answers' : name === 'one' ? 'votes on one answer' : name,
              formatSpread(rates(name)),
              ...times.map((time) => formatAmount(time)),
              refused,
            ];
          }),
          ...(bench.length > 0
            ? [['pgbench with the statements of a vote', formatSpread(bench), '', '', '']]
            : []),
        ],
      },
      notes: [
        `${clients} connections, at the large community; every vote changes one, and is on disk before it is acknowledged. pgbench runs the statements of single votes on the same ${spreadOut.length} answers, each by another member, without the statements for sessions and rate limits, which Parley runs as well.`,
      ],
    };
  },
};

function againstPgbench(rates: readonly number[], bench: readonly number[]): Row {
  const row = {
    what: 'durable votes, 32 clients, relative to pgbench with the same statements',
    target: 'at least 0.4',
  };
  if (bench.length === 0) return { ...row, measured: 'pgbench is not installed here', holds: false };
  const ratios = rates.map((rate, round) => rate / (bench[round] ?? Number.NaN));
  return { ...row, measured: formatSpread(ratios), holds: median(ratios) >= 0.4 };
}

/** The answer with the most votes: its author and its question are among the busiest as well. */
async function answerOfAll({ db }: Community): Promise<number> {
  const { rows } = await db.query<{ id: string }>(
    'select id from answer order by upvotes + downvotes desc limit 1',
  );
  return Number(rows[0]?.id);
}

/** The statements of single votes, recorded for one member and replayed for random others. */
async function voteScript(there: Community, answers: readonly number[]): Promise<string> {
  const recorder = await startRecorder(there.data, there);
  try {
    const recorded: Statement[][] = [];
    for (const answer of answers) recorded.push(await voteStatements(recorder, answer));
    const ids = there.memberIds;
    const value = ids[voter(there)] ?? 0;
    // Members who are not signed in: they have no votes from earlier loads.
    const [from, to] = [Math.max(...ids) + 1, there.counts.members];
    return createMergedScript(recorded, [{ name: 'member', value, from, to, once: true }]);
  } finally {
    await recorder.stop();
  }
}

/** The last member: loads start with the first ones. */
const voter = ({ memberIds }: Community) => memberIds.length - 1;

async function voteStatements({ community, record }: Recorder, answer: number): Promise<Statement[]> {
  const request = (vote: string | null): Request => ({
    method: 'PUT',
    path: `/api/answers/${answer}/vote`,
    member: voter(community),
    body: JSON.stringify({ vote }),
  });
  await record(request(null));
  const statements = await record(request('up'));
  // In pgbench, clients wait without a timeout for the rows that all of them update: lock_timeout is left out.
  return statements
    .filter(({ text }) => !/\b(rate_limit|session)\b|^set local lock_timeout/u.test(text))
    .map((statement) => (isTransaction(statement.text) ? withoutSettings(statement) : statement));
}

const withoutSettings = (statement: Statement): Statement => ({
  ...statement,
  text: statement.text.replace(/;.*/su, ''),
});
