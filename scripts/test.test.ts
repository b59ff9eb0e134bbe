import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test, vi } from 'vitest';
import { createTemporaryDirectory } from '#tests/support/parley.ts';

const project = path.resolve(import.meta.dirname, '..');
const node = process.env['npm_node_execpath'] ?? 'node';

test('sums up passed and failed checks in the last line and the exit code', async () => {
  const copy = await projectWith({ 'good.ts': 'export const one = 1;\n' });
  expect((await runChecks(copy, '--only', 'format')).lastLine).toBe('1 passed, 0 failed');
  await writeFile(path.join(copy, 'bad.ts'), 'export   const one=1');
  const { code, lastLine, output } = await runChecks(copy, '--only', 'format');
  expect(lastLine).toBe('0 passed, 1 failed');
  expect(code).toBe(1);
  expect(output).toContain('bad.ts');
});

test('counts server tests one by one, and fails for skipped ones if CI is true', async () => {
  const copy = await projectWith({
    'vitest.config.ts': 'export default {};\n',
    'some.test.ts': `import { expect, test } from 'vitest';
      test('right', () => expect(1).toBe(1));
      test('right too', () => expect(1).toBe(1));
      test('wrong', () => expect(1).toBe(2));
      test.skip('left out', () => {});`,
    'broken.test.ts': 'throw new Error("cannot be read");\n',
  });
  const { output, lastLine } = await runChecks(copy, { CI: 'true' }, '--only', 'server');
  expect(lastLine).toBe('2 passed, 2 failed');
  const [, again = ''] = output.split('\nFailed:\n');
  expect(again).toContain('✗ server: some.test.ts › wrong\n    AssertionError: expected 1 to be 2');
  expect(again).toContain('✗ server: broken.test.ts\n    cannot be read');
  expect(output).toMatch(/✗ server \(\d+\.\d s, 1 SKIPPED\)/);
});

test('runs a failed test again and lists it as flaky if it passes then', async () => {
  const copy = await projectWith({
    'vitest.config.ts': 'export default {};\n',
    'first.test.ts': `import { expect, test } from 'vitest';
      import { existsSync, writeFileSync } from 'node:fs';
      const again = existsSync('ran');
      writeFileSync('ran', '');
      test('fails once', () => expect(again).toBe(true));
      test('passes', () => expect(1).toBe(1));`,
    'hook.test.ts': `import { beforeAll, expect, test } from 'vitest';
      import { existsSync, writeFileSync } from 'node:fs';
      beforeAll(() => {
        if (existsSync('hooked')) return;
        writeFileSync('hooked', '');
        throw new Error('the hook fails once');
      });
      test('needs the hook', () => expect(1).toBe(1));`,
    'unhandled.test.ts': `import { expect, test } from 'vitest';
      import { existsSync, writeFileSync } from 'node:fs';
      test('leaves an error behind once', async () => {
        if (!existsSync('left')) void Promise.reject(new Error('socket hang up'));
        writeFileSync('left', '');
        await new Promise((resolve) => setImmediate(resolve));
        expect(1).toBe(1);
      });`,
    'good.test.ts': `import { expect, test } from 'vitest';
      import { appendFileSync, readFileSync } from 'node:fs';
      appendFileSync('good', '.');
      test('runs only once', () => expect(readFileSync('good', 'utf8')).toBe('.'));`,
  });
  const { code, lastLine, output } = await runChecks(copy, { CI: 'true' }, '--only', 'server');
  expect(output).toMatch(/\n5 passed, 0 failed\n$/);
  expect(lastLine).toBe('5 passed, 0 failed');
  expect(code).toBe(0);
  const [, flaky = ''] = output.split('\nFlaky (failed once, passed when run again):\n');
  expect(flaky).toContain(
    '~ server: first.test.ts › fails once\n    AssertionError: expected false to be true',
  );
  expect(flaky).toContain('~ server: hook.test.ts\n');
  expect(flaky).toContain('~ server: unhandled.test.ts › unhandled error\n    Error: socket hang up');
  expect(output).not.toContain('\nFailed:\n');
});

test('fails for an unhandled error that occurs again', async () => {
  const copy = await projectWith({
    'vitest.config.ts': 'export default {};\n',
    'unhandled.test.ts': `import { expect, test } from 'vitest';
      test('leaves an error behind', async () => {
        void Promise.reject(new Error('socket hang up'));
        await new Promise((resolve) => setImmediate(resolve));
        expect(1).toBe(1);
      });`,
  });
  const { code, lastLine, output } = await runChecks(copy, '--only', 'server');
  expect(lastLine).toBe('1 passed, 1 failed');
  expect(code).toBe(1);
  expect(output).toContain('✗ server: unhandled.test.ts › unhandled error\n    Error: socket hang up');
});

test('counts a test as failed if the specification coverage lists it and it did not run', async () => {
  const copy = await projectWith({
    'vitest.config.ts': 'export default {};\n',
    'some.test.ts': `import { describe, expect, test } from 'vitest';
      describe('what', () => test.each([1, 2])('is %s', () => expect(1).toBe(1)));
      test.skip('left out', () => {});`,
  });
  await mkdir(path.join(copy, 'docs'));
  const row = (title: string) => `| 10.1 | A sentence | \`some.test.ts\` › ${title} |\n`;
  const table = path.join(copy, 'docs/SPEC-COVERAGE.md');
  await writeFile(table, row('what › is %s'));
  // Without CI, the skipped test does not count.
  expect((await runChecks(copy, '--only', 'server')).lastLine).toBe('2 passed, 0 failed');
  await writeFile(table, row('what › is %s') + row('left out') + row('what › was'));
  const { lastLine, output } = await runChecks(copy, '--only', 'server');
  expect(lastLine).toBe('2 passed, 2 failed');
  expect(output).toContain('some.test.ts › left out\nsome.test.ts › what › was');
});

test('runs the heavy tier with --all or when a filter names a file of it', async () => {
  const passes = (title: string) =>
    `import { expect, test } from 'vitest';\ntest('${title}', () => expect(1).toBe(1));\n`;
  const copy = await projectWith({
    'vitest.config.ts': `export default { test: { projects: [
      { test: { name: 'fast', include: ['*.test.ts'] } },
      { test: { name: 'heavy', include: ['tests/heavy/*.test.ts'] } } ] } };\n`,
    'feature.test.ts': passes('is fast'),
    'tests/heavy/kill.test.ts': passes('survives'),
    'docs/SPEC-COVERAGE.md':
      '| 10.1 | A sentence | `feature.test.ts` › is fast<br>`tests/heavy/kill.test.ts` › survives |\n',
  });
  const fast = await runChecks(copy, { CI: 'true' }, '--only', 'server');
  expect(fast.lastLine).toBe('1 passed, 0 failed');
  expect(fast.output).not.toContain('kill.test.ts');
  expect((await runChecks(copy, '--only', 'server', '--all')).lastLine).toBe('2 passed, 0 failed');
  expect((await runChecks(copy, '--only', 'server', 'kill')).lastLine).toBe('1 passed, 0 failed');
  await writeFile(path.join(copy, 'tests/heavy/kill.test.ts'), passes('was renamed'));
  expect((await runChecks(copy, '--only', 'server', '--all')).lastLine).toBe('2 passed, 1 failed');
});

test.runIf(process.platform === 'linux').each(['SIGINT', 'SIGTERM'] as const)(
  'ends everything that its tests started after %s, and starts no further check',
  async (signal) => {
    const copy = await projectWith({
      'vitest.config.ts': 'export default {};\n',
      'starts.test.ts': `import { spawn } from 'node:child_process';
        import { writeFileSync } from 'node:fs';
        import { test } from 'vitest';
        test('starts a program', async () => {
          // In a group of its own, as the embedded PostgreSQL.
          const options = { detached: true, stdio: 'ignore' } as const;
          const child = spawn(process.execPath, ['--eval', 'setInterval(() => {}, 1000)'], options);
          writeFileSync('pid', String(child.pid));
          await new Promise(() => {});
        }, 60_000);`,
      'tests/e2e/one.spec.ts': 'throw new Error("must not start");\n',
    });
    const { child, ended } = startChecks(copy, '--all', '--only', 'server,browser');
    const pid = await vi.waitUntil(() => readFile(path.join(copy, 'pid'), 'utf8').catch(() => ''), 60_000);
    child.kill(signal);
    const { code, lastLine, output } = await ended;
    expect(lastLine).toBe('Interrupted.');
    expect(code).toBe(130);
    expect(output).not.toMatch(/Running failed files again|must not start/);
    // Empty for a process that has ended, also before it is removed from the list.
    expect(await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).toBe('');
  },
);

test('counts server tests that cannot start as failed', async () => {
  const copy = await projectWith({ 'vitest.config.ts': 'throw new Error("broken");\n' });
  expect((await runChecks(copy, '--only', 'server')).lastLine).toBe('0 passed, 1 failed');
});

test('rejects a filter that is in the path of no test file of the chosen checks', async () => {
  const test = `import { expect, test } from 'vitest';\ntest('passes', () => expect(1).toBe(1));\n`;
  const copy = await projectWith({ 'vitest.config.ts': 'export default {};\n', 'src/votes.test.ts': test });
  expect((await runChecks(copy, '--only', 'server', 'votes')).lastLine).toBe('1 passed, 0 failed');
  for (const [only, filters, message] of [
    ['server', ['votes', 'voters'], 'No test file of server has voters in its path.\n'],
    ['browser', ['votes'], 'No test file of browser has votes in its path.\n'],
    [
      'server,browser',
      ['here', 'there'],
      'No test file of server or browser has here or there in its path.\n',
    ],
    ['format', ['votes'], 'No test file of the chosen checks has votes in its path.\n'],
  ] as const)
    expect(await runChecks(copy, '--only', only, ...filters)).toMatchObject({ code: 1, output: message });
});

test('rejects an unknown check or option, and lists the checks with --help', async () => {
  expect(await runChecks(project, '--only', 'nothing')).toMatchObject({
    code: 1,
    output: 'There is no check nothing. npm test -- --help lists them.\n',
  });
  expect((await runChecks(project, '--fast')).code).toBe(1);
  const help = await runChecks(project, '--help');
  expect(help.code).toBe(0);
  expect(help.output).toMatch(/format .*\n.*lint /);
  expect(help.output).toMatch(/fast .*6 minutes[^]*heavy [^]*npm test -- --all .*20 minutes/);
});

/** A checkout with the scripts and packages of this one and its own files. */
async function projectWith(files: Record<string, string>): Promise<string> {
  const copy = await createTemporaryDirectory();
  await mkdir(path.join(copy, 'scripts'));
  for (const part of [
    'scripts/lib',
    'scripts/test.mjs',
    'package.json',
    'package-lock.json',
    '.oxfmtrc.json',
  ])
    await cp(path.join(project, part), path.join(copy, part), { recursive: true });
  await symlink(path.join(project, 'node_modules'), path.join(copy, 'node_modules'));
  for (const [name, text] of Object.entries(files)) {
    await mkdir(path.join(copy, path.dirname(name)), { recursive: true });
    await writeFile(path.join(copy, name), text);
  }
  return copy;
}

/** `lastLine` is the last line of standard output. */
type Outcome = { code: number | null; output: string; lastLine: string };

async function runChecks(directory: string, ...given: (string | NodeJS.ProcessEnv)[]): Promise<Outcome> {
  return startChecks(directory, ...given).ended;
}

function startChecks(directory: string, ...given: (string | NodeJS.ProcessEnv)[]) {
  const env = Object.assign(
    { PATH: process.env['PATH'] },
    ...given.filter((part) => typeof part === 'object'),
  );
  const parameters = given.filter((part) => typeof part === 'string');
  const child = spawn(node, [path.join(directory, 'scripts/test.mjs'), ...parameters], {
    cwd: directory,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  let lastLine = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (output += text));
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
    lastLine = text.trimEnd().split('\n').at(-1) ?? '';
  });
  const ended = once(child, 'close').then((): Outcome => ({ code: child.exitCode, output, lastLine }));
  return { child, ended };
}
