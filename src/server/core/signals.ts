import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { isatty } from 'node:tty';

/** Told to stop once, and told again. */
export type StopSignals = { first: AbortSignal; second: AbortSignal; stop: () => void };

/**
 * A terminal and npm may each pass the same Ctrl-C on, so that it comes several times at once: within this time,
 * in milliseconds, it counts as one.
 */
const debounceMs = 1_000;

/** Turns the signals that end a process into something to wait for. The third ends the process at once. */
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
 * Lets a process that has no terminal go on when the terminal of its shell is closed. nohup asks for that by ignoring SIGHUP,
 * which Node undoes; what stays of nohup is that neither input nor output is a terminal.
 */
export function ignoreHangup(): void {
  if (!hasTerminal()) process.on('SIGHUP', () => {});
}

function hasTerminal(): boolean {
  return [0, 1, 2].some((file) => isatty(file));
}

/** The start script holds a channel to this process; it breaks when that script is killed. */
function stopWithParent(controller: AbortController): void {
  if (process.channel === undefined) return;
  process.channel.unref();
  process.once('disconnect', () => controller.abort());
}

/** Resolves when it is aborted, or after so many milliseconds. */
export async function waitForAbortWithin(signal: AbortSignal, milliseconds: number): Promise<void> {
  await delay(milliseconds, undefined, { signal }).catch(() => {});
}

export async function waitForAbort(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort');
}
