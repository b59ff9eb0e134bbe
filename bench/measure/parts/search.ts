import type { Community } from '../community.ts';
import type { Part } from '../part.ts';
import { sampleQueries, type Query, searchPath } from '../requests.ts';
import { formatAmount, quantile } from '../results.ts';

const [most, growth] = [40, 3];
const kinds: readonly Query['kind'][] = ['common', 'rare', 'two words', 'inside a word'];

export const search: Part = {
  name: 'search',
  title: 'Search',
  description: '200 queries drawn from real titles, one at a time, in the large and the small community',
  async run({ community, rounds }) {
    const large = await measure(await community('large', 'uncached'), rounds);
    const small = await measure(await community('small', 'uncached'), rounds);
    const times = (measured: Timed[], kind?: string) =>
      measured.filter((each) => kind === undefined || each.kind === kind).map((each) => each.time);
    const [slow, quick] = [quantile(times(large.questions), 0.95), quantile(times(small.questions), 0.95)];
    const figures = (name: string, among: 'questions' | 'answers' | 'instant') =>
      ['all', ...kinds].map((kind) => {
        const [there, first, here] = [large[among], large.first[among], small[among]].map((all) =>
          times(all, kind === 'all' ? undefined : kind),
        ) as [number[], number[], number[]];
        return [
          name,
          kind,
          ...[0.5, 0.95, 1].map((share) => formatAmount(quantile(there, share), 1)),
          formatAmount(quantile(first, 0.95), 1),
          ...[0.5, 0.95].map((share) => formatAmount(quantile(here, share), 1)),
        ];
      });
    return {
      rows: [
        {
          what: 'search over a million questions, 200 queries: p95',
          target: `below ${most} ms`,
          measured: `${formatAmount(slow, 1)} ms`,
          holds: slow < most,
        },
        {
          what: 'the same, relative to 10 thousand questions',
          target: `at most ${growth} times`,
          measured: `${formatAmount(slow / quick)} (${formatAmount(quick, 1)} ms there)`,
          holds: slow / quick <= growth,
        },
      ],
      table: {
        head: [
          'in',
          'queries',
          'median ms',
          'p95 ms',
          'slowest ms',
          'first round: p95 ms',
          'small: median ms',
          'small: p95 ms',
        ],
        rows: [
          ...figures('questions', 'questions'),
          ...figures('answers', 'answers'),
          ...figures('while typing', 'instant'),
        ],
      },
      plots: [
        {
          kind: 'bars',
          name: 'search',
          title: 'Search in questions: p95 in milliseconds',
          unit: 'ms',
          line: most,
          series: ['a million questions', 'ten thousand'],
          groups: kinds.map((kind) => ({
            label: kind,
            values: [
              quantile(times(large.questions, kind), 0.95),
              quantile(times(small.questions, kind), 0.95),
            ],
          })),
        },
      ],
      notes: [
        `50 queries of each kind, drawn from existing titles: the most common words, words of one title in 5,000, two adjacent words, and the inside of a word. One request at a time. The first round after the start, without prepared statements and with an empty page cache, has its own column; the other figures are from the ${rounds} rounds after it, without a response cache.`,
      ],
    };
  },
};

type Timed = { kind: string; time: number };

async function measure(there: Community, rounds: number) {
  const queries = await sampleQueries(there);
  const timings = { questions: [] as Timed[], answers: [] as Timed[], instant: [] as Timed[] };
  const paths = {
    questions: (text: string) => searchPath(text),
    answers: (text: string) => searchPath(text, 'answers'),
    instant: (text: string) => `/api/search/instant?q=${encodeURIComponent(text)}`,
  };
  const first = { questions: [] as Timed[], answers: [] as Timed[], instant: [] as Timed[] };
  for (let round = 0; round <= rounds; round++)
    for (const name of ['questions', 'answers', 'instant'] as const) {
      const requests = queries.map(({ text }, member) => ({
        method: 'GET' as const,
        path: paths[name](text),
        member,
      }));
      const { times, refused } = await there.load(requests, { seconds: 0, connections: 1, warmUp: 0 });
      if (Object.keys(refused).length > 0) throw new Error(`searches responded ${JSON.stringify(refused)}`);
      const timed = times.map((time, place) => ({ kind: queries[place]?.kind ?? '', time }));
      (round === 0 ? first : timings)[name].push(...timed);
    }
  return { ...timings, first };
}
