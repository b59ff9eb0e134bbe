import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { createTemporaryDirectory } from '#tests/support/parley.ts';

test('returns null for a program that throws, and logs the error with its stack and without addresses', async () => {
  expect(
    await runProgram(`answerOnce(async () => { throw new TypeError('ada@example.org is no picture'); });`),
  ).toEqual([
    expect.objectContaining({
      msg: 'A process that handles one message failed.',
      err: {
        type: 'TypeError',
        message: '(an address) is no picture',
        stack: expect.stringContaining('program.mjs'),
      },
    }),
    { reply: null },
  ]);
});

test('gives the program no variable of the environment but the compile cache', async () => {
  const NODE_COMPILE_CACHE = await createTemporaryDirectory();
  const program = 'answerOnce(async () => process.env);';
  const secret = { SECRET: 'only the server knows it' };
  expect(await runProgram(program, { ...secret, NODE_COMPILE_CACHE })).toEqual([
    { reply: { NODE_COMPILE_CACHE } },
  ]);
  expect(await runProgram(program, secret)).toEqual([{ reply: {} }]);
});

/** Runs a program from a process with this environment, and returns the lines of its log and the reply. */
async function runProgram(text: string, env: NodeJS.ProcessEnv = {}): Promise<unknown[]> {
  const directory = await createTemporaryDirectory();
  const module = JSON.stringify(new URL('limited-process.ts', import.meta.url));
  await writeFile(path.join(directory, 'program.mjs'), `import { answerOnce } from ${module};\n${text}`);
  const caller = path.join(directory, 'caller.mjs');
  await writeFile(
    caller,
    `import { runLimitedProcess } from ${module};
    const limits = { maxMs: 60_000, maxMemory: 1e9 };
    const reply = await runLimitedProcess(new URL('program.mjs', import.meta.url), {}, limits);
    console.log(JSON.stringify({ reply }));`,
  );
  const { stdout } = await promisify(execFile)(process.execPath, [caller], { env });
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown);
}
