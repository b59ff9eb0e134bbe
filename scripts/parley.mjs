#!/usr/bin/env node
import './lib/node-version.mjs';
import path from 'node:path';
import { build } from './lib/build.mjs';
import { runInFront } from './lib/child.mjs';
import { install } from './lib/install.mjs';
import { pinnedNode, project, runScript } from './lib/project.mjs';

await runScript(async () => {
  const parameters = process.argv.slice(2);
  await install();
  if (parameters[0] === 'serve') await build();
  // Relative paths on the command line are those of the caller.
  const cwd = process.env['INIT_CWD'] ?? process.cwd();
  return runInFront(pinnedNode(), [path.join(project, 'src/server/command.ts'), ...parameters], { cwd });
});
