import type { PushMessage } from '#shared/notifications/preferences.ts';

/** Shows push messages and opens their links. Must be called while the worker starts. */
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
  // A visible page shows the notification itself.
  const pages = await worker.clients.matchAll({ type: 'window', includeUncontrolled: true });
  if (pages.some((page) => page.focused)) return;
  const { title, body, link, tag } = message;
  await worker.registration.showNotification(title, {
    body,
    tag,
    data: link,
    dir: 'auto',
    icon: message.icon ?? '/favicon.svg',
  });
}

/** Opens the link in an existing window of Parley, otherwise in a new one. */
async function openNotificationLink(worker: ServiceWorkerGlobalScope, link: unknown): Promise<void> {
  const { origin } = worker.location;
  const url = typeof link === 'string' ? URL.parse(link, origin) : null;
  // The link never leaves this site, whatever the message contains.
  const target = url?.origin === origin ? url.href : origin;
  const [page] = await worker.clients.matchAll({ type: 'window' });
  if (page !== undefined) {
    try {
      await page.focus();
      await page.navigate(target);
      return;
    } catch {
      // The worker cannot navigate a page that it does not control.
    }
  }
  await worker.clients.openWindow(target);
}

/** Null for messages that this server did not send. */
function parsePushMessage(data: PushMessageData | null): PushMessage | null {
  try {
    const { title, body, icon, link, tag } = (data?.json() ?? {}) as Partial<
      Record<keyof PushMessage, unknown>
    >;
    if ([title, body, link, tag].some((text) => typeof text !== 'string')) return null;
    return { title, body, icon: typeof icon === 'string' ? icon : null, link, tag } as PushMessage;
  } catch {
    return null;
  }
}
