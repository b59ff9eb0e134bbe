import type { Page } from '@playwright/test';

/** Pages come without the answers that a member's page begins with, as the service worker has them. */
export async function withoutInlinedResponses(page: Page): Promise<() => Promise<void>> {
  const matches = () => true;
  await page.route(matches, async (route) => {
    const request = route.request();
    if (request.resourceType() !== 'document') return route.fallback();
    // Without cookies.
    const shell = await fetch(request.url());
    const headers = Object.fromEntries(shell.headers);
    delete headers['content-encoding'];
    return route.fulfill({ status: shell.status, headers, body: await shell.text() });
  });
  return () => page.unroute(matches);
}
