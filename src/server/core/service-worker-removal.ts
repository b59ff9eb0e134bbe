import type { Context } from 'hono';

/**
 * A script that replaces an installed service worker and unregisters itself. Browsers check for updates at the next
 * visit, even if the old worker is broken. A 404 would leave the old one installed (Service Workers, Update).
 */
export const serveServiceWorkerRemoval = (c: Context) =>
  c.body(removalScript, 200, {
    'content-type': 'text/javascript; charset=utf-8',
    'cache-control': 'no-cache',
  });

const removalScript = `self.addEventListener('install', () => self.skipWaiting());
self.addEventListener('activate', (event) => event.waitUntil(end()));

async function end() {
  for (const name of await caches.keys()) await caches.delete(name);
  await self.clients.claim();
  await self.registration.unregister();
}
`;
