import type { NotificationLinkRequest, PushMessage } from '#shared/notifications/preferences.ts';

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

/**
 * Opens the link in a window that shows its page already, otherwise in a new one: a window that is navigated loses what
 * the member has typed there.
 */
async function openNotificationLink(worker: ServiceWorkerGlobalScope, link: unknown): Promise<void> {
  const { origin } = worker.location;
  const url = typeof link === 'string' ? URL.parse(link, origin) : null;
  // The link never leaves this site, whatever the message contains.
  const target = url?.origin === origin ? url.href : origin;
  const pages = await worker.clients.matchAll({ type: 'window', includeUncontrolled: true });
  const replies = await Promise.all(pages.map((page) => isShownBy(page, target)));
  const page = pages.find((_, index) => replies[index]);
  if (page === undefined) return void (await worker.clients.openWindow(target));
  page.postMessage({ notificationLink: target, opens: true } satisfies NotificationLinkRequest, []);
  // It can have been closed meanwhile.
  await page.focus().catch(() => worker.clients.openWindow(target));
}

/** Browsers let a worker open a window for about a second after the click, in milliseconds. */
const replyTimeoutMs = 300;

/**
 * Asks a window whether it shows the page of a link (src/web/app/useNotificationLinks.ts), since some browsers tell the
 * worker only the address with which it was opened. One that is suspended does not reply.
 */
function isShownBy(page: WindowClient, link: string): Promise<boolean> {
  const { port1, port2 } = new MessageChannel();
  const request: NotificationLinkRequest = { notificationLink: link, opens: false };
  return new Promise((resolve) => {
    port1.addEventListener('message', ({ data }) => resolve(data === true));
    port1.start();
    setTimeout(() => resolve(false), replyTimeoutMs);
    page.postMessage(request, [port2]);
  });
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
