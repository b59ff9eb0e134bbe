import './lib/node-version.mjs';
import path from 'node:path';
import { runInFront } from './lib/child.mjs';
import { install } from './lib/install.mjs';
import { packageFolder, pinnedNode, runScript } from './lib/project.mjs';

/** `npm run texts`: brings the texts of the code into every language's file, and says what is to be translated. */
await runScript(async () => {
  await install();
  const lingui = path.join(packageFolder('@lingui/cli'), 'dist/lingui.js');
  return runInFront(pinnedNode(), [lingui, 'extract', '--clean', ...process.argv.slice(2)]);
});
