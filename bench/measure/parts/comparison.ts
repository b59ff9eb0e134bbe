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
} from '../requests.ts';
import { type Part, runInTurn } from '../part.ts';
import { formatAmount, formatSpread, median } from '../results.ts';

/** What is wanted a second, and what NodeBB 4.15 does on such a machine, on PostgreSQL and on Redis. */
const wanted = {
  'list of the newest': { wanted: 12_000, others: [61, 244] },
  'question page': { wanted: 25_000, others: [137, 532] },
  'question page, drawn from all alike': { wanted: null, others: [137, 532] },
  search: { wanted: 2_000, others: [96, 392] },
  'search, each for the first time': { wanted: null, others: [96, 392] },
  votes: { wanted: 3_600, others: [60, 384] },
  answers: { wanted: 1_500, others: [20, 143] },
} as const;

type Name = keyof typeof wanted;

/** Seconds until what is read often is in memory again, after the other work of a round. */
const warming = 30;

/** The work at which NodeBB was measured: 20,000 questions, 40,000 answers, 32 connections, signed in. */
export const comparison: Part = {
  name: 'comparison',
  title: 'The same work as NodeBB',
  explains: 'list, question page, search, votes and answers a second at 20,000 questions',
  async run({ community, seconds, rounds }) {
    const there = await community('comparison');
    const queries = (await sampleQueries(there)).filter(({ kind }) => kind === 'two words');
    const work: Record<Name, Requests> = {
      'list of the newest': pageRequests('/api/feeds/recent'),
      'question page': popularPageRequests(there),
      'question page, drawn from all alike': questionPageRequests(there),
      search: searchRequests(queries),
      'search, each for the first time': await newSearchRequests(there),
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
    const names = Object.keys(wanted) as Name[];
    const measured = await runInTurn(
      rounds,
      Object.fromEntries(names.map((name) => [name, run(name)])) as Record<Name, ReturnType<typeof run>>,
    );
    const rates = (name: Name) => measured[name].map((loaded) => loaded.requests / loaded.seconds);
    const refused = new Set(
      names.filter((name) => measured[name].some((loaded) => Object.keys(loaded.refused).length > 0)),
    );
    return {
      rows: names.map((name) => {
        const least = wanted[name].wanted;
        return {
          what: `${name} a second, at 20,000 questions`,
          wanted: least === null ? '' : formatAmount(least),
          measured: formatSpread(rates(name)),
          holds: least === null ? null : median(rates(name)) >= least && !refused.has(name),
        };
      }),
      table: {
        head: [
          'work',
          'requests/s',
          'median ms',
          'p99 ms',
          'refused',
          'processor ms each: Parley, PostgreSQL, client',
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
          ...wanted[name].others,
        ]),
      },
      plots: [
        {
          kind: 'bars',
          name: 'comparison',
          title: 'The same work, requests a second (logarithmic)',
          unit: '/s',
          log: true,
          series: ['Parley', 'NodeBB on Redis', 'NodeBB on PostgreSQL'],
          groups: names.map((name) => ({
            label: name,
            values: [median(rates(name)), wanted[name].others[1], wanted[name].others[0]],
          })),
        },
      ],
      notes: [
        "32 connections on which one request follows the other, each by another of the signed-in members; the client shares the processors. Question pages are drawn from all 20,000 by Zipf's law (few are read often), and once more all alike; the queries are 50 pairs of words next to each other in a title. Every vote changes one.",
        `Question pages are read for ${warming} s before they are measured, since votes and answers of the round before have changed them; in the first ${seconds} s after the start, ${formatAmount(cold.requests / cold.seconds)} a second are answered.`,
        'NodeBB 4.15 was measured on another day on such a machine; for answers the better end of its range stands here.',
      ],
    };
  },
};
