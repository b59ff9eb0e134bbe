import { execFile, spawn } from 'node:child_process';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { isProcessAlive } from '#server/postgres/embedded-orphan-cleanup.ts';
import { eventually, readPostmasterPid, createPreparedDataDirectory } from '#tests/support/parley.ts';
import { type ParleyProcess, watchProcess } from '#tests/support/parley-process.ts';

const run = promisify(execFile);
const project = path.resolve(import.meta.dirname, '..');
const script = path.join(project, 'scripts/start.mjs');
/** The Node that runs the tests, which may be older than the pinned one. */
const node = process.env['npm_node_execpath'] ?? 'node';

test('explains npm start with --help and starts nothing', async () => {
  const { stdout } = await run(node, [script, '--help']);
  expect(stdout).toMatch(/^npm start \[-- OPTIONS\]/);
  expect(stdout).toContain('--demo');
});

test.each(['start.mjs', 'test.mjs', 'parley.mjs'])(
  'refuses an old Node in one sentence: %s',
  async (name) => {
    const old = `Object.defineProperty(process.versions, 'node', { value: '20.18.3' })`;
    const parameters = ['--import', `data:text/javascript,${encodeURIComponent(old)}`, `scripts/${name}`];
    await expect(run(node, parameters, { cwd: project })).rejects.toMatchObject({
      code: 1,
      stderr:
        'Parley needs Node.js 20.19 or newer to start, and this is 20.18.3. Get a newer one from https://nodejs.org.\n',
    });
  },
);

test('stops Parley and its PostgreSQL with exit code 0 when npm start is stopped', async () => {
  const { parley, data } = await start();
  const address = await parley.ready;
  expect((await fetch(address)).headers.get('content-type')).toMatch('text/html');
  const postgres = await readPostmasterPid(data);
  parley.signal('SIGTERM');
  expect(await parley.ended).toBe(0);
  expect(isProcessAlive(postgres)).toBe(false);
});

test('stops Parley when the start script is killed', async () => {
  const { parley, data } = await start();
  await parley.ready;
  const postgres = await readPostmasterPid(data);
  parley.signal('SIGKILL');
  await eventually(() => !isProcessAlive(postgres));
  await parley.ended;
  expect(parley.output()).toContain('Parley has stopped.');
});

test('stops Parley when npm receives a signal to stop', async () => {
  const data = await createPreparedDataDirectory();
  const npm = watchProcess(
    spawn('npm', ['start'], {
      cwd: project,
      env: { ...process.env, PORT: '0', PARLEY_DATA: data },
      stdio: ['ignore', 'pipe', 'pipe'],
    }),
  );
  await npm.ready;
  const postgres = await readPostmasterPid(data);
  npm.signal('SIGTERM');
  await npm.waitForOutput(/Parley has stopped/);
  await npm.ended;
  expect(isProcessAlive(postgres)).toBe(false);
});

test.each([
  ['start.mjs', []],
  ['parley.mjs', ['serve']],
])('keeps %s running after its shell has ended', async (name, parameters) => {
  const served = await startBelow('sh', [
    '-c',
    '"$@" & read line',
    'sh',
    node,
    scriptOf(name),
    ...parameters,
  ]);
  const { parley, address } = served;
  const shell = parley.pid;
  parley.endInput();
  await eventually(() => !isProcessAlive(shell));
  await expectToServeOn(address);
  process.kill(-shell, 'SIGTERM');
  await parley.waitForOutput(/Parley has stopped/);
});

test.each([
  ['parley.mjs serve', node, [scriptOf('parley.mjs'), 'serve']],
  ['npm start', 'npm', ['start']],
])(
  "keeps %s running without a terminal when its shell's terminal is closed",
  async (_name, program, parameters) => {
    const { parley, address } = await startBelow(program, parameters);
    process.kill(-parley.pid, 'SIGHUP');
    await expectToServeOn(address);
    process.kill(-parley.pid, 'SIGTERM');
    await parley.waitForOutput(/Parley has stopped/);
  },
);

/** Starts a program as the leader of a process group, as a shell starts a job. Resolves when Parley is ready. */
async function startBelow(program: string, parameters: readonly string[]) {
  const data = await createPreparedDataDirectory();
  const child = spawn(program, parameters, {
    cwd: project,
    env: { ...process.env, PORT: '0', PARLEY_DATA: data },
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
  });
  const parley = { ...watchProcess(child), endInput: () => void child.stdin.end() };
  onTestFinished(async () => {
    try {
      process.kill(-parley.pid, 'SIGTERM');
    } catch {
      // All of them have ended.
    }
    await parley.ended;
  });
  return { parley, address: await parley.ready };
}

/** Longer than the start script needs to notice that its parent ended, plus the time Parley needs to stop. */
const seen = 2_000;

async function expectToServeOn(address: string): Promise<void> {
  for (const until = Date.now() + seen; Date.now() < until; await delay(100))
    expect((await fetch(`${address}/readyz`)).status).toBe(200);
}

function scriptOf(name: string): string {
  return path.join(project, 'scripts', name);
}

test('exits with the exit code of Parley', async () => {
  const { parley } = await start({ PORT: 'none' });
  expect(await parley.ended).toBe(1);
  expect(parley.output()).toContain('PORT must be a whole number');
});

async function start(env: NodeJS.ProcessEnv = {}): Promise<{ parley: ParleyProcess; data: string }> {
  const data = await createPreparedDataDirectory();
  const child = spawn(node, [script], {
    env: { PATH: process.env['PATH'], PORT: '0', PARLEY_DATA: data, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const parley = watchProcess(child);
  onTestFinished(async () => {
    parley.signal('SIGTERM');
    await parley.ended;
  });
  return { parley, data };
}
