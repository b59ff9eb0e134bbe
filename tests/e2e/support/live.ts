import { expect, type Page, type Request } from '@playwright/test';

/**
 * Opens a page and waits until it is subscribed and has its data: from then on, its content needs no further request. A
 * page that the server rendered requests its data again once it handles input.
 */
export async function listening(page: Page, open: () => Promise<unknown>): Promise<void> {
  const { promise: subscribed, resolve } = Promise.withResolvers<void>();
  // Listens from the first frame on: the confirmation can arrive before the page has loaded.
  page.once('websocket', (socket) =>
    socket.on('framereceived', ({ payload }) => {
      if (String(payload).startsWith('43')) resolve();
    }),
  );
  const requests = new Set<Request>();
  const begin = (request: Request) => void requests.add(request);
  const end = (request: Request) => void requests.delete(request);
  page.on('request', begin).on('requestfinished', end).on('requestfailed', end);
  await open();
  await subscribed;
  await expect.poll(() => [...requests].map((request) => request.url())).toEqual([]);
  page.off('request', begin).off('requestfinished', end).off('requestfailed', end);
}
