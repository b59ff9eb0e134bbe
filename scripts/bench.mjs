import './lib/node-version.mjs';
import { findBrowser } from './lib/browser.mjs';
import { buildWeb } from './lib/build.mjs';
import { runInForeground } from './lib/child-process.mjs';
import { installPackages } from './lib/install.mjs';
import { getPinnedNode, runScript } from './lib/project.mjs';

/** `npm run bench -- fill …` and `npm run bench -- measure …`. */
await runScript(async () => {
  await installPackages();
  const measures = process.argv[2] === 'measure';
  if (measures) await buildWeb();
  const browser = measures ? { PARLEY_CHROMIUM: await findBrowser() } : {};
  return runInForeground(getPinnedNode(), ['bench/main.ts', ...process.argv.slice(2)], {
    env: { ...process.env, NODE_ENV: 'production', ...browser },
  });
});
