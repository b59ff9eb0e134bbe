import { Worker } from 'node:worker_threads';
import { getErrorMessage } from '#server/core/startup-error.ts';

/** What a worker sends when it ends: null on success, otherwise the error as a sentence for the operator. */
export type WorkerTaskResult = { problem: string | null };

/** Milliseconds that a task gets to clean up when the node stops. */
const stopTimeoutMs = 3_000;

/**
 * Runs a long task in a worker thread, which ends with the node. The worker gets a message when it has to stop.
 * @param what names the task in errors, such as 'backup'
 * @returns the error as a sentence; null on success
 */
export async function runInWorker(
  script: URL,
  { task, what, signal }: { task: unknown; what: string; signal: AbortSignal },
): Promise<string | null> {
  const worker = new Worker(script, { workerData: task });
  let end: WorkerTaskResult = { problem: 'It ended before it was done.' };
  worker.on('message', (message: WorkerTaskResult) => (end = message));
  worker.on('error', (error) => (end = { problem: `The ${what} failed: ${getErrorMessage(error)}.` }));
  const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
  let tooLong: NodeJS.Timeout | undefined;
  const stop = () => {
    worker.postMessage('stop', []);
    tooLong = setTimeout(() => void worker.terminate(), stopTimeoutMs);
  };
  signal.addEventListener('abort', stop);
  if (signal.aborted) stop();
  await ended;
  clearTimeout(tooLong);
  signal.removeEventListener('abort', stop);
  return end.problem;
}
