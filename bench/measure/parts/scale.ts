import type { LoadResult } from '../load-client.ts';
import { type Endpoint, endpoints } from '../endpoints.ts';
import type { Part } from '../part.ts';
import { formatAmount, median } from '../results.ts';

const most = 1.5;

type Measured = { name: string; large: number; small: number; ratio: number; refused: string };

export const scale: Part = {
  name: 'scale',
  title: 'A million questions compared with ten thousand',
  description: 'the cost of every page and action in the large community, compared with the small one',
  async run({ community, seconds, rounds, log }) {
    const large = await community('large', 'uncached');
    const small = await community('small', 'uncached');
    const others = new Map((await endpoints(small)).map((endpoint) => [endpoint.name, endpoint]));
    const each = Math.max(0.5, seconds / 4);
    const measured: Measured[] = [];
    for (const endpoint of await endpoints(large)) {
      const other = others.get(endpoint.name);
      if (other === undefined) continue;
      const one = await compare(endpoint, other);
      log(
        `${one.name}: ${formatAmount(one.large)} ms, small ${formatAmount(one.small)} ms, ratio ${formatAmount(one.ratio)}`,
      );
      measured.push(one);
    }
    const above = measured.filter(({ ratio, refused }) => ratio > most || refused !== '');
    const worst = measured.toSorted((one, other) => other.ratio - one.ratio)[0];
    return {
      rows: [
        {
          what: `every page and action (${measured.length}): cost at 1 million relative to 10 thousand`,
          target: `at most ${most}`,
          measured: `median ${formatAmount(median(measured.map(({ ratio }) => ratio)))}; ${above.length} above ${most}, most ${formatAmount(worst?.ratio ?? Number.NaN)} (${worst?.name})`,
          holds: above.length === 0,
        },
      ],
      table: {
        head: ['page or action', 'large, ms', 'small, ms', 'ratio', 'refused'],
        rows: measured.map(({ name, large, small, ratio, refused }) => [
          name,
          formatAmount(large),
          formatAmount(small),
          formatAmount(ratio),
          refused,
        ]),
      },
      plots: [
        {
          kind: 'bars',
          name: 'scale',
          title: 'Cost at a million questions relative to ten thousand',
          unit: '',
          line: most,
          series: ['cost'],
          groups: measured.map(({ name, ratio }) => ({ label: name, values: [ratio] })),
        },
      ],
      notes: [
        'The time per request at 4 connections, median of the runs; both communities in turn, without a response cache.',
      ],
    };

    async function compare(one: Endpoint, other: Endpoint): Promise<Measured> {
      const costs = { large: [] as number[], small: [] as number[] };
      const refused: Record<string, number> = {};
      let from = 0;
      for (let round = 0; round < rounds; round++)
        for (const [name, there, requests] of [
          ['large', large, one.requests],
          ['small', small, other.requests],
        ] as const) {
          const loaded: LoadResult = await there.load(requests, {
            seconds: each,
            warmUp: 0.3,
            connections: 4,
            from,
          });
          costs[name].push((1_000 * loaded.seconds) / Math.max(1, loaded.requests));
          Object.assign(refused, loaded.refused);
          from = Math.max(from, loaded.next);
        }
      const medians = { large: median(costs.large), small: median(costs.small) };
      const statuses = Object.keys(refused).join(', ');
      return { name: one.name, ...medians, ratio: medians.large / medians.small, refused: statuses };
    }
  },
};
