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
  folder = await mkdtemp(path.join(os.tmpdir(), 'parley-import-rules-'));
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
    ['src/shared/posts/x.ts', 'node:fs', 'shared imports shared and zod only'],
    ['src/server/engagement/x.ts', '#web/app/router.tsx', 'does not know the browser part'],
    ['src/server/engagement/x.ts', '../posts/answers.ts', 'Leaving a folder means an alias'],
    ['src/server/engagement/x.ts', '#server/posts/answers-queries.ts', 'through its main file'],
    ['src/server/engagement/x.ts', '#server/posts/answers-routes.ts', 'through its main file'],
    ['src/server/engagement/x.test.ts', '#server/posts/answers-queries.ts', 'through its main file'],
    ['src/server/engagement/x.ts', '#tests/support/server.ts', 'Only tests import'],
    ['src/server/engagement/x.ts', '#server/app.ts', 'Areas do not know'],
    ['src/server/core/x.ts', '#server/engagement/votes.ts', 'The core knows no area'],
    ['src/server/core/x.ts', '#server/postgres/replicas.ts', 'The core knows no area'],
    ['src/server/postgres/x.ts', '#server/posts/posts.ts', 'knows no area but the core'],
    ['src/server/posts/x.ts', '#server/engagement/votes.ts', 'only areas below it'],
    ['src/server/identity/x.ts', '#server/admin/roles.ts', 'only areas below it'],
    ['src/web/engagement/x.ts', '#server/engagement/votes.ts', 'knows the server by its API alone'],
    ['src/web/core/x.ts', '#server/engagement/votes.ts', 'knows the server by its API alone'],
    ['src/web/core/x.ts', '#server/app.ts', 'Only the type of the API'],
    ['src/web/core/x.ts', '#web/ui/toast.tsx', 'only areas below it'],
    ['src/web/ui/x.ts', '#web/engagement/votes.ts', 'only areas below it'],
    ['src/web/posts/drafts/x.ts', '#web/discovery/search/search.ts', 'only areas below it'],
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
    ['src/server/engagement/x.ts', `import { thing } from '#server/posts/answers.ts';`],
    ['src/server/engagement/x.ts', `import { thing } from './votes-queries.ts';`],
    ['src/server/operations/x.ts', `import { thing } from '#server/postgres/connect.ts';`],
    ['src/server/posts/x.test.ts', `import { thing } from '#server/operations/integrity-check.ts';`],
    ['src/server/posts/x.test.ts', `import { thing } from '#tests/support/server.ts';`],
    ['src/server/app.ts', `import { thing } from '#server/engagement/votes-routes.ts';`],
    ['src/web/core/x.ts', `import type { thing } from '#server/app.ts';`],
    ['src/web/app/x.ts', `import { thing } from '#web/engagement/votes.ts';`],
  ])('%s: %s', async (file, wanted) => {
    expect(await findImportErrors(file, wanted)).toBe('');
  });
});
