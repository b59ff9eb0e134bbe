import { createRandom } from '../../fill/random.ts';
import { type Part, runInTurn } from '../part.ts';
import {
  newAnswerRequests,
  pageRequests,
  questionPageRequests,
  type Requests,
  sampleAnswers,
  sampleQueries,
  searchRequests,
  voteRequests,
  withViewer,
} from '../requests.ts';
import { formatAmount, median } from '../results.ts';

const most = 6;

export const tailLatency: Part = {
  name: 'tail',
  title: 'Tail latency',
  description: 'the 99th percentile of response times, compared with the median, at 32 clients',
  async run({ community, seconds, rounds }) {
    const large = await community('large');
    const queries = await sampleQueries(large);
    const work: Record<string, Requests> = {
      feed: withViewer(pageRequests('/api/feeds/recent')),
      'question page, popular': withViewer(questionPageRequests(large, 200)),
      'question page, any': withViewer(questionPageRequests(large)),
      'topic list': withViewer(pageRequests('/api/tags?sort=popular')),
      search: searchRequests(queries),
      vote: voteRequests(sampleAnswers(large, 5_000), createRandom(37)),
      answer: newAnswerRequests(large),
    };
    const from: Record<string, number> = {};
    const runs = Object.entries(work).map(([name, requests]) => [
      name,
      async () => {
        const loaded = await large.load(requests, { seconds, from: from[name] ?? 0 });
        from[name] = loaded.next;
        return loaded;
      },
    ]);
    const measured = await runInTurn(
      rounds,
      Object.fromEntries(runs) as Record<string, () => ReturnType<typeof large.load>>,
    );
    const figures = Object.entries(measured).map(([name, all]) => {
      const [half, slow] = [median(all.map((each) => each.median)), median(all.map((each) => each.p99))];
      return { name, half, slow, ratio: median(all.map((each) => each.p99 / each.median)) };
    });
    const worst = figures.toSorted((one, other) => other.ratio - one.ratio)[0];
    return {
      rows: [
        {
          what: 'p99 relative to the median at 32 clients',
          target: `at most ${most}`,
          measured: `at most ${formatAmount(worst?.ratio ?? Number.NaN, 1)} (${worst?.name})`,
          holds: figures.every(({ ratio }) => ratio <= most),
        },
      ],
      table: {
        head: ['what', 'median ms', 'p99 ms', 'ratio'],
        rows: figures.map(({ name, half, slow, ratio }) => [
          name,
          formatAmount(half),
          formatAmount(slow),
          formatAmount(ratio, 1),
        ]),
      },
      plots: [
        {
          kind: 'bars',
          name: 'tail',
          title: 'Response time in milliseconds, 32 clients (logarithmic)',
          unit: 'ms',
          log: true,
          series: ['median', 'p99'],
          groups: figures.map(({ name, half, slow }) => ({ label: name, values: [half, slow] })),
        },
      ],
    };
  },
};
