import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import http from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import type { LiveEvent } from '#shared/core/events.ts';
import { type LoadBalancer, startLoadBalancer } from '#tests/support/load-balancer.ts';
import { runAsAdmin } from '#tests/support/database.ts';
import { LiveSocket } from '#tests/support/live-socket.ts';
import { type ApiClient, type Member, register } from '#tests/support/member.ts';
import { type TestCluster, createTestCluster } from '#tests/support/cluster.ts';
import { eventually } from '#tests/support/parley.ts';
import type { ParleyProcess } from '#tests/support/parley-process.ts';

const names = ['Ann', 'Bob', 'Eve', 'Kim'];
const socketsEach = 5;

test('two nodes are restarted one after the other, twice: no request fails, and every event is heard once', async () => {
  const cluster = await createTestCluster();
  const nodes = await Promise.all([startNode(cluster), startNode(cluster)]);
  const balancer = await startLoadBalancer(nodes.map(({ address }) => address));
  onTestFinished(balancer.stop);
  const members: Member[] = [];
  for (const name of names) members.push(await register(balancer.address, name));
  const questionId = await members[0]?.ask();
  const listening = members.flatMap((member) => Array.from({ length: socketsEach }, () => member));
  const sockets = await Promise.all(
    listening.map((member) => LiveSocket.open(member, `question:${Number(questionId)}`)),
  );

  const books: Books = { path: `/questions/${questionId}`, requests: 0, upvotes: new Map(), isOver: false };
  const working = Promise.all([
    ...members.map((member) => write(member, books)),
    ...members.map((member) => readNowAndThen(member, books)),
  ]);
  const restarting = (async () => {
    for (const node of [...nodes, ...nodes]) {
      await restart(node, cluster, balancer);
      // Nobody writes as fast as these members do.
      await runAsAdmin(cluster.database.connection, 'truncate rate_limit');
    }
    books.isOver = true;
  })();
  await Promise.all([working, restarting]);

  expect(books.upvotes.size).toBeGreaterThan(50);
  await eventually(() => sockets.every(({ events }) => isAllIn(events, books)));
  for (const { events, gaps, moves } of sockets) {
    expect({ gaps, doubles: doublesIn(events) }).toEqual({ gaps: 0, doubles: [] });
    expect(moves).toBeGreaterThan(0);
  }
});

type Node = { address: string; parley: ParleyProcess };

const env = { DRAIN_SECONDS: '2' };

/** In milliseconds. As with a balancer in front, nobody sends into a connection that was idle for the whole drain. */
const keptIdle = 500;

async function startNode(cluster: TestCluster): Promise<Node> {
  const parley = cluster.start(env);
  return { address: await parley.ready, parley };
}

/** As a process manager does it. Ends when the balancer sends requests there again. */
async function restart(node: Node, cluster: TestCluster, balancer: LoadBalancer): Promise<void> {
  node.parley.signal('SIGTERM');
  expect(await node.parley.ended).toBe(0);
  node.parley = cluster.start({ ...env, PORT: new URL(node.address).port });
  await node.parley.ready;
  await eventually(() => balancer.isReady(node.address));
}

/** What was acknowledged: the answers by their ids, with their upvotes. */
type Books = { path: string; requests: number; upvotes: Map<number, number>; isOver: boolean };

/** Answers, reads and votes without a pause, and never votes twice for one answer, so that counts only go up. */
async function write(member: Member, books: Books): Promise<void> {
  const send = keptConnection(member);
  const voted = new Set<number>();
  while (!books.isOver) {
    const body = { content: 'This goes on.' };
    const { id } = await send<{ id: number }>('POST', `${books.path}/answers`, body);
    books.upvotes.set(id, books.upvotes.get(id) ?? 0);
    const page = await send<{ question: { id: number } }>('GET', books.path);
    expect(page).toHaveProperty('question');
    const others = [...books.upvotes.keys()].filter((answer) => !voted.has(answer)).slice(-3);
    for (const answer of others) {
      await send('PUT', `/answers/${answer}/vote`, { vote: 'up' });
      voted.add(answer);
      books.upvotes.set(answer, (books.upvotes.get(answer) ?? 0) + 1);
    }
    books.requests += 2 + others.length;
  }
}

/** Has a connection that is mostly idle. */
async function readNowAndThen(member: Member, books: Books): Promise<void> {
  const send = keptConnection(member);
  while (!books.isOver) {
    await send('GET', '/feeds/recent');
    await delay(Math.random() * 2_000);
  }
}

/** Sends one request after the other on a connection that is kept while the server keeps it. Nothing is sent twice. */
function keptConnection({ address, cookies }: ApiClient) {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1, timeout: keptIdle });
  const cookie = [...cookies].map((pair) => pair.join('=')).join('; ');
  return async function send<Body>(method: string, path: string, body?: object): Promise<Body> {
    const headers = {
      cookie,
      ...(body && { 'content-type': 'application/json', 'idempotency-key': randomUUID() }),
    };
    const request = http.request(`${address}/api${path}`, { agent, method, headers });
    request.end(body && JSON.stringify(body));
    const [response] = (await once(request, 'response')) as [http.IncomingMessage];
    const text = (await response.setEncoding('utf8').toArray()).join('');
    if (response.statusCode !== 200 && response.statusCode !== 201)
      throw new Error(`${method} ${path} was answered with ${response.statusCode}: ${text}`);
    return JSON.parse(text) as Body;
  };
}

/** Whether every acknowledged answer was heard of, and every vote. */
function isAllIn(heard: readonly LiveEvent[], books: Books): boolean {
  const posted = new Set<number>();
  const upvotes = new Map<number, number>();
  for (const event of heard) {
    if (event.kind === 'answer-posted') posted.add(event.answerId);
    if (event.kind === 'voted' && event.post === 'answer') upvotes.set(event.id, event.upvotes);
  }
  return [...books.upvotes].every(([id, count]) => posted.has(id) && (upvotes.get(id) ?? 0) === count);
}

/** Events that were heard again, or after a later one of their kind. */
function doublesIn(heard: readonly LiveEvent[]): LiveEvent[] {
  const posted = new Set<number>();
  const upvotes = new Map<number, number>();
  return heard.filter((event) => {
    if (event.kind === 'answer-posted') return posted.size === posted.add(event.answerId).size;
    if (event.kind !== 'voted' || event.post !== 'answer') return false;
    const before = upvotes.get(event.id) ?? 0;
    upvotes.set(event.id, event.upvotes);
    return event.upvotes <= before;
  });
}
