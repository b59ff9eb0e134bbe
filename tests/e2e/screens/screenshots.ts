import { waitForHydration } from '../support/hydration.ts';
import { writeFile } from 'node:fs/promises';
import type { Browser, Page } from '@playwright/test';
import { expectInView } from '#tests/e2e/support/in-view.ts';
import { listOwnDrafts } from './seed-data.ts';
import { type Finding, findViolationsInState } from './accessibility-report.ts';
import type { Screen, Stage } from './screen.ts';
import { holdOrFailData, type Size, type State, themes } from './states.ts';

export type Picture = { look: string; size: Size; image: Buffer };
export type CaptureOptions = { pictures: boolean; axe: boolean };

/** Takes both themes in one visit: the content does not depend on the theme. */
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

/** Opens a screen by its URL, prepares its state, and checks that the opened element is reachable. */
export async function openScreen(stage: Stage, screen: Screen): Promise<void> {
  const { page, state } = stage;
  await holdOrFailData(page, state);
  await screen.arrange?.(stage);
  await page.goto(screen.path(stage.ids, state));
  await waitForHydration(page);
  await settle(page, screen.prepare === undefined ? state : 'full');
  await prepareScreen(stage, screen);
}

/** Prepares the state of a screen whose URL is open. */
export async function prepareScreen(stage: Stage, screen: Screen): Promise<void> {
  await screen.prepare?.(stage);
  const opened = screen.opens?.(stage);
  if (opened !== undefined) await expectInView(opened.element, opened);
}

/** Saves a sheet with all screenshots, each with its name. */
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
  // A screenshot with an overlay shows the viewport only.
  if (screen.prepare !== undefined) return page.screenshot();
  const tall = await page.evaluate(() => document.documentElement.scrollHeight);
  // Limits the height of long pages.
  const height = Math.min(Math.max(tall, size.height), 2 * size.height);
  // A full-page screenshot would drop touch emulation: small controls, and the bar in the middle of the page.
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
  // Parts that are loaded after the page, such as the column beside the list of questions.
  if (state !== 'failed') await page.waitForLoadState('networkidle');
}

/** Runs in the page: skeletons fade in a moment later, also with reduced motion. */
async function waitForSkeletons(): Promise<void> {
  const pending = [...document.querySelectorAll('[aria-busy="true"]')];
  await Promise.all(pending.flatMap((each) => each.getAnimations().map(({ finished }) => finished)));
}

/** Deletes drafts, queued actions and other changes, in the browser and on the server, before the next screen. */
export async function resetStage({ page, ids }: Stage): Promise<void> {
  await page.context().setOffline(false);
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  // A page that is left sends its unsent drafts, which would arrive in the form of the next screen while that is filled.
  await page.evaluate(clearStorage);
  // A URL of the same origin that does not run the app, which would save drafts.
  await page.goto('/manifest.webmanifest');
  await page.evaluate(clearStorage);
  const response = await page.request.get('/api/drafts');
  if (!response.ok()) return;
  const { items } = (await response.json()) as { items: { target: string }[] };
  const ownTargets = listOwnDrafts(ids);
  for (const { target } of items)
    if (!ownTargets.includes(target)) await page.request.delete(`/api/drafts/${target}`);
}

/** Runs in the page. */
function clearStorage(): void {
  localStorage.clear();
  sessionStorage.clear();
}
