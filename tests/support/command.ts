import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { projectRoot } from '#server/core/paths.ts';
import { compileCache } from './parley-process.ts';

/** Runs a command of the program on a data directory (PARLEY_DATA), as `npm run parley` does. */
export async function runCommand(dataDirectory: string | undefined, ...parameters: string[]): Promise<void> {
  const program = path.join(projectRoot, 'src/server/cli-main.ts');
  await promisify(execFile)(process.execPath, [program, ...parameters], {
    env: { ...process.env, NODE_COMPILE_CACHE: compileCache, PARLEY_DATA: dataDirectory },
  });
}
