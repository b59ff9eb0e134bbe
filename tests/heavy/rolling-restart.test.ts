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

test('no request fails and every event arrives once while two nodes are restarted one after the other, twice', async () => {
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

  const acknowledged: Acknowledged = {
    path: `/questions/${questionId}`,
    requests: 0,
    upvotes: new Map(),
    isOver: false,
  };
  const working = Promise.all([
    ...members.map((member) => write(member, acknowledged)),
    ...members.map((member) => readOccasionally(member, acknowledged)),
  ]);
  const restarting = (async () => {
    for (const node of [...nodes, ...nodes]) {
      await restart(node, cluster, balancer);
      // These members exceed the rate limits.
      await runAsAdmin(cluster.database.connection, 'truncate rate_limit');
    }
    acknowledged.isOver = true;
  })();
  await Promise.all([working, restarting]);

  expect(acknowledged.upvotes.size).toBeGreaterThan(20);
  await eventually(() => sockets.every(({ events }) => hasAllEvents(events, acknowledged)));
  for (const { events, gaps, moves } of sockets) {
    expect({ gaps, doubles: duplicatesIn(events) }).toEqual({ gaps: 0, doubles: [] });
    expect(moves).toBeGreaterThan(0);
  }
});

type Node = { address: string; parley: ParleyProcess };

const env = { DRAIN_SECONDS: '2' };

/**
 * Longest idle time of a connection, in milliseconds: like a load balancer, members send nothing on a connection that
 * was idle for the whole drain.
 */
const maxIdleMs = 500;

async function startNode(cluster: TestCluster): Promise<Node> {
  const parley = cluster.start(env);
  return { address: await parley.ready, parley };
}

/** Restarts a node as a process manager does. Resolves when the load balancer sends requests to it again. */
async function restart(node: Node, cluster: TestCluster, balancer: LoadBalancer): Promise<void> {
  node.parley.signal('SIGTERM');
  expect(await node.parley.ended).toBe(0);
  node.parley = cluster.start({ ...env, PORT: new URL(node.address).port });
  await node.parley.ready;
  await eventually(() => balancer.isReady(node.address));
}

/** The acknowledged writes: upvotes by the id of the answer. */
type Acknowledged = { path: string; requests: number; upvotes: Map<number, number>; isOver: boolean };

/** Answers, reads and votes, and votes once per answer, so that counts only increase. */
async function write(member: Member, acknowledged: Acknowledged): Promise<void> {
  const send = keepAliveConnection(member);
  const voted = new Set<number>();
  while (!acknowledged.isOver) {
    const body = { content: 'This goes on.' };
    const { id } = await send<{ id: number }>('POST', `${acknowledged.path}/answers`, body);
    acknowledged.upvotes.set(id, acknowledged.upvotes.get(id) ?? 0);
    const page = await send<{ question: { id: number } }>('GET', acknowledged.path);
    expect(page).toHaveProperty('question');
    const others = [...acknowledged.upvotes.keys()].filter((answer) => !voted.has(answer)).slice(-3);
    for (const answer of others) {
      await send('PUT', `/answers/${answer}/vote`, { vote: 'up' });
      voted.add(answer);
      acknowledged.upvotes.set(answer, (acknowledged.upvotes.get(answer) ?? 0) + 1);
    }
    acknowledged.requests += 2 + others.length;
    // Short enough that requests are running whenever a node stops; without a pause they take all processors.
    await delay(100);
  }
}

/** Uses a connection that is mostly idle. */
async function readOccasionally(member: Member, acknowledged: Acknowledged): Promise<void> {
  const send = keepAliveConnection(member);
  while (!acknowledged.isOver) {
    await send('GET', '/feeds/recent');
    await delay(Math.random() * 2_000);
  }
}

/**
 * Sends requests one after the other on a keep-alive connection, as long as the server keeps it open. Repeats nothing.
 */
function keepAliveConnection({ address, cookies }: ApiClient) {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1, timeout: maxIdleMs });
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
      throw new Error(`${method} ${path} responded ${response.statusCode}: ${text}`);
    return JSON.parse(text) as Body;
  };
}

/** Whether an event arrived for every acknowledged answer and vote. */
function hasAllEvents(received: readonly LiveEvent[], acknowledged: Acknowledged): boolean {
  const posted = new Set<number>();
  const upvotes = new Map<number, number>();
  for (const event of received) {
    if (event.kind === 'answer-posted') posted.add(event.answerId);
    if (event.kind === 'voted' && event.post === 'answer') upvotes.set(event.id, event.upvotes);
  }
  return [...acknowledged.upvotes].every(([id, count]) => posted.has(id) && (upvotes.get(id) ?? 0) === count);
}

/** Events that arrived twice, or after a later one of their kind. */
function duplicatesIn(received: readonly LiveEvent[]): LiveEvent[] {
  const posted = new Set<number>();
  const upvotes = new Map<number, number>();
  return received.filter((event) => {
    if (event.kind === 'answer-posted') return posted.size === posted.add(event.answerId).size;
    if (event.kind !== 'voted' || event.post !== 'answer') return false;
    const before = upvotes.get(event.id) ?? 0;
    upvotes.set(event.id, event.upvotes);
    return event.upvotes <= before;
  });
}
