import './lib/node-version.mjs';
import { findBrowser } from './lib/browser.mjs';
import { buildWeb } from './lib/build.mjs';
import { runInForeground } from './lib/child-process.mjs';
import { installPackages } from './lib/install.mjs';
import { getPinnedNode, runScript } from './lib/project.mjs';

/** `npm run screens`: takes screenshots of every screen for visual review. */
await runScript(async () => {
  await installPackages();
  await buildWeb();
  const env = { ...process.env, PARLEY_CHROMIUM: await findBrowser() };
  return runInForeground(getPinnedNode(), ['tests/e2e/screens/main.ts', ...process.argv.slice(2)], { env });
});
