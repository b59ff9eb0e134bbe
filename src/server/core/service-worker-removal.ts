import type { Context } from 'hono';

/**
 * Takes the place of the service worker in every browser that has one, and then ends itself. A browser asks for it at
 * the next visit, whatever the broken one does; an answer of 404 would leave that one at work (Service Workers, Update).
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
