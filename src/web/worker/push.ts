import type { PushMessage } from '#shared/notifications/preferences.ts';

/** Shows what the server pushes, and opens what it tells of. Call it while the worker starts: later is too late. */
export function listenForPush(worker: ServiceWorkerGlobalScope): void {
  worker.addEventListener('push', (event) => event.waitUntil(showPushNotification(worker, event.data)));
  worker.addEventListener('notificationclick', (event) => {
    event.notification.close();
    event.waitUntil(openNotificationLink(worker, event.notification.data));
  });
}

async function showPushNotification(
  worker: ServiceWorkerGlobalScope,
  data: PushMessageData | null,
): Promise<void> {
  const message = parsePushMessage(data);
  if (message === null) return;
  // Who looks at a page sees it there: its bell is live.
  const pages = await worker.clients.matchAll({ type: 'window', includeUncontrolled: true });
  if (pages.some((page) => page.focused)) return;
  const { title, body, link, tag } = message;
  await worker.registration.showNotification(title, {
    body,
    tag,
    data: link,
    dir: 'auto',
    icon: '/favicon.svg',
  });
}

/** In the window of Parley that is there, else in a new one. */
async function openNotificationLink(worker: ServiceWorkerGlobalScope, link: unknown): Promise<void> {
  const { origin } = worker.location;
  const url = typeof link === 'string' ? URL.parse(link, origin) : null;
  // Whatever the message says, it leads within this site.
  const target = url?.origin === origin ? url.href : origin;
  const [page] = await worker.clients.matchAll({ type: 'window' });
  if (page !== undefined) {
    try {
      await page.focus();
      await page.navigate(target);
      return;
    } catch {
      // A page that the worker does not control cannot be sent elsewhere.
    }
  }
  await worker.clients.openWindow(target);
}

/** Null for what this server's pushes are not. */
function parsePushMessage(data: PushMessageData | null): PushMessage | null {
  try {
    const { title, body, link, tag } = (data?.json() ?? {}) as Partial<Record<keyof PushMessage, unknown>>;
    if ([title, body, link, tag].some((text) => typeof text !== 'string')) return null;
    return { title, body, link, tag } as PushMessage;
  } catch {
    return null;
  }
}
