import type { Page } from '@playwright/test';
import { waitForHydration } from './hydration.ts';

/**
 * Opens a page for a test whose subject is not how it loads. If the app is open, it shows the page without being loaded
 * again, as after a link, which takes a fifth of the processor time of `goto`.
 * @param path of another route than the open page, or of another question
 */
export async function visit(page: Page, path: string): Promise<void> {
  if (page.url() === 'about:blank') {
    await page.goto(path);
    return;
  }
  await waitForHydration(page);
  await page.evaluate(async (path) => {
    const left = document.querySelector('h1');
    history.pushState(null, '', path);
    window.dispatchEvent(new PopStateEvent('popstate'));
    while (left?.isConnected === true || document.querySelector('h1') === null)
      await new Promise(requestAnimationFrame);
  }, path);
}
