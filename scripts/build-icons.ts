import { mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { chromium } from '@playwright/test';
import { findBrowser } from './lib/browser.mjs';
import { project } from './lib/project.mjs';

/**
 * Renders the icons of the installed app from the logo, src/web/public/favicon.svg, with the browser of the tests:
 * `node_modules/.bin/node scripts/build-icons.ts`. The icons are committed, because the logo rarely changes.
 */

const paper = '#fbf9f4';

/** `share`: the logo's share of the width. `round`: the corner radius as a share of the width. */
const icons = [
  { name: 'icon-192', size: 192, share: 0.76, ground: paper, round: 0.22 },
  { name: 'icon-512', size: 512, share: 0.76, ground: paper, round: 0.22 },
  // Systems may crop these to any shape, down to a circle of four fifths of the width.
  { name: 'maskable-192', size: 192, share: 0.56, ground: paper, round: 0 },
  { name: 'maskable-512', size: 512, share: 0.56, ground: paper, round: 0 },
  { name: 'apple-touch-icon', size: 180, share: 0.66, ground: paper, round: 0 },
  // Only the alpha channel of this icon is used.
  { name: 'badge-96', size: 96, share: 1, ground: 'transparent', round: 0 },
];

const web = path.join(project, 'src/web/public');
const logo = await readFile(path.join(web, 'favicon.svg'), 'utf8');
await mkdir(path.join(web, 'icons'), { recursive: true });
const browser = await chromium.launch({ executablePath: await findBrowser() });
const page = await browser.newPage({ colorScheme: 'light' });
for (const { name, size, share, ground, round } of icons) {
  await page.setViewportSize({ width: size, height: size });
  await page.setContent(`<style>
    body { margin: 0 }
    div { display: grid; place-content: center; block-size: 100vh; background: ${ground}; border-radius: ${round * size}px }
    svg { inline-size: ${share * size}px; block-size: ${share * size}px }
    ${ground === 'transparent' ? 'svg path { fill: #fff !important }' : ''}
  </style><div>${logo}</div>`);
  await page.screenshot({ path: path.join(web, 'icons', `${name}.png`), omitBackground: true });
}
await browser.close();
