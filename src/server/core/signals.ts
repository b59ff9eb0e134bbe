import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { isatty } from 'node:tty';
import type { Output } from './progress.ts';

/** Aborted by the first and the second stop signal. */
export type StopSignals = { first: AbortSignal; second: AbortSignal; stop: () => void };

/** A terminal and npm may both pass on the same Ctrl-C. Signals within this time, in milliseconds, count as one. */
const debounceMs = 1_000;

/** Converts the stop signals of the process to abort signals. The third one ends the process immediately. */
export function listenForStopSignals(): StopSignals {
  const steps = [new AbortController(), new AbortController()] as const;
  let counted = 0;
  let last = -Infinity;
  const count = () => {
    if (performance.now() - last < debounceMs) return;
    last = performance.now();
    steps[counted++]?.abort();
    if (counted > steps.length) process.exit(1);
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, count);
  if (hasTerminal()) process.on('SIGHUP', count);
  stopWithParent(steps[0]);
  return { first: steps[0].signal, second: steps[1].signal, stop: () => steps[0].abort() };
}

/**
 * Lets a process without a terminal survive when the terminal of its shell closes. nohup ignores SIGHUP, but Node
 * resets that. A process started by nohup is recognized by having no terminal for input and output.
 */
export function ignoreHangup(): void {
  if (!hasTerminal()) process.on('SIGHUP', () => {});
}

function hasTerminal(): boolean {
  return [0, 1, 2].some((file) => isatty(file));
}

/** The start script holds a channel to this process, which breaks when the script is killed. */
function stopWithParent(controller: AbortController): void {
  if (process.channel === undefined) return;
  process.channel.unref();
  process.once('disconnect', () => controller.abort());
}

/** Resolves when the signal is aborted or the time is up. */
export async function waitForAbortWithin(signal: AbortSignal, milliseconds: number): Promise<void> {
  await delay(milliseconds, undefined, { signal }).catch(() => {});
}

export async function waitForAbort(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort');
}

/**
 * Runs a command until it ends or a stop signal interrupts it. The second signal ends the process.
 * @returns the exit code: that of `run`, else 0; 130 if it was interrupted; 1 if it failed
 */
export async function runUntilInterrupted(
  err: Output,
  {
    run,
    interrupted,
    describeError = () => undefined,
  }: {
    run: (signal: AbortSignal) => Promise<number | void>;
    /** What an interrupted command did: 'Nothing was written.' */
    interrupted: string;
    /** Returns the message for an error; undefined for those that are thrown. */
    describeError?: (error: unknown) => string | undefined;
  },
): Promise<number> {
  const interruption = new AbortController();
  const interrupt = () => interruption.abort();
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt);
  try {
    return (await run(interruption.signal)) ?? 0;
  } catch (error) {
    if (interruption.signal.aborted) {
      err.write(`Interrupted. ${interrupted}\n`);
      return 130;
    }
    const message = describeError(error);
    if (message === undefined) throw error;
    err.write(`${message}\n`);
    return 1;
  } finally {
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
  }
}
