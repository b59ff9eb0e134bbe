import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const project = path.dirname(import.meta.dirname);
const run = promisify(execFile);

/** A checkout with the rules of this project that contains only the files of a test. */
let directory = '';

beforeAll(async () => {
  directory = await mkdtemp(path.join(os.tmpdir(), 'parley-import-rules-'));
  for (const file of ['oxlint.config.ts', 'package.json', 'tsconfig.base.json', 'src/shared/tsconfig.json'])
    await cp(path.join(project, file), path.join(directory, file));
  await symlink(path.join(project, 'node_modules'), path.join(directory, 'node_modules'));
});

afterAll(() => rm(directory, { recursive: true, force: true }));

async function write(file: string, text: string): Promise<string> {
  const place = path.join(directory, file);
  await mkdir(path.dirname(place), { recursive: true });
  await writeFile(place, `${text}\n`);
  return place;
}

/** A file, whose name may change, and its only import. */
type Case = readonly [file: string, wanted: string];

/** The lint errors for imports in each of these files, checked in one run, which takes as long as for one file. */
async function findImportErrors(cases: readonly Case[]): Promise<string[]> {
  const files = cases.map(([file], index) => file.replace('/x.', `/x${index}.`));
  expect(new Set(files).size).toBe(files.length);
  const places = [];
  for (const [index, [, wanted]] of cases.entries())
    places.push(await write(files[index] ?? '', `${wanted}\nexport const used = thing;`));
  const program = path.join(project, 'node_modules/oxlint/bin/oxlint');
  const rules = ['-A', 'all', '-D', 'no-restricted-imports', '-c', 'oxlint.config.ts', '--format', 'json'];
  const output = await run(process.execPath, [program, ...rules, ...places], { cwd: directory }).then(
    ({ stdout }) => stdout,
    (error: { stdout: string }) => error.stdout,
  );
  await Promise.all(places.map((place) => rm(place)));
  const report = JSON.parse(output) as {
    number_of_files: number;
    diagnostics: { filename: string; help: string }[];
  };
  expect(report.number_of_files).toBe(files.length);
  return files.map((file) =>
    report.diagnostics
      .filter(({ filename }) => filename.endsWith(file))
      .map(({ help }) => help)
      .join('\n'),
  );
}

describe('the import rules', () => {
  const rejected = [
    ['src/shared/x.ts', '#server/app.ts', 'imports shared, zod, markdown-it and types of hast only'],
    ['src/shared/posts/x.ts', 'node:fs', 'imports shared, zod, markdown-it and types of hast only'],
    ['src/server/engagement/x.ts', '#web/app/routes.ts', 'must not import the web app'],
    ['src/server/engagement/x.ts', '../posts/answers.ts', 'Use an alias to leave a directory'],
    ['src/server/engagement/x.ts', '#server/posts/answers-queries.ts', 'through its public file'],
    ['src/server/engagement/x.ts', '#server/posts/answers.ts', 'through its public file'],
    ['src/server/engagement/x.ts', '#server/posts/imports.ts', 'through its public file'],
    ['src/server/engagement/x.test.ts', '#server/posts/answers-queries.ts', 'not its queries and routes'],
    ['src/server/engagement/x.ts', '#tests/support/server.ts', 'Only tests import'],
    ['src/server/engagement/x.ts', '#server/app.ts', 'files that assemble the server'],
    ['src/server/app.ts', './engagement/votes-routes.ts', 'through its public file'],
    ['src/server/core/x.ts', '#server/engagement/index.ts', 'core must not import an area above it'],
    ['src/server/core/x.ts', '#server/postgres/index.ts', 'core must not import an area above it'],
    ['src/server/postgres/x.ts', '#server/posts/index.ts', 'postgres must not import an area above it'],
    ['src/server/posts/x.ts', '#server/engagement/index.ts', 'posts must not import an area above it'],
    ['src/server/identity/x.ts', '#server/admin/index.ts', 'identity must not import an area above it'],
    ['src/web/engagement/x.ts', '#server/engagement/votes.ts', 'only through its API'],
    ['src/web/core/x.ts', '#server/engagement/votes.ts', 'only through its API'],
    ['src/web/core/x.ts', '#server/api.ts', 'Only the type of the API'],
    ['src/web/core/x.ts', '#web/ui/toast.tsx', 'core must not import an area above it'],
    ['src/web/ui/x.ts', '#web/engagement/votes.ts', 'ui must not import an area above it'],
    [
      'src/web/posts/drafts/x.ts',
      '#web/discovery/search/search.ts',
      'posts must not import an area above it',
    ],
    ['src/web/discovery/x.ts', '#web/posts/PostCard.tsx', 'through its public file'],
  ] as const;
  let errors: string[] = [];
  beforeAll(async () => {
    errors = await findImportErrors(
      rejected.map(([file, module]) => [file, `import { thing } from '${module}';`]),
    );
  });

  test.each(rejected.map(([file, module, message], index) => ({ file, module, message, index })))(
    'reject in $file an import of $module',
    ({ message, index }) => {
      expect(errors[index]).toContain(message);
    },
  );

  test('make the compiler reject shared code that imports the server', async () => {
    await write('src/server/thing.ts', 'export const thing = 1;');
    const file = await write('src/shared/x.ts', `export { thing } from '#server/thing.ts';`);
    const compiler = path.join(project, 'node_modules/typescript/bin/tsc');
    const build = run(process.execPath, [compiler, '-b', 'src/shared'], { cwd: directory });
    await expect(build).rejects.toMatchObject({ stdout: expect.stringMatching(/TS6059|TS6307/) });
    await rm(file);
  });
});

test('the import rules allow the imports that ARCHITECTURE.md describes', async () => {
  const allowed = [
    ['src/shared/x.ts', `import { thing } from 'zod';`],
    ['src/server/engagement/x.ts', `import { thing } from '#server/posts/index.ts';`],
    ['src/server/engagement/x.ts', `import { thing } from '#server/core/database.ts';`],
    ['src/server/engagement/x.ts', `import { thing } from './votes-queries.ts';`],
    ['src/server/operations/x.ts', `import { thing } from '#server/postgres/index.ts';`],
    ['src/server/posts/x.test.ts', `import { thing } from '#server/operations/integrity-check.ts';`],
    ['src/server/posts/x.test.ts', `import { thing } from '#tests/support/server.ts';`],
    ['src/server/app.ts', `import { thing } from './engagement/index.ts';`],
    ['src/web/core/x.ts', `import type { thing } from '#server/api.ts';`],
    ['src/web/discovery/x.ts', `import { thing } from '#web/posts/index.ts';`],
    ['src/web/app/x.ts', `import { thing } from '#web/engagement/votes.ts';`],
  ] as const;
  expect(await findImportErrors(allowed)).toEqual(allowed.map(() => ''));
});
