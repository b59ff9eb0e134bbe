import type { Page } from '@playwright/test';

/**
 * Holds back the requests for addresses that match `pattern` until the returned function is called. Requests after that
 * continue at once.
 */
export async function holdRequests(page: Page, pattern: string | RegExp): Promise<() => void> {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  await page.route(pattern, async (route) => {
    await released;
    await route.continue();
  });
  return release;
}
