import './lib/node-version.mjs';
import { buildWeb } from './lib/build.mjs';
import { installPackages } from './lib/install.mjs';
import { runScript } from './lib/project.mjs';

/** Runs the build step of `npm start` separately. */
await runScript(async () => {
  await installPackages();
  await buildWeb();
  return 0;
});
