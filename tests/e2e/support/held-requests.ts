import type { Page } from '@playwright/test';

/**
 * Holds back the requests for addresses that match `pattern` until the returned function is called. Requests after that
 * continue at once.
 * @param method holds requests with this method only
 */
export async function holdRequests(
  page: Page,
  pattern: string | RegExp,
  method?: string,
): Promise<() => void> {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  await page.route(pattern, async (route) => {
    if (method === undefined || route.request().method() === method) await released;
    await route.continue();
  });
  return release;
}
