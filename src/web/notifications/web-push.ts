import type { NewPushSubscription } from '#shared/notifications/preferences.ts';

/**
 * What stands between this browser and pushes: 'unsupported': it has none (or is on plain http, or the app must be
 * installed first); 'denied': its person said no to this site's notifications; 'failed': its push service did not answer.
 */
export type PushFailure = 'unsupported' | 'denied' | 'failed';

export class PushError extends Error {
  readonly failure: PushFailure;

  constructor(obstacle: PushFailure, options?: ErrorOptions) {
    super(`This browser cannot be pushed to: ${obstacle}`, options);
    this.failure = obstacle;
  }
}

/** Milliseconds for the browser's push service. */
const pushServiceTimeoutMs = 15_000;

/**
 * Asks the browser to be pushed to. Call it from a click: browsers refuse to ask otherwise.
 * @param key the server's public key, base64url
 * @throws PushRefused
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

/** Ends what the browser has; the server is told apart from this. */
export async function unsubscribeFromPush(): Promise<void> {
  const registration = await navigator.serviceWorker?.getRegistration();
  const pushSubscription = await registration?.pushManager?.getSubscription();
  await pushSubscription?.unsubscribe();
}

/** Another server key, such as that of a restored database, needs another subscription. */
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
    setTimeout(() => reject(new Error('no answer')), timeoutMs);
  });
  return Promise.race([work, tooLate]);
}
