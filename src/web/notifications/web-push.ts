import type { NewPushSubscription } from '#shared/notifications/preferences.ts';

/**
 * Why push does not work: 'unsupported': the browser lacks it, or the site uses plain http, or the app must be
 * installed first; 'denied': the permission was denied; 'failed': the browser's push service did not respond.
 */
export type PushFailure = 'unsupported' | 'denied' | 'failed';

export class PushError extends Error {
  readonly failure: PushFailure;

  constructor(obstacle: PushFailure, options?: ErrorOptions) {
    super(`This browser cannot be pushed to: ${obstacle}`, options);
    this.failure = obstacle;
  }
}

/** The timeout for the browser's push service, in milliseconds. */
const pushServiceTimeoutMs = 15_000;

/**
 * Subscribes this browser to push messages. Must be called from a click: browsers do not ask for permission otherwise.
 * @param key the server's public key, base64url.
 * @throws PushError
 */
export async function subscribeToPush(key: string): Promise<NewPushSubscription> {
  if (!('serviceWorker' in navigator && 'PushManager' in window && 'Notification' in window))
    throw new PushError('unsupported');
  if ((await Notification.requestPermission()) !== 'granted') throw new PushError('denied');
  const registration = await navigator.serviceWorker.getRegistration();
  if (registration === undefined) throw new PushError('unsupported');
  try {
    const pushSubscription = await withTimeout(
      pushServiceTimeoutMs,
      createSubscription(registration.pushManager, key),
    );
    return toNewPushSubscription(pushSubscription.toJSON());
  } catch (error) {
    throw new PushError('failed', { cause: error });
  }
}

/** Ends the browser's subscription. The server is notified separately. */
export async function unsubscribeFromPush(): Promise<void> {
  const registration = await navigator.serviceWorker?.getRegistration();
  const pushSubscription = await registration?.pushManager?.getSubscription();
  await pushSubscription?.unsubscribe();
}

/** Another server key, such as that of a restored database, needs a new subscription. */
async function createSubscription(manager: PushManager, key: string): Promise<PushSubscription> {
  const options = { userVisibleOnly: true, applicationServerKey: key };
  try {
    return await manager.subscribe(options);
  } catch (error) {
    const old = await manager.getSubscription();
    if (old === null) throw error;
    await old.unsubscribe();
    return manager.subscribe(options);
  }
}

function toNewPushSubscription({ endpoint = '', keys = {} }: PushSubscriptionJSON): NewPushSubscription {
  return { endpoint, p256dh: keys['p256dh'] ?? '', auth: keys['auth'] ?? '' };
}

async function withTimeout<Result>(timeoutMs: number, work: Promise<Result>): Promise<Result> {
  const tooLate = new Promise<never>((_, reject) => {
    setTimeout(() => reject(new Error('The push service did not respond.')), timeoutMs);
  });
  return Promise.race([work, tooLate]);
}
