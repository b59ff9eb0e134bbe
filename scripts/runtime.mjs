import './lib/node-version.mjs';
import path from 'node:path';
import { buildWeb } from './lib/build.mjs';
import { installPackages } from './lib/install.mjs';
import { Failure, runScript } from './lib/project.mjs';
import { copyRuntime } from './lib/runtime.mjs';

const help = `npm run runtime -- DIRECTORY [REVISION]

Builds Parley and copies what it needs to run into a new directory, which needs Node.js 26 but no other package and no
build. The container image consists of it. Start Parley with DIRECTORY/bin/parley serve.`;

await runScript(async () => {
  const [directory, revision, ...others] = process.argv.slice(2);
  if (directory === '--help' || directory === '-h') {
    console.log(help);
    return 0;
  }
  if (directory === undefined || directory.startsWith('-') || others.length > 0) throw new Failure(help);
  await installPackages();
  await buildWeb();
  await copyRuntime(path.resolve(process.env['INIT_CWD'] ?? process.cwd(), directory), revision);
  return 0;
});
