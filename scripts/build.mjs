import './lib/node-version.mjs';
import { build } from './lib/build.mjs';
import { install } from './lib/install.mjs';
import { runScript } from './lib/project.mjs';

/** What `npm start` does before it serves, for those who do it beforehand. */
await runScript(async () => {
  await install();
  await build();
  return 0;
});
