import { spawnParley } from '#server/testing/process.ts';
import { type Member, register } from '#server/testing/member.ts';
import { postgresPrograms, startReplicated } from '#server/testing/replicated.ts';

/**
 * What a streaming replica changes for one node: reads a second and the time of one, without and with the replica in
 * turn, and what the primary is asked for each read. Parameters: rounds (7), and seconds each (3).
 */
const [rounds = '7', seconds = '3'] = process.argv.slice(2);
const programs = postgresPrograms();
if (programs === undefined) throw new Error('There is no PostgreSQL with replicas here.');

const databases = await startReplicated(programs, { logged: false });
const settings = {
  DATABASE_URL: databases.primary.url,
  SECRET: 'a secret that both nodes share, for a while',
};
const without = spawnParley({ env: settings });
await without.ready;
const beside = spawnParley({ env: { ...settings, DATABASE_REPLICA_URLS: databases.replica.url } });
try {
  const ada = await register(await without.ready, 'Ada');
  const question = await ada.ask({ tags: ['bench'] });
  for (let count = 0; count < 5; count++) await ada.reply((await ada.answer(question)).id);
  const nodes = { without: ada, beside: ada.at(await beside.ready) };
  await beside.says(/serves reads/);
  for (const page of ['/feeds/recent', `/questions/${question}`]) {
    const figures = { without: [] as Figure[], beside: [] as Figure[] };
    for (let round = 0; round <= Number(rounds); round++)
      for (const kind of ['without', 'beside'] as const) {
        const figure = await measure(nodes[kind], page);
        // The first warms up.
        if (round > 0) figures[kind].push(figure);
      }
    console.log(`\nGET /api${page.replace(/\d+/, '{id}')}, median of ${rounds} (lowest to highest)`);
    for (const [kind, name] of [
      ['without', 'without a replica'],
      ['beside', 'with a replica'],
    ] as const)
      console.log(`  ${name}: ${line(figures[kind])}`);
    const ratios = figures.beside.map((figure, index) => figure.rate / (figures.without[index]?.rate ?? 1));
    console.log(`  reads a second with the replica, for one without: ${spread(ratios, 2)}`);
  }
} finally {
  for (const node of [without, beside]) node.signal('SIGTERM');
  await Promise.all([without.ended, beside.ended]);
  await databases.remove();
}

type Figure = { rate: number; alone: number; statements: number };

async function measure(member: Member, page: string): Promise<Figure> {
  const before = await statements();
  const end = performance.now() + Number(seconds) * 1_000;
  let count = 0;
  const begin = performance.now();
  const reader = async () => {
    for (; performance.now() < end; count++)
      if ((await member.get(page)).status !== 200) throw new Error('a read failed');
  };
  await Promise.all(Array.from({ length: 8 }, reader));
  const rate = (count / (performance.now() - begin)) * 1_000;
  const asked = (await statements()) - before;
  const times: number[] = [];
  for (let each = 0; each < 100; each++) {
    const start = performance.now();
    await member.get(page);
    times.push(performance.now() - start);
  }
  return { rate, alone: middle(times), statements: asked / count };
}

/** Those that were committed in the primary, each a transaction of its own. */
async function statements(): Promise<number> {
  // Each connection tells of what it did once it has been idle for a moment.
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  const [row] = await databases.primary.sql(
    `select xact_commit from pg_stat_database where datname = current_database()`,
  );
  return Number(row?.['xact_commit']);
}

function line(figures: readonly Figure[]): string {
  const of = (part: keyof Figure, digits: number) =>
    spread(
      figures.map((figure) => figure[part]),
      digits,
    );
  return `${of('rate', 0)} reads/s by 8 at once; ${of('alone', 2)} ms for one alone; ${of('statements', 1)} transactions in the primary a read`;
}

function spread(values: readonly number[], digits: number): string {
  const sorted = values.toSorted((a, b) => a - b);
  const text = [middle(values), sorted[0], sorted.at(-1)].map((value) => value?.toFixed(digits));
  return `${text[0]} (${text[1]} to ${text[2]})`;
}

function middle(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
