import type { PushDevice } from '#shared/notification-settings.ts';

/**
 * What stands between this browser and pushes: 'unsupported': it has none (or is on plain http, or the app must be
 * installed first); 'denied': its person said no to this site's notifications; 'failed': its push service did not answer.
 */
export type PushObstacle = 'unsupported' | 'denied' | 'failed';

export class PushRefused extends Error {
  readonly obstacle: PushObstacle;

  constructor(obstacle: PushObstacle, options?: ErrorOptions) {
    super(`This browser cannot be pushed to: ${obstacle}`, options);
    this.obstacle = obstacle;
  }
}

/** Milliseconds for the browser's push service. */
const patience = 15_000;

/**
 * Asks the browser to be pushed to. Call it from a click: browsers refuse to ask otherwise.
 * @param key the server's public key, base64url
 * @throws PushRefused
 */
export async function subscribeHere(key: string): Promise<PushDevice> {
  if (!('serviceWorker' in navigator && 'PushManager' in window && 'Notification' in window))
    throw new PushRefused('unsupported');
  if ((await Notification.requestPermission()) !== 'granted') throw new PushRefused('denied');
  const registration = await navigator.serviceWorker.getRegistration();
  if (registration === undefined) throw new PushRefused('unsupported');
  try {
    const subscribed = await within(patience, subscription(registration.pushManager, key));
    return deviceOf(subscribed.toJSON());
  } catch (error) {
    throw new PushRefused('failed', { cause: error });
  }
}

/** Ends what the browser has; the server is told apart from this. */
export async function unsubscribeHere(): Promise<void> {
  const registration = await navigator.serviceWorker?.getRegistration();
  const subscribed = await registration?.pushManager?.getSubscription();
  await subscribed?.unsubscribe();
}

/** Another server key, such as that of a restored database, needs another subscription. */
async function subscription(manager: PushManager, key: string): Promise<PushSubscription> {
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

function deviceOf({ endpoint = '', keys = {} }: PushSubscriptionJSON): PushDevice {
  return { endpoint, p256dh: keys['p256dh'] ?? '', auth: keys['auth'] ?? '' };
}

async function within<Result>(milliseconds: number, work: Promise<Result>): Promise<Result> {
  const tooLate = new Promise<never>((_, reject) => {
    setTimeout(() => reject(new Error('no answer')), milliseconds);
  });
  return Promise.race([work, tooLate]);
}
