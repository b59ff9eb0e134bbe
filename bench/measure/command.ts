import { createReadStream, existsSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { Argument, type Command, InvalidArgumentError } from 'commander';
import {
  getDatabaseUrl,
  type Community,
  startCommunity,
  withoutCacheEnv as withoutCache,
} from './community.ts';
import type { Bench, Part, Size } from './part.ts';
import { pageRequests } from './requests.ts';
import { cached } from './parts/cached.ts';
import { comparison } from './parts/comparison.ts';
import { memory } from './parts/memory.ts';
import { plans } from './parts/plans.ts';
import { scale } from './parts/scale.ts';
import { search } from './parts/search.ts';
import { tailLatency } from './parts/tail-latency.ts';
import { uncached } from './parts/uncached.ts';
import { visit } from './parts/visit.ts';
import { votes } from './parts/votes.ts';
import { writeReport } from './report.ts';
import { describeMachine, saveResult, listResults } from './results.ts';

/** In the order of the table. The plans come before the parts that change much. */
const parts: readonly Part[] = [
  comparison,
  cached,
  uncached,
  plans,
  search,
  scale,
  votes,
  tailLatency,
  visit,
  memory,
];
const names = parts.map(({ name }) => name);

type Options = {
  data1m: string;
  data10k: string;
  dataComparison: string;
  seconds: number;
  rounds: number;
  minutes: number;
  report: boolean;
};

const number = (text: string) => {
  const value = Number(text);
  if (!(value > 0)) throw new InvalidArgumentError('It must be a number above 0.');
  return value;
};

/** Adds `measure` and `report`. */
export function registerMeasure(program: Command): void {
  program
    .command('measure')
    .description('measure pages and actions in filled communities, and write docs/benchmarks.md')
    .addArgument(new Argument('[parts...]', 'only these').choices(names))
    .option('--data-1m <folder>', 'the data folder with a million questions', 'bench/data/large')
    .option('--data-10k <folder>', 'the data folder with ten thousand', 'bench/data/small')
    .option('--data-comparison <folder>', 'the data folder filled with --comparison', 'bench/data/comparison')
    .option('--seconds <number>', 'seconds of each run', number, 4)
    .option('--rounds <number>', 'how often each is run', number, 3)
    .option('--minutes <number>', 'minutes of mixed load for the memory', number, 3)
    .option('--no-report', 'leave docs/benchmarks.md as it is')
    .addHelpText(
      'after',
      `\nParts:\n${parts.map(({ name, explains }) => `  ${name.padEnd(12)} ${explains}`).join('\n')}`,
    )
    .action(measure);
  program
    .command('report')
    .description('write docs/benchmarks.md from what was measured last')
    .action(async () => writeReport(await listResults(), names));
}

async function measure(chosen: string[], options: Options): Promise<void> {
  const began = performance.now();
  const log = (sentence: string) =>
    process.stderr.write(
      `${String(Math.round((performance.now() - began) / 1_000)).padStart(5)} s  ${sentence}\n`,
    );
  const communities = createCommunities(options, log);
  const bench: Bench = { ...options, community: communities.get, log };
  // Stopped early, it leaves no server behind.
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => void communities.stop().finally(() => process.exit(130)));
  try {
    for (const part of parts.filter(({ name }) => chosen.length === 0 || chosen.includes(name)))
      await measurePart(part, bench, communities.shapes);
  } finally {
    await communities.stop();
  }
  if (options.report) await writeReport(await listResults(), names);
}

/** A part that fails says so, and the others go on. */
async function measurePart(part: Part, bench: Bench, shapes: () => string): Promise<void> {
  bench.log(`${part.name}: ${part.explains}`);
  try {
    const found = await part.run(bench);
    for (const { what, wanted, measured, holds } of found.rows)
      console.log(`${holds === false ? 'NO ' : 'yes'}  ${what}: ${measured} (wanted: ${wanted})`);
    const about = { part: part.name, title: part.title, at: new Date().toISOString() };
    await saveResult({ ...about, machine: describeMachine(), shape: shapes(), ...found });
  } catch (error) {
    process.exitCode = 1;
    bench.log(
      `${part.name} could not be measured: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
    );
  }
}

/** Starts each community when it is first asked for; one without kept answers is a second node beside the usual one. */
function createCommunities(options: Options, tell: Bench['log']) {
  const folders: Record<Size, string> = {
    large: path.resolve(options.data1m),
    small: path.resolve(options.data10k),
    comparison: path.resolve(options.dataComparison),
  };
  const running = new Map<string, Community>();
  return {
    get: async (size: Size, cache: 'cached' | 'uncached' = 'cached'): Promise<Community> => {
      const there = running.get(`${size} ${cache}`);
      if (there !== undefined) return there;
      const usual = running.get(`${size} cached`) ?? (await start(size));
      running.set(`${size} cached`, usual);
      if (cache === 'cached') return usual;
      const beside = await startCommunity(usual.data, {
        ...withoutCache,
        DATABASE_URL: getDatabaseUrl(usual.connection),
      });
      running.set(`${size} uncached`, beside);
      return beside;
    },
    shapes: () =>
      [...running]
        .filter(([name]) => name.endsWith(' cached'))
        .map(
          ([name, { counts }]) =>
            `${name.split(' ')[0]}: ${counts.questions.toLocaleString('en')} questions, ${counts.answers.toLocaleString('en')} answers, ${counts.members.toLocaleString('en')} members.`,
        )
        .join(' '),
    stop: async () => {
      for (const [, community] of [...running].toReversed()) await community.stop();
    },
  };

  async function start(size: Size): Promise<Community> {
    const folder = folders[size];
    if (!existsSync(folder))
      throw new Error(`There is no data folder ${folder}. Fill one first: npm run bench -- fill --help`);
    tell(`Starting the ${size} community …`);
    await readAll(folder);
    const community = await startCommunity(folder);
    // What is slow once, such as compiling, is no part of any figure.
    await community.load(pageRequests('/api/feeds/recent'), { seconds: 1 });
    return community;
  }
}

/** Puts the files of a database into the memory of the system, where they fit: what is measured is no disk. */
async function readAll(folder: string): Promise<void> {
  const entries = await readdir(path.join(folder), { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name));
  const sizes = await Promise.all(files.map(async (file) => (await stat(file)).size));
  if (sizes.reduce((sum, size) => sum + size, 0) > os.totalmem() * 0.8) return;
  for (const file of files) for await (const _ of createReadStream(file, { highWaterMark: 2 ** 20 }));
}
