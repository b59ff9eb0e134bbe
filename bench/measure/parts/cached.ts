import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { CannedResponses } from '../bare-http-server.ts';
import { type Community, runLoad } from '../community.ts';
import { pageRequests, questionPageRequests, type Requests } from '../requests.ts';
import { runInTurn, type Part } from '../part.ts';
import { median, formatSpread } from '../results.ts';

/** The number of popular pages. */
const popular = 200;

export const cached: Part = {
  name: 'cached',
  title: 'Pages from the response cache',
  description:
    'documents of a feed and of questions, compared with a bare node:http server that writes the same bytes',
  async run({ community, seconds, rounds }) {
    const large = await community('large');
    const feed = pageRequests('/api/feeds/recent');
    const document = questionPageRequests(large, popular);
    const work = {
      feed,
      'question document': document,
      'feed, uncompressed': uncompressed(feed),
      'question document, uncompressed': uncompressed(document),
    };
    const bare = {
      gzip: await startBare(await answersOf(large, [...feed, ...document])),
      identity: await startBare(await answersOf(large, [...feed, ...document], 'identity')),
    };
    const order = { cookies: large.cookies, connections: 32, seconds, warmUp: 0.5, from: 0 };
    try {
      const names = Object.keys(work) as (keyof typeof work)[];
      const runs = names.flatMap((name) => {
        const requests = work[name];
        const { port } = bare[requests[0]?.encoding ?? 'gzip'];
        return [
          [`bare ${name}`, () => runLoad({ ...order, port, requests })],
          [name, () => large.load(requests, { seconds })],
        ] as const;
      });
      const measured = await runInTurn(rounds, Object.fromEntries(runs));
      const rates = (name: string) =>
        (measured[name] ?? []).map((loaded) => loaded.requests / loaded.seconds);
      const ratios = (name: keyof typeof work) =>
        rates(name).map((rate, round) => rate / (rates(`bare ${name}`)[round] ?? Number.NaN));
      return {
        rows: names.map((name) => ({
          what: `${name} from the cache, relative to bare node:http with the same bytes`,
          target: 'at least 0.7',
          measured: formatSpread(ratios(name)),
          holds: median(ratios(name)) >= 0.7,
        })),
        table: {
          head: ['page', 'Parley, requests/s', 'bare, requests/s', 'bytes per response'],
          rows: names.map((name) => [
            name,
            formatSpread(rates(name)),
            formatSpread(rates(`bare ${name}`)),
            Math.round(median((measured[name] ?? []).map((loaded) => loaded.bytes / loaded.requests))),
          ]),
        },
        notes: [
          `Signed in, 32 connections, in the large community; ${popular} question documents that all members read. The bare server only writes stored headers and bodies.`,
        ],
      };
    } finally {
      bare.gzip.stop();
      bare.identity.stop();
    }
  },
};

/** Headers that node:http sets itself. */
const ofConnection = new Set(['date', 'connection', 'keep-alive', 'content-length', 'transfer-encoding']);

const uncompressed = (requests: Requests): Requests =>
  requests.map((each) => ({ ...each, encoding: 'identity' }));

async function answersOf(
  community: Community,
  requests: Requests,
  encoding?: string,
): Promise<CannedResponses> {
  const responses: CannedResponses = {};
  for (const [member, path] of [...new Set(requests.map((request) => request.path))].entries()) {
    // By different members, because of the rate limits. Requested twice, so that the cached response is measured.
    await community.get(path, member, encoding);
    const { headers: all, body } = await community.get(path, member, encoding);
    const headers = Object.fromEntries(Object.entries(all).filter(([name]) => !ofConnection.has(name)));
    responses[path] = { headers, body: body.toString('base64') };
  }
  return responses;
}

async function startBare(responses: CannedResponses): Promise<{ port: number; stop: () => void }> {
  const server = fork(new URL('../bare-http-server.ts', import.meta.url), { serialization: 'advanced' });
  server.send(responses);
  const [port] = (await once(server, 'message')) as [number];
  return { port, stop: () => void server.kill() };
}
