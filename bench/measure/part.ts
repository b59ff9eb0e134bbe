import type { Community } from './community.ts';
import type { PartResult } from './results.ts';

/** What the parts measure with. Communities are started when the first part asks for them. */
export type Bench = {
  /** Seconds of each run, and how often each is run. */
  seconds: number;
  rounds: number;
  /** Minutes of mixed load. */
  minutes: number;
  community: (size: Size, cache?: 'cached' | 'uncached') => Promise<Community>;
  log: (sentence: string) => void;
};

export type Size = 'large' | 'small' | 'comparison';

export type Part = {
  name: string;
  /** The head of its section in docs/benchmarks.md. */
  title: string;
  explains: string;
  run: (bench: Bench) => Promise<PartResult>;
};

/** Runs all of them, in turn, so often: what the machine does beside falls on all alike. */
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
