import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const project = path.dirname(import.meta.dirname);
const run = promisify(execFile);

/** A checkout with this project's rules and nothing in it but what a test writes. */
let folder = '';

beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'parley-walls-'));
  for (const file of ['.oxlintrc.json', 'package.json', 'tsconfig.base.json', 'src/shared/tsconfig.json'])
    await cp(path.join(project, file), path.join(folder, file));
  await symlink(path.join(project, 'node_modules'), path.join(folder, 'node_modules'));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

async function write(file: string, text: string): Promise<string> {
  const place = path.join(folder, file);
  await mkdir(path.dirname(place), { recursive: true });
  await writeFile(place, `${text}\n`);
  return place;
}

/** The complaints about imports in a file with this one import. */
async function findImportErrors(file: string, wanted: string): Promise<string> {
  const place = await write(file, `${wanted}\nexport const used = thing;`);
  const program = path.join(project, 'node_modules/oxlint/bin/oxlint');
  const parameters = [program, '-A', 'all', '-D', 'no-restricted-imports', '-c', '.oxlintrc.json', place];
  const failed = await run(process.execPath, parameters, { cwd: folder }).then(
    () => '',
    (error: { stdout: string }) => error.stdout,
  );
  await rm(place);
  return failed;
}

describe('a forbidden import fails', () => {
  test.each([
    ['src/shared/x.ts', '#server/app.ts', 'shared imports shared and zod only'],
    ['src/shared/x.ts', 'node:fs', 'shared imports shared and zod only'],
    ['src/server/votes/x.ts', '#web/app/router.tsx', 'does not know the browser part'],
    ['src/server/votes/x.ts', '../answers/answers.ts', 'Leaving a folder means an alias'],
    ['src/server/votes/x.ts', '#server/posts/answers-queries.ts', 'through its main file'],
    ['src/server/votes/x.ts', '#server/posts/answers-routes.ts', 'through its main file'],
    ['src/server/platform/x.ts', '#server/engagement/votes.ts', 'The platform knows no feature'],
    ['src/web/votes/x.ts', '#server/engagement/votes.ts', 'knows the server by its API alone'],
    ['src/web/platform/x.ts', '#server/app.ts', 'Only the type of the API'],
    ['src/web/ui/x.ts', '#web/engagement/votes.ts', 'know no feature'],
  ])('%s may not import %s', async (file, module, message) => {
    expect(await findImportErrors(file, `import { thing } from '${module}';`)).toContain(message);
  });

  test('the compiler refuses shared code that imports the server', async () => {
    await write('src/server/thing.ts', 'export const thing = 1;');
    const file = await write('src/shared/x.ts', `export { thing } from '#server/thing.ts';`);
    const compiler = path.join(project, 'node_modules/typescript/bin/tsc');
    const build = run(process.execPath, [compiler, '-b', 'src/shared'], { cwd: folder });
    await expect(build).rejects.toMatchObject({ stdout: expect.stringMatching(/TS6059|TS6307/) });
    await rm(file);
  });
});

describe('what is allowed passes', () => {
  test.each([
    ['src/shared/x.ts', `import { thing } from 'zod';`],
    ['src/server/votes/x.ts', `import { thing } from '#server/posts/answers.ts';`],
    ['src/server/app.ts', `import { thing } from '#server/engagement/votes-routes.ts';`],
    ['src/web/platform/x.ts', `import type { thing } from '#server/app.ts';`],
    ['src/web/pages/x.ts', `import { thing } from '#web/engagement/votes.ts';`],
  ])('%s: %s', async (file, wanted) => {
    expect(await findImportErrors(file, wanted)).toBe('');
  });
});
