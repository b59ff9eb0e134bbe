import { writeFile } from 'node:fs/promises';
import type { Browser, Page } from '@playwright/test';
import { expectInView } from '#tests/e2e/support/in-view.ts';
import { listOwnDrafts } from './seed-data.ts';
import { type Finding, findViolationsInState } from './accessibility-report.ts';
import type { Screen, Stage } from './screen.ts';
import { holdOrFailData, type Size, type State, themes } from './states.ts';

export type Picture = { look: string; size: Size; image: Buffer };
export type CaptureOptions = { pictures: boolean; axe: boolean };

/** One visit in both themes: what the page holds does not depend on them. */
export async function captureScreen(
  stage: Stage,
  { screen, size, wanted }: { screen: Screen; size: Size; wanted: CaptureOptions },
): Promise<{ pictures: Picture[]; findings: Finding[] }> {
  const { page, state } = stage;
  const pictures: Picture[] = [];
  const findings: Finding[] = [];
  await page.setViewportSize(size);
  await page.emulateMedia({ colorScheme: 'light' });
  await openScreen(stage, screen);
  if (state === 'loading') await page.evaluate(waitForSkeletons);
  for (const theme of themes) {
    await page.emulateMedia({ colorScheme: theme });
    await page.locator(`html[data-mantine-color-scheme="${theme}"]`).waitFor();
    const look = `${size.name} ${theme}`;
    if (wanted.pictures) pictures.push({ look, size, image: await takeScreenshot(page, screen, size) });
    if (wanted.axe) {
      const name = `${screen.name} ${state}`;
      findings.push(...(await findViolationsInState(page, { state: name, look, whole: theme === 'light' })));
    }
  }
  await resetStage(stage);
  return { pictures, findings };
}

/** Opens a screen by its address, does what leads to its state, and looks whether what opens then can be reached. */
export async function openScreen(stage: Stage, screen: Screen): Promise<void> {
  const { page, state } = stage;
  await holdOrFailData(page, state);
  await screen.arrange?.(stage);
  await page.goto(screen.path(stage.ids, state));
  await settle(page, screen.prepare === undefined ? state : 'full');
  await screen.prepare?.(stage);
  const opened = screen.opens?.(stage);
  if (opened !== undefined) await expectInView(opened.element, opened);
}

/** All looks side by side, each under its name. */
export async function saveContactSheet(
  browser: Browser,
  pictures: readonly Picture[],
  file: string,
): Promise<void> {
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

async function takeScreenshot(page: Page, screen: Screen, size: Size): Promise<Buffer> {
  // What floats over a page is photographed as it is seen.
  if (screen.prepare !== undefined) return page.screenshot();
  const tall = await page.evaluate(() => document.documentElement.scrollHeight);
  // A long page is cut.
  const height = Math.min(Math.max(tall, size.height), 2 * size.height);
  // A picture of the full page would be one without a finger: controls as small as for a mouse, a bar amid the page.
  await page.setViewportSize({ ...size, height });
  try {
    return await page.screenshot();
  } finally {
    await page.setViewportSize(size);
  }
}

async function settle(page: Page, state: State): Promise<void> {
  await page.locator('h1, [aria-busy="true"]').first().waitFor();
  if (state === 'loading') {
    await page.locator('[aria-busy="true"]').first().waitFor();
    return;
  }
  await page.waitForFunction(() => document.querySelector('[aria-busy="true"]') === null);
  await page.evaluate(() => document.fonts.ready.then(() => undefined));
}

/** In the page: skeletons appear a moment later, for who would rather have no motion as well. */
async function waitForSkeletons(): Promise<void> {
  const pending = [...document.querySelectorAll('[aria-busy="true"]')];
  await Promise.all(pending.flatMap((each) => each.getAnimations().map(({ finished }) => finished)));
}

/** Throws away what was begun, here and on the server, so that the next screen is as it would be without it. */
export async function resetStage({ page, ids }: Stage): Promise<void> {
  await page.context().setOffline(false);
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  // Of the same origin, without the program that keeps drafts.
  await page.goto('/manifest.webmanifest');
  await page.evaluate(() => {
    localStorage.clear();
    sessionStorage.clear();
  });
  const response = await page.request.get('/api/drafts');
  if (!response.ok()) return;
  const { items } = (await response.json()) as { items: { target: string }[] };
  const ownTargets = listOwnDrafts(ids);
  for (const { target } of items)
    if (!ownTargets.includes(target)) await page.request.delete(`/api/drafts/${target}`);
}
