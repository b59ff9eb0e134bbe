import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { positionHeader, type Topic } from '#shared/core/events.ts';
import { findRunningConnection } from '#server/postgres/embedded.ts';
import { type Member, register } from '#tests/support/member.ts';
import { spawnParley } from '#tests/support/parley-process.ts';
import type { ListenerReply, ReceivedMessage, ListenerCommand } from './live/listeners.ts';
import { getCpuTimeMs, getResidentBytes } from './process-usage.ts';

/**
 * Measures sockets that follow one question while votes arrive: the delay from commit to receipt, and the server's CPU
 * time and memory, compared in the same run with `ws` alone sending the same texts. The CPU time of the votes is
 * measured without listeners and subtracted for the comparison; both figures are printed.
 */
const { values } = parseArgs({
  options: {
    sockets: { type: 'string', multiple: true, default: ['2000', '10000'] },
    seconds: { type: 'string', default: '20' },
    votes: { type: 'string', default: '50' },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) {
  console.log('bench/live.ts [--sockets 2000 --sockets 10000] [--seconds 20] [--votes 50 per second]');
  process.exit(0);
}
const seconds = Number(values.seconds);
const votesPerSecond = Number(values.votes);

/** Maximum sockets per member (src/server/core/live.ts). */
const socketsPerMember = 30;

const parent = await mkdtemp(path.join(os.tmpdir(), 'parley-live-'));
await chmod(parent, 0o711);
const data = path.join(parent, 'data');
const parley = spawnParley({ env: { PARLEY_DATA: data, LOG_LEVEL: 'info' } });
const address = await parley.ready;
const db = new pg.Client(await findRunningConnection(data));
await db.connect();
try {
  const cpus = os.cpus();
  console.log(
    `${cpus.length} × ${cpus[0]?.model ?? '?'}, ${Math.round(os.totalmem() / 2 ** 30)} GiB, Node ${process.version}`,
  );
  const counts = values.sockets.map(Number);
  const members = await registerMembers(Math.ceil(Math.max(...counts) / socketsPerMember) + 10);
  // Warm-up: the first votes are slow, before code is compiled.
  await measureVotes(members, 0);
  for (const count of counts) await measure(members, count);
} finally {
  await db.end();
  parley.signal('SIGTERM');
  await parley.ended;
  await rm(parent, { recursive: true, force: true });
}

async function measure(members: readonly Member[], count: number): Promise<void> {
  const votesCpu = (await measureVotes(members, 0)).cpu;
  const own = await measureVotes(members, count);
  const bare = await measureBare(own.received, count);
  const messages = own.received.length;
  const deliveries = sum(own.received.map((each) => each.at.length));
  const fanOut = deliveries / (own.cpu - votesCpu) / seconds;
  const ratio = fanOut / bare.perCpuSecond;
  console.log(
    `\n${count} sockets, ${own.votes} votes in ${seconds} s sent in ${messages} messages of ${own.bytes} bytes, ` +
      `${deliveries} deliveries, ${own.lost} lost, ${own.closed} sockets closed`,
  );
  console.log(`  commit to receipt: median ${own.median} ms, p99 ${own.p99} ms, maximum ${own.max} ms`);
  console.log(`  memory per socket: ${own.memory} KB (ws alone ${bare.memory} KB)`);
  console.log(`  server: ${cpuText(own.cpu)}, ${cpuText(own.cpu - votesCpu)} without the votes`);
  console.log(
    `  deliveries per CPU second: ${Math.round(fanOut)} (${Math.round(deliveries / own.cpu / seconds)} including votes), ` +
      `ws alone ${Math.round(bare.perCpuSecond)}: ratio ${ratio.toFixed(2)}`,
  );
}

/** Asks a question with answers to vote on, opens the sockets, and votes. CPU time in seconds per second. */
async function measureVotes(members: readonly Member[], count: number) {
  const [author] = members;
  if (author === undefined) throw new Error('no member was created');
  const total = votesPerSecond * seconds;
  const posts = await askQuestion(members, Math.ceil(total / (members.length - 1)));
  const { headers } = await author.get(`/questions/${posts.questionId}`);
  const topic: Topic = `question:${posts.questionId}`;
  const listeners = count === 0 ? null : forkChild('listeners');
  const before = getResidentBytes(parley.pid);
  if (listeners !== null) {
    const cookies = members.map((member) =>
      [...member.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
    );
    const since = headers.get(positionHeader) ?? '';
    const url = `${address.replace('http', 'ws')}/api/live/?EIO=4&transport=websocket`;
    await send(listeners, { do: 'open', url, cookies, count, topic, since });
    await settle();
    await send(listeners, { do: 'report' });
  }
  const memory = Math.round((getResidentBytes(parley.pid) - before) / Math.max(1, count) / 102.4) / 10;
  const start = cpuOf(parley.pid);
  const votes = await vote(members, posts.answerIds, total);
  await settle();
  const cpu = (cpuOf(parley.pid) - start) / seconds;
  const report = listeners === null ? { received: [], closed: 0 } : await reportOf(listeners);
  listeners?.kill();
  // Authors also receive events of their upvotes, on their own sockets only.
  const received = report.received.filter(({ text }) => batchIn(text).topic === topic);
  return {
    cpu,
    memory,
    votes,
    closed: report.closed,
    received,
    ...(await delays(topic, received, count)),
  };
}

/** Creates enough answers for every member except the author to vote on a new one each time. */
async function askQuestion(members: readonly Member[], answers: number) {
  const question = await members[0]?.post<{ id: number }>('/questions', {
    title: 'How many can read this at once?',
    content: 'A question for many readers.',
    tags: [],
  });
  const questionId = question?.body.id ?? 0;
  const answerIds: number[] = [];
  for (let index = 0; index < answers; index++) {
    const answer = await members[index % members.length]?.post<{ id: number }>(
      `/questions/${questionId}/answers`,
      { content: 'An answer to vote on.' },
    );
    answerIds.push(answer?.body.id ?? 0);
  }
  return { questionId, answerIds };
}

/**
 * Upvotes at a steady rate, each member once per answer, so that counts only increase. Returns the number of stored
 * votes.
 */
async function vote(
  members: readonly Member[],
  answerIds: readonly number[],
  total: number,
): Promise<number> {
  const began = performance.now();
  const votes: Promise<boolean>[] = [];
  for (let index = 0; index < total; index++) {
    const member = members[1 + (index % (members.length - 1))];
    const answerId = answerIds[Math.floor(index / (members.length - 1)) % answerIds.length] ?? 0;
    const due = began + (index * 1_000) / votesPerSecond;
    await pause(due - performance.now());
    const stored = member
      ?.put(`/answers/${answerId}/vote`, { vote: 'up' })
      .then((each) => each.status === 200);
    if (stored !== undefined) votes.push(stored);
  }
  await pause(began + seconds * 1_000 - performance.now());
  return (await Promise.all(votes)).filter(Boolean).length;
}

/** The time from each vote, by the database's clock, until each socket had a message that counts it. */
async function delays(topic: Topic, received: readonly ReceivedMessage[], sockets: number) {
  const { rows } = await db.query<{ id: number; upvotes: number; at: number }>(
    `select (event ->> 'id')::int as id, (event ->> 'upvotes')::int as upvotes,
       extract(epoch from created_at)::float8 * 1000 as at
     from event where topic = $1 and event ->> 'kind' = 'voted' order by event.id`,
    [topic],
  );
  const written = new Map(rows.map(({ id, upvotes, at }) => [`${id} ${upvotes}`, at]));
  const counted = new Map<number, number>();
  const times: number[] = [];
  let lost = 0;
  for (const { text, at } of received) {
    lost += sockets - at.length;
    for (const event of eventsIn(text)) {
      for (let count = (counted.get(event.id) ?? 0) + 1; count <= event.upvotes; count++) {
        const since = written.get(`${event.id} ${count}`) ?? Number.NaN;
        for (const received of at) times.push(received - since);
      }
      counted.set(event.id, event.upvotes);
    }
  }
  lost += (rows.length - sum([...counted.values()])) * sockets;
  const sorted = Float64Array.from(times).toSorted();
  const at = (share: number) =>
    Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0);
  const bytes = Math.round(sum(received.map((each) => each.text.length)) / Math.max(1, received.length));
  return { lost, bytes, median: at(0.5), p99: at(0.99), max: at(1) };
}

type Batch = { topic: Topic; events: { kind: string; id: number; upvotes: number }[] };

function batchIn(text: string): Batch {
  const [, batch] = JSON.parse(text.slice(2)) as [string, Batch];
  return batch;
}

function eventsIn(text: string) {
  return batchIn(text).events.filter((event) => event.kind === 'voted');
}

/** Sends the same texts at the same pace to the same number of sockets with `ws` alone. */
async function measureBare(received: readonly ReceivedMessage[], count: number) {
  const server = forkChild('bare');
  const [port] = (await once(server, 'message')) as [number];
  const listeners = forkChild('listeners');
  const before = getResidentBytes(server.pid ?? 0);
  await send(listeners, { do: 'open-bare', url: `ws://127.0.0.1:${port}`, count });
  await settle();
  const memory = Math.round((getResidentBytes(server.pid ?? 0) - before) / count / 102.4) / 10;
  const start = cpuOf(server.pid ?? 0);
  const began = performance.now();
  for (const [index, { text }] of received.entries()) {
    await pause(began + (index * seconds * 1_000) / received.length - performance.now());
    server.send(text);
  }
  await settle();
  const cpu = cpuOf(server.pid ?? 0) - start;
  const report = await reportOf(listeners);
  listeners.kill();
  server.kill();
  return { memory, perCpuSecond: sum(report.received.map((each) => each.at.length)) / cpu };
}

function forkChild(name: 'listeners' | 'bare'): ChildProcess {
  return fork(new URL(`./live/${name}.ts`, import.meta.url), { serialization: 'advanced' });
}

async function send(listeners: ChildProcess, order: ListenerCommand): Promise<ListenerReply> {
  listeners.send(order);
  const [answer] = (await once(listeners, 'message')) as [ListenerReply];
  return answer;
}

async function reportOf(listeners: ChildProcess) {
  const answer = await send(listeners, { do: 'report' });
  if (!('received' in answer)) throw new Error('the listeners returned no report');
  return answer;
}

async function registerMembers(count: number): Promise<Member[]> {
  const members: Member[] = [];
  for (let index = 0; index < count; index++) members.push(await register(address, `Reader ${index}`));
  return members;
}

/** CPU time of a process so far, in seconds. */
function cpuOf(pid: number): number {
  return getCpuTimeMs(pid) / 1_000;
}
function cpuText(cpu: number): string {
  return `${(cpu * 100).toFixed(0)} % of one processor`;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, Math.max(0, milliseconds)));
}

function settle(): Promise<void> {
  return pause(3_000);
}
