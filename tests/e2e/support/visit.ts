import type { Page } from '@playwright/test';
import { waitForHydration } from './hydration.ts';

/** Pages that do not exist. Each makes one request: for the imported post with its address. */
const [notFound, otherNotFound] = ['/nowhere', '/nowhere-else'];

/**
 * Opens a page for a test whose subject is not how it loads. If the app is open, it shows the page without being loaded
 * again, as after a link, which takes a fifth of the processor time of `goto`.
 * @param path of a page with another heading element than the one before. The path of the open page is left first.
 */
export async function visit(page: Page, path: string): Promise<void> {
  if (page.url() === 'about:blank') {
    await page.goto(path);
    return;
  }
  const [open, wanted] = [page.url(), path].map((each) => new URL(each, page.url()).pathname);
  // The open page of a question has its title in its path.
  if (open === wanted || open?.startsWith(`${wanted}/`))
    await visit(page, wanted === notFound ? otherNotFound : notFound);
  await waitForHydration(page);
  await page.evaluate(async (path) => {
    const left = document.querySelector('h1');
    const isShown = () => left?.isConnected !== true && document.querySelector('h1') !== null;
    history.pushState(null, '', path);
    window.dispatchEvent(new PopStateEvent('popstate'));
    const end = performance.now() + 10_000;
    while (!isShown()) {
      if (performance.now() > end) throw new Error(`${path} has no h1, or shares it with the page before.`);
      await new Promise(requestAnimationFrame);
    }
  }, path);
}
