import type { Database } from './database.ts';
import { Presets, SingleBar } from 'cli-progress';

/** Receives the progress of a long task. */
export interface Progress {
  start: (totalBytes: number) => void;
  /**
   * Reports progress.
   * @param part the current file or table
   * @param bytes so far, over all parts
   * @param rows so far, over all parts
   */
  update: (part: string, bytes: number, rows: number) => void;
  stop: () => void;
}

/** Reports bytes and rows since the last report. */
export type ReportProgress = (part: string, bytes: number, rows: number) => void;

/**
 * Runs work that reports what it does, and ends it with the signal's reason if it was aborted.
 * @param total bytes, or what else the task counts
 */
export async function runWithProgress<Result>(
  { progress, signal }: { progress?: Progress | undefined; signal?: AbortSignal | undefined },
  total: number,
  run: (report: ReportProgress) => Promise<Result>,
): Promise<Result> {
  let [bytes, rows] = [0, 0];
  progress?.start(total);
  try {
    return await run((part, moreBytes, moreRows) => {
      signal?.throwIfAborted();
      bytes += moreBytes;
      rows += moreRows;
      progress?.update(part, bytes, rows);
    });
  } finally {
    progress?.stop();
  }
}

const mebibyte = 1024 * 1024;

/** What is done as text. Times are in milliseconds. */
type Describe = (bytes: number, rows: number, ms: number) => string;

const describeRows: Describe = (bytes, rows, ms) =>
  `${rows.toLocaleString('en')} rows, ${rate(bytes, ms)} MB/s`;

/**
 * A progress bar with rate and remaining time in a terminal, plain lines every 10 s elsewhere.
 * @param describe for tasks that count something else than the bytes and rows of files
 */
export function createTerminalProgress(
  output: Output,
  { describe = describeRows }: { describe?: Describe } = {},
): Progress {
  return isTerminal(output)
    ? createBarProgress(output, describe)
    : createLineProgress((line) => output.write(`${line}\n`), 10_000, describe);
}

/** Where a command writes: standard output, standard error, or a test's buffer. */
export interface Output {
  write: (text: string) => unknown;
}

function isTerminal(output: Output): output is NodeJS.WriteStream {
  return 'isTTY' in output && output.isTTY === true;
}

function createBarProgress(stream: NodeJS.WriteStream, describe: Describe): Progress {
  const bar = new SingleBar(
    {
      stream,
      format: '{bar} {percentage}% | {part} | {done} | {eta_formatted} left',
      etaBuffer: 200,
      hideCursor: true,
      stopOnComplete: false,
    },
    Presets.shades_classic,
  );
  const started = performance.now();
  return {
    start: (totalBytes) => bar.start(totalBytes, 0, { part: '', done: '' }),
    update: (part, bytes, rows) =>
      bar.update(bytes, { part, done: describe(bytes, rows, performance.now() - started) }),
    stop: () => bar.stop(),
  };
}

/**
 * Prints progress as plain lines.
 * @param intervalMs the minimum time between two lines, in milliseconds
 */
export function createLineProgress(
  write: (line: string) => void,
  intervalMs: number,
  describe: Describe = describeRows,
): Progress {
  let total = 0;
  const started = performance.now();
  let next = started + intervalMs;
  return {
    start: (totalBytes) => {
      total = totalBytes;
    },
    update: (part, bytes, rows) => {
      const now = performance.now();
      if (now < next) return;
      next = now + intervalMs;
      const left = bytes === 0 ? 0 : ((now - started) / bytes) * (total - bytes);
      const share = total === 0 ? 100 : Math.floor((100 * bytes) / total);
      write(
        `${share}% | ${part} | ${describe(bytes, rows, now - started)} | ${Math.ceil(left / 1000)} s left`,
      );
    },
    stop: () => {},
  };
}

function rate(bytes: number, milliseconds: number): string {
  return ((bytes / mebibyte / Math.max(milliseconds, 1)) * 1000).toFixed(1);
}

export type MemberCommandDeps = {
  /** Opens the database and applies pending migrations. */
  withDatabase: <Result>(work: (db: Database) => Promise<Result>) => Promise<Result>;
  out: Output;
  /** Sets the exit code: 1 if there is no such member. */
  exitWith: (code: number) => unknown;
};
