import { randomInt } from 'node:crypto';
import os from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { findViolations } from '#server/operations/integrity-check.ts';
import { getResidentBytes } from './process-usage.ts';
import { median } from './measure/results.ts';
import { type ArrivalFigures, sendAtRate } from './overload/arrivals.ts';
import { type Community, cookieOf, size, withCommunity } from './write-throughput/community.ts';
import { runLoad, type Request } from './write-throughput/load.ts';

const help = `bench/overload.ts [--minutes 30] [--times 2] [--measured 15]

Measures the behaviour of one node under overload. First measures the requests per second that it handles with a mixed
load, then sends --times that rate for --minutes, then half of the measured rate. Prints the served and refused requests
per minute with their response times, and the memory of the node. The exit code is 1 if an error other than 503 or 429
occurred, memory kept growing, the node did not recover, or a count does not equal its rows. The clients run on the same
machine.`;

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

/** Maximum memory in the last quarter, relative to the second quarter. */
const maxMemoryGrowth = 1.15;
/** Maximum response time at half load afterwards, relative to before. */
const maxSlowdown = 2;

const question = () => 1 + randomInt(size.questions);
const answer = () => 1 + randomInt(size.answers);

/** Actions by frequency: mostly reads. */
const mix: readonly { weight: number; next: () => Omit<Request, 'cookie'> }[] = [
  { weight: 50, next: () => get(`/questions/${question()}`) },
  { weight: 14, next: () => get(`/feeds/${['recent', 'popular', 'unanswered'][randomInt(3)]}`) },
  { weight: 6, next: () => get(`/tags/tag-${1 + randomInt(200)}`) },
  { weight: 5, next: () => get(`/search?q=${['bread', 'dough', 'stored', 'crust'][randomInt(4)]}`) },
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
  for (const message of wrong) console.log(`WRONG ${message}`);
  console.log(wrong.length === 0 ? '\nNo errors.' : `\n${wrong.length} errors.`);
  process.exitCode = wrong.length === 0 ? 0 : 1;
}

/** Returns a sentence for each violation. */
async function run({ address, pid, db }: Community): Promise<string[]> {
  await runLoad(address, { clients: 32, seconds: measured, next });
  const { perSecond } = await runLoad(address, { clients: 32, seconds: measured, next });
  console.log(
    `${os.cpus().length} cores, ${os.cpus()[0]?.model ?? 'unknown'}; one node handles ${Math.round(perSecond)} requests per second`,
  );
  const half = { perSecond: perSecond / 2, seconds: measured, next };
  const before = await sendAtRate(address, half);
  console.log(`half load before:     ${formatFigures(before, measured)}; ${getResidentMegabytes(pid)} MB`);
  const memory: number[] = [];
  let stretches = 0;
  const sampling = setInterval(() => memory.push(getResidentMegabytes(pid)), 1_000);
  const during = await sendAtRate(address, {
    perSecond: perSecond * Number(values.times),
    seconds,
    next,
    interval: {
      seconds: stretch,
      log: (arrived) => {
        const from = `${Math.round(++stretches * stretch)} s`;
        console.log(
          `${values.times} times the load, ${from.padStart(6)}: ${formatFigures(arrived, stretch)}; ${getResidentMegabytes(pid)} MB`,
        );
      },
    },
  });
  clearInterval(sampling);
  const after = await waitUntilSettled(() => sendAtRate(address, half), before);
  console.log(`half load afterwards: ${formatFigures(after, measured)}; ${getResidentMegabytes(pid)} MB`);
  const quarter = Math.floor(memory.length / 4);
  const growth = median(memory.slice(-quarter)) / median(memory.slice(quarter, 2 * quarter));
  console.log(
    `Total: ${formatFigures(during, seconds)}; memory of the last quarter is ${growth.toFixed(2)} times that of the second`,
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

/**
 * The first seconds still process the backlog; then the node must have recovered, in the third sample at the latest.
 */
async function waitUntilSettled(
  sample: () => Promise<ArrivalFigures>,
  before: ArrivalFigures,
): Promise<ArrivalFigures> {
  for (let samples = 1; ; samples++) {
    const after = await sample();
    const hasRecovered = unexpected(after, ['2']).length === 0 && !isSlower(after, before);
    if (hasRecovered || samples === 3) return after;
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
    `${Math.round(sent / during)} requests per second, ${Math.round(served.length / during)} served (${figures(served)})`,
    ...(refused.length > 0 ? [`${Math.round(refused.length / during)} refused (${figures(refused)})`] : []),
    ...others.map(([status, count]) => `${count} ${status}`),
  ].join(', ');
}

/** Resident memory of a process in megabytes. */
function getResidentMegabytes(pid: number): number {
  return Math.round(getResidentBytes(pid) / 2 ** 20);
}
