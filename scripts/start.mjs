import './lib/node-version.mjs';
import path from 'node:path';
import { buildWeb } from './lib/build.mjs';
import { runInForeground } from './lib/child-process.mjs';
import { installPackages } from './lib/install.mjs';
import { getPinnedNode, project, runScript, getServerNode } from './lib/project.mjs';

const help = `npm start [-- OPTIONS]

Installs what is missing, builds the browser part where it has changed, and serves Parley with its own PostgreSQL.

Options:
  --demo      load a demo community into an empty database, to look around in
  -h, --help  explain the command

The configuration is the environment or the file .env, such as PORT=8080 npm start; .env.example explains it.
Ctrl-C stops Parley when running requests are done. Other commands: npm run parley -- --help`;

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
