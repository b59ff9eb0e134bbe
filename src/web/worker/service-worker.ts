import { respondFromBuild, cacheBuild, deleteOldBuilds } from './build-cache.ts';
import { listenForPush } from './push.ts';

/**
 * The service worker lets the app start without a network: it stores the files of the build and shows push messages. It
 * never handles members' data, which the pages store themselves (src/web/core/offline-store.ts). See
 * docs/decisions/022.
 */
declare const self: ServiceWorkerGlobalScope;

self.addEventListener('install', (event) => {
  // Activates immediately: the files of both builds are stored under different names.
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
