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

/** In the order of the table. `plans` comes before the parts that change much data. */
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
  if (!(value > 0)) throw new InvalidArgumentError('Must be a number above 0.');
  return value;
};

/** Adds the commands `measure` and `report`. */
export function registerMeasure(program: Command): void {
  program
    .command('measure')
    .description('measure pages and actions in filled communities, and write docs/benchmarks.md')
    .addArgument(new Argument('[parts...]', 'only these').choices(names))
    .option('--data-1m <directory>', 'the data directory with a million questions', 'bench/data/large')
    .option('--data-10k <directory>', 'the data directory with ten thousand', 'bench/data/small')
    .option(
      '--data-comparison <directory>',
      'the data directory filled with --comparison',
      'bench/data/comparison',
    )
    .option('--seconds <number>', 'seconds per run', number, 4)
    .option('--rounds <number>', 'runs per measurement', number, 3)
    .option('--minutes <number>', 'minutes of mixed load for memory', number, 3)
    .option('--no-report', 'do not write docs/benchmarks.md')
    .addHelpText(
      'after',
      `\nParts:\n${parts.map(({ name, description }) => `  ${name.padEnd(12)} ${description}`).join('\n')}`,
    )
    .action(measure);
  program
    .command('report')
    .description('write docs/benchmarks.md from the latest results')
    .action(async () => writeReport(await listResults(), names));
}

async function measure(chosen: string[], options: Options): Promise<void> {
  const began = performance.now();
  const log = (message: string) =>
    process.stderr.write(
      `${String(Math.round((performance.now() - began) / 1_000)).padStart(5)} s  ${message}\n`,
    );
  const communities = createCommunities(options, log);
  const bench: Bench = { ...options, community: communities.get, log };
  // Stops the servers when interrupted.
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

/** A failed part is reported, and the others continue. */
async function measurePart(part: Part, bench: Bench, shapes: () => string): Promise<void> {
  bench.log(`${part.name}: ${part.description}`);
  try {
    const result = await part.run(bench);
    for (const { what, target, measured, holds } of result.rows)
      console.log(`${holds === false ? 'NO ' : 'yes'}  ${what}: ${measured} (target: ${target})`);
    const about = { part: part.name, title: part.title, at: new Date().toISOString() };
    await saveResult({ ...about, machine: describeMachine(), shape: shapes(), ...result });
  } catch (error) {
    process.exitCode = 1;
    bench.log(
      `${part.name} could not be measured: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
    );
  }
}

/** Starts each community on first use; one without a response cache is a second node of the usual one. */
function createCommunities(options: Options, log: Bench['log']) {
  const directories: Record<Size, string> = {
    large: path.resolve(options.data1m),
    small: path.resolve(options.data10k),
    comparison: path.resolve(options.dataComparison),
  };
  const running = new Map<string, Community>();
  return {
    get: async (size: Size, cache: 'cached' | 'uncached' = 'cached'): Promise<Community> => {
      const existing = running.get(`${size} ${cache}`);
      if (existing !== undefined) return existing;
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
    const directory = directories[size];
    if (!existsSync(directory))
      throw new Error(
        `The data directory ${directory} does not exist. Fill it first: npm run bench -- fill --help`,
      );
    log(`Starting the ${size} community …`);
    await readAll(directory);
    const community = await startCommunity(directory);
    // Warm-up: compilation and first statements are not measured.
    await community.load(pageRequests('/api/feeds/recent'), { seconds: 1 });
    return community;
  }
}

/** Reads the files of a database into the page cache, where they fit: the disk is not measured. */
async function readAll(directory: string): Promise<void> {
  const entries = await readdir(path.join(directory), { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name));
  const sizes = await Promise.all(files.map(async (file) => (await stat(file)).size));
  if (sizes.reduce((sum, size) => sum + size, 0) > os.totalmem() * 0.8) return;
  for (const file of files) for await (const _ of createReadStream(file, { highWaterMark: 2 ** 20 }));
}
