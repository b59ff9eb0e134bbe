#!/usr/bin/env node
import './lib/node-version.mjs';
import path from 'node:path';
import { build } from './lib/build.mjs';
import { runInFront } from './lib/child.mjs';
import { install } from './lib/install.mjs';
import { pinnedNode, project, runScript, serverNode } from './lib/project.mjs';

await runScript(async () => {
  const parameters = process.argv.slice(2);
  await install();
  const serves = parameters[0] === 'serve';
  if (serves) await build();
  // Relative paths on the command line are those of the caller.
  const cwd = process.env['INIT_CWD'] ?? process.cwd();
  const command = path.join(project, 'src/server/command.ts');
  const { flags, env } = serves ? serverNode() : { flags: [], env: process.env };
  return runInFront(pinnedNode(), [...flags, command, ...parameters], { cwd, env });
});
