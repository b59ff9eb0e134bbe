import { spawn } from 'node:child_process';
import os from 'node:os';
import path from 'node:path';
import { isatty } from 'node:tty';
import { project } from './project.mjs';

/** @typedef {{ env?: NodeJS.ProcessEnv, cwd?: string, quiet?: boolean }} Options */

/**
 * Runs a program to its end and gives its exit code; signals that reach this process are passed on. Both may get the
 * same signal from a terminal: the programs count that as one.
 * @param {string} program
 * @param {string[]} parameters
 * @param {Options} options
 * @returns {Promise<number>}
 */
export function runInForeground(program, parameters, { env = process.env, cwd = project } = {}) {
  // The channel tells the child when this process is killed.
  const child = spawn(program, parameters, { cwd, env, stdio: ['inherit', 'inherit', 'inherit', 'ipc'] });
  const watching = isRunByNpm() ? stopWithParent(child) : undefined;
  // A closed terminal ends npm and its shell as well, which is no reason to stop.
  return passSignals(child, () => clearInterval(watching)).finally(() => clearInterval(watching));
}

/** Any other parent may end and leave this running: a shell that is closed, nohup, setsid. */
function isRunByNpm() {
  const { npm_lifecycle_event: event, npm_lifecycle_script: script = '' } = process.env;
  return event === 'npx' || script.includes(`scripts/${path.basename(process.argv[1] ?? '')}`);
}

/**
 * npm runs scripts in a shell and sends its signals to that shell, which does not pass them on but ends.
 * @param {import('node:child_process').ChildProcess} child
 */
function stopWithParent(child) {
  const parent = process.ppid;
  let hasEnded = false;
  return setInterval(() => {
    // Only when it is seen a second time: the signal that ended the shell may be one to ignore that comes here now.
    if (hasEnded) child.kill('SIGTERM');
    hasEnded = process.ppid !== parent;
  }, 250);
}

/**
 * Runs a program and gives its exit code and what it wrote to its standard output and error, in one text.
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
  return { code: await passSignals(child), output };
}

/**
 * @param {import('node:child_process').ChildProcess} child
 * @param {() => void} [onHangUp] called when a terminal is closed that this process is not attached to
 * @returns {Promise<number>}
 */
function passSignals(child, onHangUp = () => {}) {
  /** @type {NodeJS.Signals[]} */
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  const terminal = hasTerminal();
  /** @param {NodeJS.Signals} signal */
  const pass = (signal) => {
    if (signal === 'SIGHUP' && !terminal) onHangUp();
    else child.kill(signal);
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

/** Node undoes what nohup does about SIGHUP, but not that it detaches a program from its terminal. */
function hasTerminal() {
  return [0, 1, 2].some((file) => isatty(file));
}
