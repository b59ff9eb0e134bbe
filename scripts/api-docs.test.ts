import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { projectRoot } from '#server/core/paths.ts';
import { apiScope } from '#shared/integrations/api-tokens.ts';
import { createToken } from '#tests/support/api-tokens.ts';
import { startTestServer } from '#tests/support/server.ts';
import { installDebianPackages } from './lib/debian.mjs';

const run = promisify(execFile);
const document = await readFile(path.join(projectRoot, 'docs/api.md'), 'utf8');
const server = await startTestServer();
afterAll(() => server.stop());

/** The code block of a language in docs/api.md. */
const exampleIn = (language: string) =>
  new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, 'su').exec(document)?.[1] ?? '';

const isInstalled = (program: string) =>
  run(program, ['--version']).then(
    () => true,
    () => false,
  );

async function installMissing(names: readonly string[]): Promise<void> {
  const missing = [];
  for (const name of names) if (!(await isInstalled(name))) missing.push(name);
  if (missing.length > 0) expect(await installDebianPackages(...missing)).toBeUndefined();
}

let directory: string;
let env: NodeJS.ProcessEnv;
beforeAll(async () => {
  await installMissing(['curl', 'python3']);
  directory = await mkdtemp(path.join(tmpdir(), 'parley-api-'));
  const { token } = await createToken(await server.register('Reader of the manual'), ['read', 'write']);
  env = { ...process.env, PARLEY_URL: server.address, PARLEY_TOKEN: token };
});
afterAll(() => rm(directory, { recursive: true }));

test.each([
  ['sh', 'How warm should a starter stand?', 'sh'],
  ['ts', 'How wet is a rye dough?', process.execPath],
  ['python', 'Why does a crust soften?', 'python3'],
])('the example in %s asks and finds its question', async (language, title, program) => {
  const file = path.join(directory, `example.${language === 'ts' ? 'mts' : language}`);
  await writeFile(file, exampleIn(language));
  const { stdout } = await run(program, [file], { env });
  expect(stdout).toContain(title);
});

test('the table names every scope', () => {
  const table = document.slice(0, document.indexOf('## Editors and agents'));
  const named = [...table.matchAll(/^\| `(\w+)` \|/gmu)].map(([, scope]) => scope);
  expect(named).toEqual(apiScope.options);
});
