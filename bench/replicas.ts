import { type Member, register } from '#tests/support/member.ts';
import { spawnParley } from '#tests/support/parley-process.ts';
import { findPostgresPrograms, startReplicatedPostgres } from '#tests/support/replicated-postgres.ts';
import { getCpuTimeMs } from './process-usage.ts';
import { answerHelp, readCount } from './usage.ts';

const usage = `bench/replicas.ts [rounds (7)] [reads per round (400)]

Measures the cost of a read without and with a streaming replica, in turn: CPU time of the node, the primary and the
replica (which other load affects less than response times), the response time, and the statements on the primary.`;

answerHelp(usage);
const rounds = readCount(process.argv[2] ?? '7', usage);
const reads = readCount(process.argv[3] ?? '400', usage);
const programs = findPostgresPrograms();
if (programs === undefined) throw new Error('PostgreSQL with replication is not installed on this system.');

const databases = await startReplicatedPostgres(programs, { logged: false });
const { primary, replica } = databases;
const without = spawnParley({ env: { DATABASE_URL: primary.url } });
await without.ready;
const beside = spawnParley({ env: { DATABASE_URL: primary.url, DATABASE_REPLICA_URLS: replica.url } });
const kinds = [
  { name: 'without a replica', node: without },
  { name: 'with a replica', node: beside },
] as const;
try {
  const ada = await register(await without.ready, 'Ada');
  const question = await ada.ask({ tags: ['bench'] });
  for (let count = 0; count < 20; count++) {
    const answer = await ada.answer(question);
    for (let more = 0; more < 5; more++) await ada.replyToAnswer(answer.id);
    // These members exceed the rate limits.
    await primary.sql('delete from rate_limit');
  }
  for (let count = 0; count < 30; count++) await ada.ask({ title: `Question number ${count}` });
  await beside.waitForOutput(/serves reads/);
  const pages = ['/feeds/recent', `/questions/${question}`];
  for (const page of pages) {
    const figures = kinds.map(() => [] as Figure[]);
    for (let round = 0; round <= rounds; round++)
      for (const [index, { node }] of kinds.entries()) {
        const figure = await measure(ada.onServer(await node.ready), page, node.pid);
        // The first round is a warm-up.
        if (round > 0) figures[index]?.push(figure);
      }
    console.log(`\nGET /api${page.replace(/\d+/, '{id}')}, medians of ${rounds} rounds (minimum to maximum)`);
    for (const [index, { name }] of kinds.entries()) console.log(`  ${name}: ${line(figures[index] ?? [])}`);
  }
  await primary.sql(`alter system set log_statement = 'all'`);
  await primary.sql(`alter system set log_line_prefix = '%a: '`);
  await primary.sql('select pg_reload_conf()');
  console.log(`\nStatements on the primary per read`);
  for (const page of pages)
    for (const { name, node } of kinds) {
      const asked = await statements(ada.onServer(await node.ready), page);
      console.log(`  GET /api${page.replace(/\d+/, '{id}')} ${name}: ${asked.toFixed(1)}`);
    }
} finally {
  for (const { node } of kinds) node.signal('SIGTERM');
  await Promise.all(kinds.map(({ node }) => node.ended));
  await databases.remove();
}

/** In milliseconds. */
type Figure = { node: number; primary: number; replica: number; clock: number };

async function measure(member: Member, page: string, node: number): Promise<Figure> {
  const cpu = async () => [
    sumCpuTimeMs([node]),
    sumCpuTimeMs(await primary.processes()),
    sumCpuTimeMs(await replica.processes()),
  ];
  const before = await cpu();
  const begin = performance.now();
  await read(member, page);
  const clock = performance.now() - begin;
  const after = await cpu();
  const [used, ofPrimary, ofReplica] = after.map((value, index) => (value - (before[index] ?? 0)) / reads);
  return { node: used ?? 0, primary: ofPrimary ?? 0, replica: ofReplica ?? 0, clock: clock / reads };
}

async function read(member: Member, page: string): Promise<void> {
  for (let count = 0; count < reads; count++)
    if ((await member.get(page)).status !== 200) throw new Error('a read failed');
}

/** CPU time of running processes in milliseconds. */
function sumCpuTimeMs(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => sum + getCpuTimeMs(pid), 0);
}

async function statements(member: Member, page: string): Promise<number> {
  const count = async () => (await primary.readStatementLog()).split(/^parley: LOG: /m).length;
  const before = await count();
  await read(member, page);
  return ((await count()) - before) / reads;
}

function line(figures: readonly Figure[]): string {
  const of = (part: keyof Figure) => spread(figures.map((figure) => figure[part]));
  return `CPU ms of the node ${of('node')}, the primary ${of('primary')}, the replica ${of('replica')}; ${of('clock')} ms response time`;
}

function spread(values: readonly number[]): string {
  const sorted = values.toSorted((a, b) => a - b);
  const [middle, lowest, highest] = [sorted[Math.floor(sorted.length / 2)], sorted[0], sorted.at(-1)];
  return `${middle?.toFixed(2)} (${lowest?.toFixed(2)} to ${highest?.toFixed(2)})`;
}
