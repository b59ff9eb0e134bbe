import { fork } from 'node:child_process';
import { once } from 'node:events';
import os from 'node:os';

/** Milliseconds and bytes after which a process is ended. */
export type ProcessLimits = { maxMs: number; maxMemory: number };

/**
 * Runs a program that handles one message with native code or regular expressions of others and then ends: only a
 * process can be killed, and gives back its memory. Returns null if it ended without a reply: it took too much time or
 * memory, or crashed.
 * @param program the file, which calls `answerOnce`
 */
export async function runLimitedProcess<Reply>(
  program: URL,
  message: object,
  { maxMs, maxMemory }: ProcessLimits,
): Promise<Reply | null> {
  const child = fork(program, {
    serialization: 'advanced',
    // It logs to the standard output of this process.
    stdio: ['ignore', 'inherit', 'ignore', 'ipc'],
    execArgv: [],
    // Other variables of this process are secrets. Compiling the program takes half of the time of a short message.
    env: pickCompileCache(process.env),
  });
  const timer = setTimeout(() => child.kill('SIGKILL'), maxMs);
  let reply: Reply | null = null;
  child.on('message', (received: Reply) => (reply = received));
  // The process may be gone before it has read the message.
  child.send({ message, maxMemory } satisfies Envelope, () => {});
  try {
    await once(child, 'close');
  } finally {
    clearTimeout(timer);
  }
  return reply;
}

const pickCompileCache = ({ NODE_COMPILE_CACHE }: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE };

type Envelope = { message: object; maxMemory: number };

/**
 * In the process that `runLimitedProcess` starts: responds to its message and ends.
 * @param respond takes the message that the other side sends, whatever its type
 */
export function answerOnce(respond: (message: never) => Promise<object>): void {
  os.setPriority(os.constants.priority.PRIORITY_BELOW_NORMAL);
  process.once('message', ({ message, maxMemory }: Envelope) => {
    // Native code runs in other threads, so this timer runs meanwhile.
    setInterval(() => {
      if (process.memoryUsage.rss() > maxMemory) process.exit(1);
    }, 10);
    respond(message as never).then(
      (reply) => process.send?.(reply, () => process.exit()),
      async (error: unknown) => {
        const { createLogger } = await import('./log.ts');
        createLogger('error').error({ err: error }, 'A process that handles one message failed.');
        process.exit(1);
      },
    );
  });
}
