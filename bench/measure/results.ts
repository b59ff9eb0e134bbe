import { projectRoot } from '#server/core/paths.ts';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

/** A row of the table: the target, the measurement, and whether it meets the target (null: no target). */
export type Row = { what: string; target: string; measured: string; holds: boolean | null };

export type Bars = {
  kind: 'bars';
  name: string;
  title: string;
  unit: string;
  /** Draws a line at this value: the target. */
  line?: number;
  /** Uses a logarithmic scale. */
  log?: boolean;
  series: string[];
  groups: { label: string; values: number[] }[];
};

export type Curve = {
  kind: 'curve';
  name: string;
  title: string;
  x: string;
  y: string;
  line?: number;
  points: [number, number][];
};

export type Plot = Bars | Curve;

/** The results of a part. */
export type PartResult = {
  rows: Row[];
  plots?: Plot[];
  /** A table of all figures behind the rows, with its head. */
  table?: { head: string[]; rows: (string | number)[][] };
  /** Sentences about the method and its limits. */
  notes?: string[];
  /** Lines for the file of query plans. */
  plans?: string[];
};

export type StoredResult = PartResult & {
  part: string;
  title: string;
  at: string;
  machine: string;
  shape: string;
};

export const resultsDirectory = path.join(projectRoot, 'bench/results');

export async function saveResult(stored: StoredResult): Promise<void> {
  await mkdir(resultsDirectory, { recursive: true });
  await writeFile(path.join(resultsDirectory, `${stored.part}.json`), `${JSON.stringify(stored, null, 1)}\n`);
}

export async function listResults(): Promise<StoredResult[]> {
  const names = (await readdir(resultsDirectory).catch(() => [])).filter((name) => name.endsWith('.json'));
  return Promise.all(
    names.map(
      async (name) => JSON.parse(await readFile(path.join(resultsDirectory, name), 'utf8')) as StoredResult,
    ),
  );
}

export function describeMachine(): string {
  const cpus = os.cpus();
  const memory = Math.round(os.totalmem() / 2 ** 30);
  return `${cpus.length} × ${cpus[0]?.model.trim() ?? 'unknown processor'}, ${memory} GiB, ${os.type()} ${os.release()}, Node ${process.version}`;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  const middle = sorted.length / 2;
  return sorted.length % 2 === 1
    ? (sorted[Math.floor(middle)] ?? Number.NaN)
    : ((sorted[middle - 1] ?? Number.NaN) + (sorted[middle] ?? Number.NaN)) / 2;
}

/** The quantile at `share`, from 0 to 1. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** The median of several runs with minimum and maximum. */
export function formatSpread(values: readonly number[], digits = 2): string {
  const figure = (value: number) => formatAmount(value, digits);
  return `${figure(median(values))} (${figure(Math.min(...values))} to ${figure(Math.max(...values))})`;
}

export function formatAmount(value: number, digits = 2): string {
  return value >= 100
    ? Math.round(value).toLocaleString('en')
    : value.toFixed(value >= 10 ? Math.min(1, digits) : digits);
}
