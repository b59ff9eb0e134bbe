import './lib/node-version.mjs';
import path from 'node:path';
import { runInForeground } from './lib/child-process.mjs';
import { installPackages } from './lib/install.mjs';
import { getPackageDirectory, getPinnedNode, runScript } from './lib/project.mjs';

/** `npm run texts`: extracts the texts of the code into the file of every language and reports missing translations. */
await runScript(async () => {
  await installPackages();
  const lingui = path.join(getPackageDirectory('@lingui/cli'), 'dist/lingui.js');
  // Without --overwrite, a text with an id of its own would stay in the English file as it was first.
  const options = ['--clean', '--overwrite', ...process.argv.slice(2)];
  return runInForeground(getPinnedNode(), [lingui, 'extract', ...options]);
});
