import './lib/node-version.mjs';
import { findBrowser } from './lib/browser.mjs';
import { build } from './lib/build.mjs';
import { runInFront } from './lib/child.mjs';
import { install } from './lib/install.mjs';
import { pinnedNode, runScript } from './lib/project.mjs';

/** `npm run screens`: pictures of every screen, for looking at them one by one. */
await runScript(async () => {
  await install();
  await build();
  const env = { ...process.env, PARLEY_CHROMIUM: await findBrowser() };
  return runInFront(pinnedNode(), ['e2e/screens/main.ts', ...process.argv.slice(2)], { env });
});
