import type { Page } from '@playwright/test';
import { waitForHydration } from './hydration.ts';

/**
 * Opens a page for a test whose subject is not how it loads. If the app is open, it shows the page without being loaded
 * again, as after a link, which takes a fifth of the processor time of `goto`.
 * @param path of another route than that of the open page, of another question, or of the same path
 */
export async function visit(page: Page, path: string): Promise<void> {
  if (page.url() === 'about:blank' || new URL(page.url()).pathname === new URL(path, page.url()).pathname) {
    await page.goto(path);
    return;
  }
  await waitForHydration(page);
  await page.evaluate(async (path) => {
    const left = document.querySelector('h1');
    const isShown = () => left?.isConnected !== true && document.querySelector('h1') !== null;
    history.pushState(null, '', path);
    window.dispatchEvent(new PopStateEvent('popstate'));
    while (!isShown()) await new Promise(requestAnimationFrame);
  }, path);
}
