#!/usr/bin/env node
import './lib/node-version.mjs';
import path from 'node:path';
import { buildWeb } from './lib/build.mjs';
import { runInForeground } from './lib/child-process.mjs';
import { installPackages } from './lib/install.mjs';
import { getCommandEnvironment, getPinnedNode, getServerNode, project, runScript } from './lib/project.mjs';

await runScript(async () => {
  const parameters = process.argv.slice(2);
  await installPackages();
  const serves = parameters[0] === 'serve';
  if (serves) await buildWeb();
  // Relative paths on the command line are relative to the caller's directory.
  const cwd = process.env['INIT_CWD'] ?? process.cwd();
  const command = path.join(project, 'src/server/cli-main.ts');
  const { flags, env } =
    serves || parameters[0] === 'import' ? getServerNode() : { flags: [], env: getCommandEnvironment() };
  return runInForeground(getPinnedNode(), [...flags, command, ...parameters], { cwd, env });
});
