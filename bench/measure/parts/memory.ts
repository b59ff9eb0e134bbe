import { createRandom } from '../../fill/random.ts';
import { getMemoryBytes } from '../community.ts';
import type { Request } from '../load-client.ts';
import type { Part } from '../part.ts';
import {
  sampleQueries,
  newAnswerRequests,
  newReplyRequests,
  pageRequests,
  questionPageRequests,
  type Requests,
  searchRequests,
  sampleAnswers,
  viewRequests,
  voteRequests,
  withViewer,
} from '../requests.ts';
import { formatAmount, median, type Row } from '../results.ts';

const [most, mebibyte] = [350, 2 ** 20];

/** Seconds of load between two samples. */
const stretch = 5;

export const memory: Part = {
  name: 'memory',
  title: 'Memory',
  description: 'memory of the server during mixed load',
  async run({ community, minutes, log }) {
    const large = await community('large');
    const queries = await sampleQueries(large);
    const requests = mixed({
      40: withViewer(questionPageRequests(large)),
      20: withViewer(questionPageRequests(large, 200)),
      15: withViewer(pageRequests('/api/feeds/recent')),
      6: withViewer(pageRequests('/api/tags?sort=popular')),
      5: searchRequests(queries),
      7: voteRequests(sampleAnswers(large, 5_000), createRandom(41)),
      8: viewRequests(large),
      2: newAnswerRequests(large),
      1: newReplyRequests(large),
    });
    const points: [number, number][] = [];
    const began = performance.now();
    let [from, answered] = [0, 0];
    while (performance.now() - began < minutes * 60_000) {
      const loaded = await large.load(requests, { seconds: stretch, warmUp: 0, from });
      from = loaded.next;
      answered += loaded.requests;
      const at = (performance.now() - began) / 60_000;
      points.push([at, (await getMemoryBytes(large.pid)) / mebibyte]);
      if (points.length % 6 === 0)
        log(`${formatAmount(at, 1)} min: ${formatAmount(points.at(-1)?.[1] ?? 0)} MiB`);
    }
    return {
      rows: [rowOf(points, minutes)],
      table: {
        head: ['minute', 'MiB'],
        rows: points
          .filter((_, index) => index % Math.ceil(points.length / 20) === 0)
          .map(([at, size]) => [formatAmount(at, 1), formatAmount(size)]),
      },
      plots: [
        {
          kind: 'curve',
          name: 'memory',
          title: 'Memory of the server in MiB',
          x: 'minutes',
          y: 'MiB',
          line: most,
          points,
        },
      ],
      notes: [
        `${answered.toLocaleString('en')} requests: pages, searches, votes, views, answers and replies, 32 connections without a pause; resident memory of the Parley process, without PostgreSQL. ${minutes < 60 ? `The target is an hour; this run took ${minutes} minutes (--minutes 60).` : ''}`,
      ],
    };
  },
};

/** Memory grows if the last third of the samples is more than a tenth above the middle third. */
function rowOf(points: readonly [number, number][], minutes: number): Row {
  const sizes = points.map(([, size]) => size);
  const third = Math.floor(sizes.length / 3);
  const [before, last] = [sizes.slice(third, 2 * third), sizes.slice(-third)];
  const grows = median(last) > median(before) * 1.1;
  const largest = Math.max(...sizes);
  return {
    what: `server memory at a million questions after ${minutes} minutes of mixed load`,
    target: `below ${most} MiB after an hour, and not growing`,
    measured: `${formatAmount(sizes.at(-1) ?? Number.NaN)} MiB, at most ${formatAmount(largest)}; ${grows ? 'growing' : 'not growing'} (${formatAmount(median(before))}, then ${formatAmount(median(last))})`,
    holds: largest < most && !grows,
  };
}

/** Mixes requests by percentage, each kind in its own order. */
function mixed(shares: Readonly<Record<number, Requests>>): Request[] {
  const random = createRandom(43);
  const lists = Object.entries(shares).flatMap(([share, requests]) =>
    Array.from({ length: Number(share) }, () => requests),
  );
  const next = new Map<Requests, number>();
  return Array.from({ length: 100_000 }, () => {
    const list = random.of(lists);
    const place = next.get(list) ?? 0;
    next.set(list, place + 1);
    return list[place % list.length] as Request;
  });
}
