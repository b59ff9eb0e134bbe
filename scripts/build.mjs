import './lib/node-version.mjs';
import { buildWeb } from './lib/build.mjs';
import { installPackages } from './lib/install.mjs';
import { runScript } from './lib/project.mjs';

/** What `npm start` does before it serves, for those who do it beforehand. */
await runScript(async () => {
  await installPackages();
  await buildWeb();
  return 0;
});
