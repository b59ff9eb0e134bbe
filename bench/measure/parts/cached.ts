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
  description: 'feed and question page, compared with a bare node:http server that writes the same bytes',
  async run({ community, seconds, rounds }) {
    const there = await community('large');
    const work = {
      feed: pageRequests('/api/feeds/recent'),
      'question page': questionPageRequests(there, popular),
    };
    const responses: CannedResponses = {};
    for (const requests of Object.values(work)) Object.assign(responses, await answersOf(there, requests));
    const bare = await startBare(responses);
    // Until the cache has learned which members have votes or visits on each page.
    await there.load(work['question page'], { seconds: 5 });
    const order = { cookies: there.cookies, connections: 32, seconds, warmUp: 0.5, from: 0 };
    try {
      const measured = await runInTurn(rounds, {
        'bare feed': () => runLoad({ ...order, port: bare.port, requests: work.feed }),
        feed: () => there.load(work.feed, { seconds }),
        'bare question page': () => runLoad({ ...order, port: bare.port, requests: work['question page'] }),
        'question page': () => there.load(work['question page'], { seconds }),
      });
      const rates = (name: keyof typeof measured) =>
        measured[name].map((loaded) => loaded.requests / loaded.seconds);
      const ratios = (name: keyof typeof work) =>
        rates(name).map((rate, round) => rate / (rates(`bare ${name}`)[round] ?? Number.NaN));
      const names = Object.keys(work) as (keyof typeof work)[];
      return {
        rows: names.map((name) => ({
          what: `${name} from the cache, relative to bare node:http with the same bytes`,
          target: 'at least 0.5',
          measured: formatSpread(ratios(name)),
          holds: median(ratios(name)) >= 0.5,
        })),
        table: {
          head: ['page', 'Parley, requests/s', 'bare, requests/s', 'bytes per response'],
          rows: names.map((name) => [
            name,
            formatSpread(rates(name)),
            formatSpread(rates(`bare ${name}`)),
            Math.round(median(measured[name].map((loaded) => loaded.bytes / loaded.requests))),
          ]),
        },
        notes: [
          `Signed in, 32 connections, in the large community; ${popular} question pages that all members read. The bare server only writes stored headers and bodies.`,
        ],
      };
    } finally {
      bare.stop();
    }
  },
};

/** Headers that node:http sets itself. */
const ofConnection = new Set(['date', 'connection', 'keep-alive', 'content-length', 'transfer-encoding']);

async function answersOf(community: Community, requests: Requests): Promise<CannedResponses> {
  const responses: CannedResponses = {};
  for (const path of new Set(requests.map((request) => request.path))) {
    // Requested twice, so that the cached response is measured.
    await community.get(path, 1);
    const { headers: all, body } = await community.get(path, 1);
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
