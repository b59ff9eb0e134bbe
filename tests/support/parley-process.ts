import { projectRoot } from '#server/core/paths.ts';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import node from '#server/node-options.json' with { type: 'json' };

/** A Parley in a process of its own. */
export type ParleyProcess = {
  pid: number;
  /** Resolves with the address, such as 'http://127.0.0.1:3000'; rejects with the output when it ends before. */
  ready: Promise<string>;
  /** Resolves when it has ended: with its exit code, or null after a signal. */
  ended: Promise<number | null>;
  /** What it wrote so far. */
  output: () => string;
  /** Resolves when the output matches; rejects when the process ends before. */
  waitForOutput: (pattern: RegExp) => Promise<RegExpExecArray>;
  signal: (signal: NodeJS.Signals) => void;
};

export type ParleyOptions = {
  env: NodeJS.ProcessEnv;
  parameters?: string[];
  /** The checkout to start and the Node to run it with; by default those of the tests. */
  project?: string;
  node?: string;
  /** Makes passwords cost next to nothing: where many register, and it is not about passwords. */
  cheapPasswords?: boolean;
  user?: { uid: number; gid: number };
};

/** What Node keeps of compiling the program: each start after the first takes half of the time. */
const compiled = path.join(projectRoot, 'node_modules/.cache/compiled');

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
      PORT: '0',
      NODE_COMPILE_CACHE: compiled,
      // Everybody comes from one address.
      ACCOUNTS_PER_NETWORK: '0',
      ...node.env,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...user,
  });
  return watchProcess(child);
}

export function watchProcess(child: ChildProcess): ParleyProcess {
  let output = '';
  const listeners = new Set<() => void>();
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      for (const listener of listeners) listener();
    });
  const ended = once(child, 'close').then(() => child.exitCode);
  const waitForOutput = (pattern: RegExp) =>
    new Promise<RegExpExecArray>((resolve, reject) => {
      const look = () => {
        const match = pattern.exec(output);
        if (match === null) return;
        listeners.delete(look);
        resolve(match);
      };
      listeners.add(look);
      void ended.then(() => reject(new Error(`It ended without saying ${pattern}:\n${output}`)));
      look();
    });
  const ready = waitForOutput(/Parley is ready at (http:\S+)/).then((match) => match[1] ?? '');
  // Tests that expect a failure look at `ended`.
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
