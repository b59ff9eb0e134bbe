import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { createTemporaryDirectory } from '#tests/support/parley.ts';

test('returns null for a program that throws, and logs the error with its stack and without addresses', async () => {
  const directory = await createTemporaryDirectory();
  const module = JSON.stringify(new URL('limited-process.ts', import.meta.url));
  const program = path.join(directory, 'program.mjs');
  await writeFile(
    program,
    `import { answerOnce } from ${module};
    answerOnce(async () => { throw new TypeError('ada@example.org is no picture'); });`,
  );
  const caller = path.join(directory, 'caller.mjs');
  await writeFile(
    caller,
    `import { runLimitedProcess } from ${module};
    const limits = { maxMs: 60_000, maxMemory: 1e9 };
    const reply = await runLimitedProcess(new URL('program.mjs', import.meta.url), {}, limits);
    console.log(JSON.stringify({ reply }));`,
  );
  const { stdout } = await promisify(execFile)(process.execPath, [caller]);
  expect(
    stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown),
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
