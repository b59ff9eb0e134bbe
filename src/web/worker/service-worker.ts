import { respondFromBuild, cacheBuild, deleteOldBuilds } from './build-cache.ts';
import { listenForPush } from './push.ts';

/**
 * Lets the app start without a network: it keeps the files of the build, and nothing else, and
 * shows what is pushed. What members read and write
 * never passes through here; pages keep that themselves (src/web/core/offline-store.ts). docs/decisions/022 has the why.
 */
declare const self: ServiceWorkerGlobalScope;

self.addEventListener('install', (event) => {
  // No page has to wait for another build's to close: files of both are at hand, and they have different names.
  event.waitUntil(Promise.all([cacheBuild(), self.skipWaiting()]));
});

self.addEventListener('activate', (event) => {
  event.waitUntil(Promise.all([deleteOldBuilds(), self.clients.claim()]));
});

self.addEventListener('fetch', (event) => {
  const answer = respondFromBuild(event.request);
  if (answer !== null) event.respondWith(answer);
});

listenForPush(self);
