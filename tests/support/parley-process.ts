import { projectRoot } from '#server/core/paths.ts';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import os from 'node:os';
import path from 'node:path';
import node from '#server/node-options.json' with { type: 'json' };

/** A Parley in its own process. */
export type ParleyProcess = {
  pid: number;
  /** Resolves with the address, such as 'http://127.0.0.1:3000'; rejects with the output if the process ends first. */
  ready: Promise<string>;
  /** Resolves when the process has ended: with its exit code, or null after a signal. */
  ended: Promise<number | null>;
  /** The output so far. */
  output: () => string;
  /** Resolves when the output matches; rejects with the output if the process ends first, or after `timeoutMs`. */
  waitForOutput: (pattern: RegExp, timeoutMs?: number) => Promise<RegExpExecArray>;
  signal: (signal: NodeJS.Signals) => void;
};

export type ParleyOptions = {
  env: NodeJS.ProcessEnv;
  parameters?: string[];
  /** The checkout to start, and the Node to run it with; by default those of the tests. */
  project?: string;
  node?: string;
  /** Uses cheap password hashes, for tests that register many members. */
  cheapPasswords?: boolean;
  user?: { uid: number; gid: number };
};

/** Node's compile cache: it halves the time of each start after the first. */
export const compileCache = path.join(projectRoot, 'node_modules/.cache/compiled');

/** Shorter than the timeout of a test, so that a changed text fails with the output. */
const defaultTimeoutMs = 60_000;

/** A start may recover a large database first. */
const startTimeoutMs = 300_000;

/** Starts the server as `npm start` does, on a free port. */
export function spawnParley({
  env,
  parameters = [],
  project = projectRoot,
  node: executable = process.execPath,
  cheapPasswords = false,
  user,
}: ParleyOptions): ParleyProcess {
  const main = path.join(
    project,
    cheapPasswords ? 'tests/support/cheap-passwords-main.ts' : 'src/server/main.ts',
  );
  const child = spawn(executable, [...node.flags, main, ...parameters], {
    cwd: '/',
    env: {
      PATH: process.env['PATH'],
      // An interrupted test run ends what uses its directory.
      TMPDIR: os.tmpdir(),
      PORT: '0',
      NODE_COMPILE_CACHE: compileCache,
      // All members come from one address.
      ACCOUNTS_PER_NETWORK: '0',
      ...node.env,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...user,
  });
  return watchProcess(child);
}

/** Whether a process has ended, by itself or by a signal. It sends no 'exit' or 'close' afterwards. */
export const hasEnded = ({ exitCode, signalCode }: ChildProcess): boolean =>
  exitCode !== null || signalCode !== null;

export function watchProcess(child: ChildProcess): ParleyProcess {
  let output = '';
  const listeners = new Set<() => void>();
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      for (const listener of listeners) listener();
    });
  const ended = once(child, 'close').then(() => child.exitCode);
  const waitForOutput = (pattern: RegExp, timeoutMs = defaultTimeoutMs) =>
    new Promise<RegExpExecArray>((resolve, reject) => {
      const finish = () => {
        listeners.delete(look);
        clearTimeout(timer);
      };
      const fail = (reason: string) => {
        finish();
        reject(new Error(`${reason}. The output so far:\n${output}`));
      };
      const look = () => {
        const match = pattern.exec(output);
        if (match === null) return;
        finish();
        resolve(match);
      };
      const timer = setTimeout(
        () => fail(`The output has not matched ${pattern} after ${timeoutMs / 1000} s`),
        timeoutMs,
      ).unref();
      listeners.add(look);
      void ended.then(() => fail(`The process ended before its output matched ${pattern}`));
      look();
    });
  const ready = waitForOutput(/Parley is ready at (http:\S+)/, startTimeoutMs).then(
    (match) => match[1] ?? '',
  );
  // Tests that expect a failure await `ended` instead.
  ready.catch(() => {});
  return {
    pid: child.pid ?? 0,
    ready,
    ended,
    output: () => output,
    waitForOutput,
    signal: (signal) => void child.kill(signal),
  };
}
