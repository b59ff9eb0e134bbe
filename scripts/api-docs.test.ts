import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { projectRoot } from '#server/core/paths.ts';
import { apiScope } from '#shared/integrations/api-tokens.ts';
import { createToken } from '#tests/support/api-tokens.ts';
import { eventually } from '#tests/support/eventually.ts';
import { startTestServer } from '#tests/support/server.ts';
import { installDebianPackages } from './lib/debian.mjs';

const run = promisify(execFile);
const readDocument = (name: string) => readFile(path.join(projectRoot, 'docs', name), 'utf8');
const document = await readDocument('api.md');
const mirroring = await readDocument('mirroring.md');
const server = await startTestServer({}, { changes: { pollMs: 50 } });
afterAll(() => server.stop());

/** The code block of a language in a document. */
const exampleIn = (language: string, text = document) =>
  new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, 'su').exec(text)?.[1] ?? '';

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

const reader = await server.register('Reader of the manual');
let directory: string;
let env: NodeJS.ProcessEnv;
beforeAll(async () => {
  await installMissing(['curl', 'python3']);
  directory = await mkdtemp(path.join(tmpdir(), 'parley-api-'));
  const { token } = await createToken(reader, ['read', 'write']);
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

test.each([
  ['sh', 'sh', 'changes.jsonl'],
  ['ts', process.execPath, 'copy.json'],
  ['python', 'python3', 'copy.json'],
])('the example of a mirror in %s reads everything, then what changed', async (language, program, copy) => {
  const place = await mkdtemp(path.join(directory, 'mirror-'));
  const file = path.join(place, `mirror.${language === 'ts' ? 'mts' : language}`);
  await writeFile(file, exampleIn(language, mirroring));
  const mirror = async () => {
    await run(program, [file], { env, cwd: place });
    return readFile(path.join(place, copy), 'utf8');
  };
  const title = `Does a ${language} dough rise?`;
  const id = await reader.ask({ title });
  await eventually(async () => (await mirror()).includes(title));
  await reader.remove('questions', id);
  const gone = `{"kind":"question","id":${id},"item":null}`;
  const isGone = (text: string) => (copy === 'copy.json' ? !text.includes(title) : text.includes(gone));
  await eventually(async () => isGone(await mirror()));
  expect((await readdir(place)).length).toBeGreaterThan(1);
});

test('the table names every scope', () => {
  const table = document.slice(0, document.indexOf('## Editors and agents'));
  const named = [...table.matchAll(/^\| `(\w+)` \|/gmu)].map(([, scope]) => scope);
  expect(named).toEqual(apiScope.options);
});
