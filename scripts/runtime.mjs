import './lib/node-version.mjs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { buildWeb } from './lib/build.mjs';
import { installPackages } from './lib/install.mjs';
import { Failure, runScript } from './lib/project.mjs';
import { copyRuntime } from './lib/runtime.mjs';

const help = `npm run runtime -- [--node] [--revision COMMIT] DIRECTORY

Builds Parley and copies what it needs to run into a new directory. Start Parley there with bin/parley serve, which
installs and builds nothing.

Options:
  --node             include Node.js; without it, the directory needs Node.js 26 on the PATH
  --revision COMMIT  the commit, which admins see
  -h, --help         show this help`;

await runScript(async () => {
  const { values, positionals } = parseParameters();
  const [directory, ...others] = positionals;
  if (values.help) {
    console.log(help);
    return 0;
  }
  if (directory === undefined || others.length > 0) throw new Failure(help);
  await installPackages();
  await buildWeb();
  await copyRuntime(path.resolve(process.env['INIT_CWD'] ?? process.cwd(), directory), {
    revision: values.revision,
    withNode: values.node,
  });
  return 0;
});

function parseParameters() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        node: { type: 'boolean', default: false },
        revision: { type: 'string' },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
  } catch {
    throw new Failure(help);
  }
}
