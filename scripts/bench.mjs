import './lib/node-version.mjs';
import { findBrowser } from './lib/browser.mjs';
import { build } from './lib/build.mjs';
import { runInFront } from './lib/child.mjs';
import { install } from './lib/install.mjs';
import { pinnedNode, runScript } from './lib/project.mjs';

/** `npm run bench -- fill …` and `npm run bench -- measure …`. */
await runScript(async () => {
  await install();
  const measures = process.argv[2] === 'measure';
  if (measures) await build();
  const browser = measures ? { PARLEY_CHROMIUM: await findBrowser() } : {};
  return runInFront(pinnedNode(), ['bench/main.ts', ...process.argv.slice(2)], {
    env: { ...process.env, NODE_ENV: 'production', ...browser },
  });
});
