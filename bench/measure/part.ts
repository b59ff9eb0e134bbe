import type { Community } from './community.ts';
import type { PartResult } from './results.ts';

/** The tools of the parts. Communities are started on first use. */
export type Bench = {
  /** Seconds per run, and the number of runs. */
  seconds: number;
  rounds: number;
  /** Minutes of mixed load. */
  minutes: number;
  community: (size: Size, cache?: 'cached' | 'uncached') => Promise<Community>;
  log: (message: string) => void;
};

export type Size = 'large' | 'small' | 'comparison';

export type Part = {
  name: string;
  /** The heading of its section in docs/benchmarks.md. */
  title: string;
  description: string;
  run: (bench: Bench) => Promise<PartResult>;
};

/** Runs all of them in turn, `rounds` times, so that other load on the machine affects all equally. */
export async function runInTurn<Name extends string, Result>(
  rounds: number,
  runs: Readonly<Record<Name, () => Promise<Result>>>,
): Promise<Record<Name, Result[]>> {
  const names = Object.keys(runs) as Name[];
  const results = Object.fromEntries(names.map((name) => [name, [] as Result[]])) as Record<Name, Result[]>;
  for (let round = 0; round < rounds; round++)
    for (const name of names) results[name].push(await runs[name]());
  return results;
}
