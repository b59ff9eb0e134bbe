import { expect, test, type WebSocketRoute } from '@playwright/test';
import { expectInView } from './support/in-view.ts';
import { listening } from './support/live.ts';
import { registerMember } from './support/members.ts';
import { offlineBanner } from './support/offline-queue.ts';

test('says that the connection was lost before the rest of the page was loaded', async ({
  page,
  context,
}) => {
  await page.route('**/assets/ConnectionBanner-*', () => undefined);
  const requested = page.waitForRequest('**/assets/ConnectionBanner-*');
  await page.goto('/login');
  await requested;
  await context.setOffline(true);
  await expect(offlineBanner(page)).toHaveText('You are offline. What you see may be old.');
  await expectInView(offlineBanner(page));
  await context.setOffline(false);
  await expect(offlineBanner(page)).toHaveCount(0);
});

test('says that the server is unreachable when live updates end, without any other request', async ({
  page,
}) => {
  await registerMember(page.request);
  const sockets: WebSocketRoute[] = [];
  await page.routeWebSocket('**/api/live/**', (socket) => {
    sockets.push(socket);
    socket.connectToServer();
  });
  await listening(page, () => page.goto('/'));
  await expect(offlineBanner(page)).toHaveCount(0);

  await page.route('**/api/**', (route) => route.abort('connectionrefused'));
  await sockets.at(-1)?.close();
  await expect(offlineBanner(page)).toHaveText('You are offline. What you see may be old.');
  await page.unroute('**/api/**');
  await expect(offlineBanner(page)).toHaveCount(0);
});
