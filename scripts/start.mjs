import './lib/node-version.mjs';
import path from 'node:path';
import { buildWeb } from './lib/build.mjs';
import { runInForeground } from './lib/child-process.mjs';
import { installPackages } from './lib/install.mjs';
import { getPinnedNode, project, runScript, getServerNode } from './lib/project.mjs';

const help = `npm start [-- OPTIONS]

Installs missing packages, builds the web app if it has changed, and runs Parley with its own PostgreSQL.

Options:
  --demo      load demo data into an empty database
  -h, --help  show this help

Configuration comes from the environment or the file .env, for example PORT=8080 npm start. See .env.example.
Ctrl-C stops Parley after running requests have finished. Other commands: npm run parley -- --help`;

await runScript(async () => {
  const options = process.argv.slice(2);
  if (options.includes('--help') || options.includes('-h')) {
    console.log(help);
    return 0;
  }
  const startedAt = String(Date.now() - Math.round(performance.now()));
  await installPackages();
  await buildWeb();
  const main = path.join(project, 'src/server/main.ts');
  const { flags, env } = getServerNode();
  return runInForeground(getPinnedNode(), [...flags, main, ...options], {
    env: { ...env, PARLEY_STARTED_AT: startedAt },
  });
});
