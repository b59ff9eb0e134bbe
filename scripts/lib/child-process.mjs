import { spawn } from 'node:child_process';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { isatty } from 'node:tty';
import { project } from './project.mjs';

/** npm's shell, if npm runs the script. */
const parent = process.ppid;
let interrupted = false;

/** Whether a stop signal was passed on to a program. Nothing else should be started then. */
export const wasInterrupted = () => interrupted;

/**
 * `byLine` prints the output in whole lines, for programs that run at the same time.
 * @typedef {{ env?: NodeJS.ProcessEnv, cwd?: string, byLine?: boolean }} Options
 */

/**
 * Runs a program and returns its exit code. Signals are passed on. Parent and child may both receive the same signal
 * from a terminal; the programs treat it as one.
 * @param {string} program
 * @param {string[]} parameters
 * @param {Options} options
 * @returns {Promise<number>}
 */
export function runInForeground(
  program,
  parameters,
  { env = process.env, cwd = project, byLine = false } = {},
) {
  // The closed channel tells the child that this process was killed.
  const output = byLine ? 'pipe' : 'inherit';
  const child = spawn(program, parameters, { cwd, env, stdio: ['inherit', output, output, 'ipc'] });
  for (const stream of [child.stdout, child.stderr])
    if (stream) createInterface({ input: stream }).on('line', (line) => console.log(line));
  return waitForEnd(child);
}

/**
 * Returns the exit code of a program, which gets the signals of this process meanwhile.
 * @param {import('node:child_process').ChildProcess} child
 */
async function waitForEnd(child) {
  const watching = isRunByNpm() ? stopWithParent(child) : undefined;
  try {
    // Closing a terminal also ends npm and its shell, which is no reason to stop.
    return await passSignals(child, () => clearInterval(watching));
  } finally {
    clearInterval(watching);
  }
}

/** Any other parent may end without stopping this process: a closed shell, nohup, setsid. */
function isRunByNpm() {
  const { npm_lifecycle_event: event, npm_lifecycle_script: script = '' } = process.env;
  return event === 'npx' || script.includes(`scripts/${path.basename(process.argv[1] ?? '')}`);
}

/**
 * npm runs scripts in a shell and sends its signals to that shell, which ends without passing them on.
 * @param {import('node:child_process').ChildProcess} child
 */
function stopWithParent(child) {
  let hasEnded = false;
  return setInterval(() => {
    // Only on the second observation: the signal that ended the shell may be one that this process ignores.
    if (hasEnded) {
      interrupted = true;
      child.kill('SIGTERM');
    }
    hasEnded = process.ppid !== parent;
  }, 250);
}

/**
 * Runs a program and returns its exit code and its output, with standard output and error combined.
 * @param {string} program
 * @param {string[]} parameters
 * @param {Options} options
 * @returns {Promise<{ code: number, output: string }>}
 */
export async function runCaptured(program, parameters, { env = process.env, cwd = project } = {}) {
  const shell = process.platform === 'win32' && program.endsWith('.cmd');
  const child = spawn(program, parameters, { cwd, env, shell, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => {
      output += text;
    });
  return { code: await waitForEnd(child), output };
}

/**
 * @param {import('node:child_process').ChildProcess} child
 * @param {() => void} onHangUp called when a terminal is closed that this process is not attached to
 * @returns {Promise<number>}
 */
function passSignals(child, onHangUp) {
  /** @type {NodeJS.Signals[]} */
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  const terminal = hasTerminal();
  /** @param {NodeJS.Signals} signal */
  const pass = (signal) => {
    if (signal === 'SIGHUP' && !terminal) return onHangUp();
    interrupted = true;
    child.kill(signal);
  };
  for (const signal of signals) process.on(signal, pass);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => {
      for (const name of signals) process.off(name, pass);
      resolve(code ?? 128 + (os.constants.signals[signal ?? 'SIGTERM'] ?? 0));
    });
  });
}

/** Node resets what nohup does to SIGHUP, but nohup also detaches a program from its terminal. */
function hasTerminal() {
  return [0, 1, 2].some((file) => isatty(file));
}

/**
 * Whether a process exists. EPERM means that it exists and belongs to another user.
 * @param {number} pid
 */
export function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
