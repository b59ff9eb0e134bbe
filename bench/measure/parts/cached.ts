import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { CannedResponses } from '../bare-http-server.ts';
import { type Community, runLoad } from '../community.ts';
import { pageRequests, questionPageRequests, type Requests } from '../requests.ts';
import { runInTurn, type Part } from '../part.ts';
import { median, formatSpread } from '../results.ts';

/** Pages that everybody reads are so many. */
const popular = 200;

export const cached: Part = {
  name: 'cached',
  title: 'Pages from memory',
  explains: 'feed and question page against a bare node:http server that writes the same bytes',
  async run({ community, seconds, rounds }) {
    const there = await community('large');
    const work = {
      feed: pageRequests('/api/feeds/recent'),
      'question page': questionPageRequests(there, popular),
    };
    const said: CannedResponses = {};
    for (const requests of Object.values(work)) Object.assign(said, await answersOf(there, requests));
    const bare = await startBare(said);
    // Until it is known of each page who has anything of their own on it.
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
          what: `${name} from memory, against bare node:http with the same bytes`,
          wanted: 'at least 0.5',
          measured: formatSpread(ratios(name)),
          holds: median(ratios(name)) >= 0.5,
        })),
        table: {
          head: ['page', 'Parley, requests/s', 'bare, requests/s', 'bytes an answer'],
          rows: names.map((name) => [
            name,
            formatSpread(rates(name)),
            formatSpread(rates(`bare ${name}`)),
            Math.round(median(measured[name].map((loaded) => loaded.bytes / loaded.requests))),
          ]),
        },
        notes: [
          `Signed in, 32 connections, at the large community; ${popular} question pages that all members read. The bare server has the answers and their headers ready and does nothing but write them.`,
        ],
      };
    } finally {
      bare.stop();
    }
  },
};

/** Headers that node:http sets by itself. */
const ofConnection = new Set(['date', 'connection', 'keep-alive', 'content-length', 'transfer-encoding']);

async function answersOf(community: Community, requests: Requests): Promise<CannedResponses> {
  const said: CannedResponses = {};
  for (const path of new Set(requests.map((request) => request.path))) {
    // Asked for twice: what is kept is what is measured.
    await community.get(path, 1);
    const { headers: all, body } = await community.get(path, 1);
    const headers = Object.fromEntries(Object.entries(all).filter(([name]) => !ofConnection.has(name)));
    said[path] = { headers, body: body.toString('base64') };
  }
  return said;
}

async function startBare(said: CannedResponses): Promise<{ port: number; stop: () => void }> {
  const server = fork(new URL('../bare-http-server.ts', import.meta.url), { serialization: 'advanced' });
  server.send(said);
  const [port] = (await once(server, 'message')) as [number];
  return { port, stop: () => void server.kill() };
}
