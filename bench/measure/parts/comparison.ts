import { createRandom } from '../../fill/random.ts';
import {
  newAnswerRequests,
  newSearchRequests,
  pageRequests,
  popularPageRequests,
  questionPageRequests,
  type Requests,
  sampleAnswers,
  sampleQueries,
  searchRequests,
  voteRequests,
  withViewer,
} from '../requests.ts';
import { type Part, runInTurn } from '../part.ts';
import { formatAmount, formatSpread, median } from '../results.ts';

/** Targets per second, and the figures of NodeBB 4.15 on a similar machine, with PostgreSQL and with Redis. */
const targets = {
  'list of newest questions': { target: 12_000, others: [61, 244] },
  'question page': { target: 12_000, others: [137, 532] },
  'question page, uniform over all': { target: 4_000, others: [137, 532] },
  'question document': { target: null, others: [137, 532] },
  search: { target: 2_000, others: [96, 392] },
  'search, first time each': { target: 300, others: [96, 392] },
  votes: { target: 4_000, others: [60, 384] },
  answers: { target: 1_800, others: [20, 143] },
} as const;

type Name = keyof typeof targets;

/** A question page is a document and what its viewer sees on it. */
const requestsPer: Partial<Record<Name, number>> = {
  'question page': 2,
  'question page, uniform over all': 2,
};

/** Warm-up seconds, until frequently read data is in memory again after the other work of a round. */
const warming = 30;

/** The workload of the NodeBB measurement: 20,000 questions, 40,000 answers, 32 connections, signed in. */
export const comparison: Part = {
  name: 'comparison',
  title: 'The same work as NodeBB',
  description: 'list, question page, search, votes and answers per second at 20,000 questions',
  async run({ community, seconds, rounds }) {
    const there = await community('comparison');
    const queries = (await sampleQueries(there)).filter(({ kind }) => kind === 'two words');
    const work: Record<Name, Requests> = {
      'list of newest questions': pageRequests('/api/feeds/recent'),
      'question page': withViewer(popularPageRequests(there)),
      'question page, uniform over all': withViewer(questionPageRequests(there)),
      'question document': popularPageRequests(there),
      search: searchRequests(queries),
      'search, first time each': await newSearchRequests(there),
      votes: voteRequests(sampleAnswers(there, 5_000), createRandom(3)),
      answers: newAnswerRequests(there),
    };
    const next: Partial<Record<Name, number>> = {};
    const run = (name: Name) => async () => {
      const warmUp = name === 'question page' ? warming : 0.5;
      const loaded = await there.load(work[name], { seconds, warmUp, from: next[name] ?? 0 });
      next[name] = loaded.next;
      return loaded;
    };
    const cold = await there.load(work['question page'], { seconds, warmUp: 0 });
    next['question page'] = cold.next;
    const names = Object.keys(targets) as Name[];
    const measured = await runInTurn(
      rounds,
      Object.fromEntries(names.map((name) => [name, run(name)])) as Record<Name, ReturnType<typeof run>>,
    );
    const rates = (name: Name) =>
      measured[name].map((loaded) => loaded.requests / (requestsPer[name] ?? 1) / loaded.seconds);
    const refused = new Set(
      names.filter((name) => measured[name].some((loaded) => Object.keys(loaded.refused).length > 0)),
    );
    return {
      rows: names.map((name) => {
        const least = targets[name].target;
        return {
          what: `${name} per second, at 20,000 questions`,
          target: least === null ? '' : formatAmount(least),
          measured: formatSpread(rates(name)),
          holds: least === null ? null : median(rates(name)) >= least && !refused.has(name),
        };
      }),
      table: {
        head: [
          'work',
          'per second',
          'median ms',
          'p99 ms',
          'refused',
          'CPU ms each: Parley, PostgreSQL, client',
          'NodeBB on PostgreSQL',
          'NodeBB on Redis',
        ],
        rows: names.map((name) => [
          name,
          formatSpread(rates(name)),
          formatAmount(median(measured[name].map((loaded) => loaded.median))),
          formatAmount(median(measured[name].map((loaded) => loaded.p99))),
          JSON.stringify(Object.assign({}, ...measured[name].map((loaded) => loaded.refused))),
          (['server', 'database', 'client'] as const)
            .map((part) => median(measured[name].map(({ each }) => each[part])).toFixed(3))
            .join(', '),
          ...targets[name].others,
        ]),
      },
      plots: [
        {
          kind: 'bars',
          name: 'comparison',
          title: 'The same work, requests per second (logarithmic)',
          unit: '/s',
          log: true,
          series: ['Parley', 'NodeBB on Redis', 'NodeBB on PostgreSQL'],
          groups: names.map((name) => ({
            label: name,
            values: [median(rates(name)), targets[name].others[1], targets[name].others[0]],
          })),
        },
      ],
      notes: [
        "32 connections that each send one request at a time, each request by another signed-in member; the client shares the CPUs. Question pages are drawn from all 20,000 by Zipf's law (few are read often), and once more uniformly; the queries are 50 pairs of adjacent words of a title. Every vote changes a row.",
        `Question pages are read for ${warming} s before the measurement, since votes and answers of the previous round changed them; in the first ${seconds} s after the start, ${formatAmount(cold.requests / 2 / cold.seconds)} pages per second.`,
        'NodeBB 4.15 was measured on another day on a similar machine; for answers, the table has the better end of its range.',
      ],
    };
  },
};
