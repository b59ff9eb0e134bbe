import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { type Browser, type BrowserContext, chromium, type Page } from '@playwright/test';
import { projectFolder } from '#server/platform/embedded/folders.ts';
import { register, someone } from '../members.ts';
import { newCommunity } from '../parley.ts';
import { fill } from './extremes.ts';
import { type Ids, type Screen, screens } from './screens.ts';
import { hold, narrow, type Size, sizes, type State } from './states.ts';

const help = `npm run screens [-- OPTIONS] [-- NAMES]

Photographs every screen in each of its states, in both sizes and both themes, into the folder screens/. Each state of
a screen becomes one sheet with its looks side by side.

Options:
  --language CODE  in another language
  --narrow         on the smallest phone as well
  -h, --help       explain the command

Names are those of screens, or their beginnings.`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    language: { type: 'string' },
    narrow: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
});
if (values.help) console.log(help);
else process.exitCode = await main();

async function main(): Promise<number> {
  const wanted = screens.filter(
    ({ name }) => positionals.length === 0 || positionals.some((start) => name.startsWith(start)),
  );
  if (wanted.length === 0) {
    console.error('No screen has such a name.');
    return 2;
  }
  const folder = path.join(projectFolder, 'screens');
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const program = process.env['PARLEY_CHROMIUM'];
  const browser = await chromium.launch(program === undefined ? {} : { executablePath: program });
  const [bare, full] = await Promise.all([newCommunity(), newCommunity({ demo: true })]);
  try {
    const count = await photographAll(browser, { bare: bare.address, full: full.address, wanted, folder });
    console.log(`${count} sheets are in screens/.`);
    return Number(process.exitCode ?? 0);
  } finally {
    await browser.close();
    await Promise.all([bare.remove(), full.remove()]);
  }
}

type Job = { bare: string; full: string; wanted: readonly Screen[]; folder: string };

async function photographAll(browser: Browser, { bare, full, wanted, folder }: Job): Promise<number> {
  const [owner, first, second] = await Promise.all([0, 1, 2].map(() => open(browser, full)));
  const visitor = await open(browser, full);
  const newcomer = await open(browser, bare);
  if (owner === undefined || first === undefined || second === undefined) return 0;
  await register(owner.request, someone('Robin Page'));
  await register(newcomer.request, someone('Robin Page'));
  const ids = await fill(owner.request, [first.request, second.request]);
  let count = 0;
  for (const screen of wanted)
    for (const state of screen.states) {
      const context = screen.visitor ? visitor : state === 'empty' ? newcomer : owner;
      const name = `${screen.name} ${state}`;
      try {
        const pictures = await photograph(context, screen, state, ids);
        await sheet(browser, pictures, path.join(folder, `${screen.name}-${state}.png`));
        count++;
        console.log(name);
      } catch (error) {
        process.exitCode = 1;
        console.error(`${name} could not be photographed:`, error);
      }
    }
  return count;
}

function open(browser: Browser, baseURL: string): Promise<BrowserContext> {
  return browser.newContext({ baseURL, reducedMotion: 'reduce', locale: values.language ?? 'en' });
}

type Picture = { look: string; size: Size; image: Buffer };

/** One visit, in all looks: what the page holds does not depend on them. */
async function photograph(
  context: BrowserContext,
  screen: Screen,
  state: State,
  ids: Ids,
): Promise<Picture[]> {
  const pictures: Picture[] = [];
  const all = values.narrow ? [...sizes, narrow] : sizes;
  for (const size of all) {
    const page = await context.newPage();
    await page.setViewportSize(size);
    await hold(page, state);
    await page.goto(screen.path(ids, state));
    await settle(page, state);
    await screen.prepare?.(page);
    for (const theme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme: theme });
      await page.locator(`html[data-mantine-color-scheme="${theme}"]`).waitFor();
      const tall = await page.evaluate(() => document.documentElement.scrollHeight);
      // A long page is cut; what floats over it is photographed as it is seen.
      const clip = {
        x: 0,
        y: 0,
        width: size.width,
        height: Math.min(Math.max(tall, size.height), 2 * size.height),
      };
      const image = await page.screenshot(screen.prepare ? {} : { fullPage: true, clip });
      pictures.push({ look: `${size.name} ${theme}`, size, image });
    }
    await page.close();
  }
  return pictures;
}

async function settle(page: Page, state: State): Promise<void> {
  await page.locator('h1, [aria-busy="true"]').first().waitFor();
  if (state === 'loading') {
    await page.locator('[aria-busy="true"]').first().waitFor();
    // Skeletons come after 150 ms.
    await page.waitForTimeout(400);
    return;
  }
  await page.waitForFunction(() => document.querySelector('[aria-busy="true"]') === null);
  await page.evaluate(() => document.fonts.ready.then(() => undefined));
}

/** All looks side by side, each under its name. */
async function sheet(browser: Browser, pictures: readonly Picture[], file: string): Promise<void> {
  const page = await browser.newPage();
  const figures = pictures.map(
    ({ look, size, image }) =>
      `<figure><figcaption>${look}</figcaption><img width="${size.width}" src="data:image/png;base64,${image.toString('base64')}"></figure>`,
  );
  await page.setContent(
    `<style>body{margin:0;display:inline-flex;gap:16px;padding:16px;background:#888;align-items:start}figure{margin:0}img{display:block}figcaption{font:16px sans-serif;color:#fff;padding-bottom:4px}</style>${figures.join('')}`,
  );
  await writeFile(file, await page.locator('body').screenshot());
  await page.close();
}
