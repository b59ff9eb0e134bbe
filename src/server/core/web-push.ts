import { ECDH } from 'node:crypto';
import webPush from 'web-push';
import { type Database, transaction } from './database.ts';
import { getOrInsertSetting } from './stored-settings.ts';
import type { NewPushSubscription } from '#shared/notifications/preferences.ts';

/** The push services of browsers that a subscription may use. A star stands for one or more labels. */
export const defaultPushServices: readonly string[] = [
  'https://fcm.googleapis.com',
  'https://*.push.services.mozilla.com',
  'https://*.notify.windows.com',
  'https://*.push.apple.com',
];

/** The keys that identify this installation to push services (RFC 8292), in base64url. */
export type VapidKeys = { publicKey: string; privateKey: string };

export type WebPushSender = {
  publicKey: string;
  /** Whether the endpoint of a subscription belongs to an allowed push service. */
  isAllowedEndpoint: (endpoint: string) => boolean;
  /**
   * Sends a push message.
   * @throws if a retry may help
   */
  send: (device: NewPushSubscription, payload: string) => Promise<PushResult>;
};

/** 'gone': the device is no longer subscribed. 'refused': the service will never accept this message. */
export type PushResult = 'sent' | 'gone' | 'refused';

/** The timeout of one request in milliseconds, until the response headers. */
const timeoutMs = 10_000;

/** How long a push service stores a message for a device that is offline, in seconds. */
const timeToLiveSeconds = 24 * 60 * 60;

/**
 * Creates a push sender.
 * @param options `contact` is a mailto: or https: address for the push services
 */
export function createWebPushSender(options: {
  keys: VapidKeys;
  contact: string;
  services: readonly string[];
}): WebPushSender {
  const { keys, contact, services } = options;
  const allowed = services.map(toOriginPattern);
  const isAllowedEndpoint = (endpoint: string) => {
    const url = URL.parse(endpoint);
    if (url === null || url.username + url.password !== '') return false;
    return allowed.some((pattern) => pattern.test(url.origin));
  };
  return { publicKey: keys.publicKey, isAllowedEndpoint, send };

  /**
   * The browser supplied the endpoint. So only allowed push services are contacted, no redirect is followed, and only
   * the status of the response is read.
   */
  async function send(device: NewPushSubscription, payload: string): Promise<PushResult> {
    if (!isAllowedEndpoint(device.endpoint)) return 'gone';
    if (!isPublicKey(device.p256dh)) return 'gone';
    const { endpoint, ...keysOfDevice } = device;
    const request = webPush.generateRequestDetails({ endpoint, keys: keysOfDevice }, payload, {
      TTL: timeToLiveSeconds,
      urgency: 'normal',
      contentEncoding: 'aes128gcm',
      vapidDetails: { subject: contact, ...keys },
    });
    const { 'Content-Length': _, ...headers } = request.headers as Record<string, string | number>;
    const response = await fetch(request.endpoint, {
      method: 'POST',
      // Some values are numbers.
      headers: Object.entries(headers).map(([name, value]) => [name, `${value}`]),
      body: new Uint8Array(request.body),
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs),
    });
    await response.body?.cancel();
    if (response.ok) return 'sent';
    if (response.status === 404 || response.status === 410) return 'gone';
    if (response.status === 429 || response.status >= 500)
      throw new Error(`the push service ${new URL(device.endpoint).host} responded ${response.status}`);
    return 'refused';
  }
}

/**
 * Whether a key of a browser is a point on the curve that web push uses (RFC 8291). No message can be encrypted with
 * others.
 */
function isPublicKey(text: string): boolean {
  try {
    ECDH.convertKey(text, 'prime256v1', 'base64url');
    return true;
  } catch {
    return false;
  }
}

/**
 * Returns the keys of this installation. They are created once and shared by all nodes, because with other keys every
 * device would have to subscribe again.
 */
export async function getOrCreateVapidKeys(db: Database): Promise<VapidKeys> {
  const made = JSON.stringify(webPush.generateVAPIDKeys());
  const stored = await transaction(db, (tx) => getOrInsertSetting(tx, 'push-keys', made));
  return JSON.parse(stored) as VapidKeys;
}

function toOriginPattern(service: string): RegExp {
  const literal = service.replaceAll('.', String.raw`\.`).replace('*', String.raw`[\w-]+(?:\.[\w-]+)*`);
  return new RegExp(`^${literal}$`);
}
