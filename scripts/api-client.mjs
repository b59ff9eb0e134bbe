import './lib/node-version.mjs';
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { runInForeground } from './lib/child-process.mjs';
import { installPackages } from './lib/install.mjs';
import { Failure, project, runScript } from './lib/project.mjs';

const client = path.join(project, 'clients/typescript');
const document = path.join(client, 'openapi.json');

/** `npm run api-client`: generates the types of the TypeScript client from the API. */
await runScript(async () => {
  await installPackages();
  if (!existsSync(path.join(client, 'node_modules')))
    await npm('--prefix', client, 'ci', '--ignore-scripts', '--no-audit', '--no-fund');
  // This test writes the document that the client is generated from.
  process.env['PARLEY_API_DOCUMENT'] = document;
  await npm('test', '--', '--only', 'server', 'tests/integration/api-client');
  await npm('--prefix', client, 'run', 'generate');
  await rm(document);
  return runInForeground('node_modules/.bin/oxfmt', [path.join(client, 'src/schema.ts')]);
});

/** @param {string[]} args */
async function npm(...args) {
  const code = await runInForeground('npm', args);
  if (code !== 0) throw new Failure(`npm ${args.join(' ')} failed.`);
}
