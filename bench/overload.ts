import { randomInt } from 'node:crypto';
import { readFileSync } from 'node:fs';
import os from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { findViolations } from '#server/operations/integrity-check.ts';
import { type ArrivalFigures, sendAtRate } from './overload/arrivals.ts';
import { type Community, cookieOf, size, withCommunity } from './write-throughput/community.ts';
import { runLoad, type Request } from './write-throughput/load.ts';

const help = `bench/overload.ts [--minutes 30] [--times 2] [--measured 15]

What one node does that is asked for more than it can carry: how many requests of a mixed load it answers a second is
measured first, then so many times as many come at their own pace for as long as said, then half as many again. Prints,
for each minute, what was served and refused and how quickly, and the memory of the node. Ends with 1 where something
else than 'later' (503) or 'too many' (429) was answered, memory kept growing, the node was not itself afterwards, or a
count does not equal its rows. The clients run on the same machine.`;

const { values } = parseArgs({
  options: {
    help: { type: 'boolean', default: false },
    minutes: { type: 'string', default: '30' },
    times: { type: 'string', default: '2' },
    measured: { type: 'string', default: '15' },
  },
});
const seconds = Number(values.minutes) * 60;
const stretch = Math.min(60, seconds / 4);
const measured = Number(values.measured);

/** How much the memory of the last quarter may be above that of the second one. */
const maxMemoryGrowth = 1.15;
/** How much slower half of the load may be afterwards than before. */
const maxSlowdown = 2;

const question = () => 1 + randomInt(size.questions);
const answer = () => 1 + randomInt(size.answers);

/** What members do, by how often: most read. */
const mix: readonly { weight: number; next: () => Omit<Request, 'cookie'> }[] = [
  { weight: 50, next: () => get(`/questions/${question()}`) },
  { weight: 14, next: () => get(`/feeds/${['recent', 'popular', 'unanswered'][randomInt(3)]}`) },
  { weight: 6, next: () => get(`/topics/tag-${1 + randomInt(200)}`) },
  { weight: 5, next: () => get(`/search?q=${['bread', 'dough', 'kept', 'crust'][randomInt(4)]}`) },
  { weight: 5, next: () => get('/notifications') },
  { weight: 4, next: () => get(`/members/${1 + randomInt(size.members)}`) },
  { weight: 2, next: () => get('/session') },
  { weight: 6, next: () => put(`/answers/${answer()}/vote`, { vote: randomInt(4) === 0 ? 'down' : 'up' }) },
  { weight: 5, next: () => put(`/questions/${question()}/view`) },
  { weight: 2, next: () => put(`/questions/${question()}/bookmark`, { bookmarked: randomInt(2) === 0 }) },
  {
    weight: 1,
    next: () => ({
      method: 'POST',
      path: `/api/questions/${question()}/answers`,
      body: JSON.stringify({ content: 'Keep it in a cool place. '.repeat(8) }),
    }),
  },
];
const turns = mix.flatMap(({ weight, next }) => Array.from({ length: weight }, () => next));

if (values.help) console.log(help);
else await main();

function get(address: string): Omit<Request, 'cookie'> {
  return { method: 'GET', path: `/api${address}` };
}
function put(address: string, body?: unknown): Omit<Request, 'cookie'> {
  return { method: 'PUT', path: `/api${address}`, ...(body !== undefined && { body: JSON.stringify(body) }) };
}
function next(): Request {
  const turn = turns[randomInt(turns.length)];
  return { ...(turn?.() ?? get('/session')), cookie: cookieOf(1 + randomInt(size.members)) };
}

async function main(): Promise<void> {
  const wrong = await withCommunity(run);
  for (const sentence of wrong) console.log(`WRONG ${sentence}`);
  console.log(wrong.length === 0 ? '\nNothing wrong.' : `\n${wrong.length} things wrong.`);
  process.exitCode = wrong.length === 0 ? 0 : 1;
}

/** Returns sentences about what does not hold. */
async function run({ address, pid, db }: Community): Promise<string[]> {
  await runLoad(address, { clients: 32, seconds: measured, next });
  const { perSecond } = await runLoad(address, { clients: 32, seconds: measured, next });
  console.log(
    `${os.cpus().length} cores, ${os.cpus()[0]?.model ?? 'unknown'}; one node answers ${Math.round(perSecond)} a second`,
  );
  const half = { perSecond: perSecond / 2, seconds: measured, next };
  const before = await sendAtRate(address, half);
  console.log(`half of it before:      ${formatFigures(before, measured)}; ${memoryOf(pid)} MB`);
  const memory: number[] = [];
  let stretches = 0;
  const sampling = setInterval(() => memory.push(memoryOf(pid)), 1_000);
  const during = await sendAtRate(address, {
    perSecond: perSecond * Number(values.times),
    seconds,
    next,
    stretch: {
      seconds: stretch,
      tell: (arrived) => {
        const from = `${Math.round(++stretches * stretch)} s`;
        console.log(
          `${values.times} times as many, ${from.padStart(6)}: ${formatFigures(arrived, stretch)}; ${memoryOf(pid)} MB`,
        );
      },
    },
  });
  clearInterval(sampling);
  const after = await waitUntilSettled(() => sendAtRate(address, half), before);
  console.log(`half of it afterwards:  ${formatFigures(after, measured)}; ${memoryOf(pid)} MB`);
  const quarter = Math.floor(memory.length / 4);
  const growth = median(memory.slice(-quarter)) / median(memory.slice(quarter, 2 * quarter));
  console.log(
    `Whole: ${formatFigures(during, seconds)}; memory of the last quarter is ${growth.toFixed(2)} of that of the second`,
  );
  return [
    ...unexpected(before, ['2']),
    ...unexpected(during, ['2', '503', '429']),
    ...unexpected(after, ['2']),
    ...(growth > maxMemoryGrowth ? [`memory grew by ${growth.toFixed(2)}`] : []),
    ...(isSlower(after, before) ? ['half of the load is slower afterwards than before'] : []),
    ...(await findViolations(db)).map((row) => JSON.stringify(row)),
  ];
}

/** The first seconds still do what was left; then the node must be itself again, at the third look at most. */
async function waitUntilSettled(
  look: () => Promise<ArrivalFigures>,
  before: ArrivalFigures,
): Promise<ArrivalFigures> {
  for (let looks = 1; ; looks++) {
    const after = await look();
    const isItself = unexpected(after, ['2']).length === 0 && !isSlower(after, before);
    if (isItself || looks === 3) return after;
    await delay(1_000);
  }
}

function isSlower(after: ArrivalFigures, before: ArrivalFigures): boolean {
  return median(after.served) > maxSlowdown * median(before.served);
}

function unexpected({ statuses }: ArrivalFigures, expected: readonly string[]): string[] {
  return Object.entries(statuses)
    .filter(([status]) => !expected.some((start) => status.startsWith(start)))
    .map(([status, count]) => `${count} requests: ${status}`);
}

function formatFigures({ sent, statuses, served, refused }: ArrivalFigures, during: number): string {
  const figures = (times: readonly number[]) => {
    const sorted = Float64Array.from(times).toSorted();
    const at = (share: number) => (sorted[Math.floor((sorted.length - 1) * share)] ?? 0).toFixed(1);
    return `median ${at(0.5)}, p99 ${at(0.99)}, longest ${at(1)} ms`;
  };
  const others = Object.entries(statuses).filter(([status]) => !status.startsWith('2') && status !== '503');
  return [
    `${Math.round(sent / during)} a second came, ${Math.round(served.length / during)} served (${figures(served)})`,
    ...(refused.length > 0 ? [`${Math.round(refused.length / during)} refused (${figures(refused)})`] : []),
    ...others.map(([status, count]) => `${count} ${status}`),
  ].join(', ');
}

/** Megabytes a process holds in memory; Linux only. */
function memoryOf(pid: number): number {
  const [, kilobytes] = /VmRSS:\s+(\d+) kB/u.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Math.round(Number(kilobytes) / 1_024);
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN;
}
