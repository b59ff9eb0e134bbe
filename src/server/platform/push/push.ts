import webPush from 'web-push';
import { type Database, transaction } from '#server/platform/database.ts';
import { firstValue } from '#server/platform/settings-table.ts';
import type { PushDevice } from '#shared/notification-settings.ts';

/** The push services of browsers, whose addresses a subscription may name; a star stands for one or more labels. */
export const knownPushServices: readonly string[] = [
  'https://fcm.googleapis.com',
  'https://*.push.services.mozilla.com',
  'https://*.notify.windows.com',
  'https://*.push.apple.com',
];

/** The keys by which push services know this community (RFC 8292); base64url. */
export type PushKeys = { publicKey: string; privateKey: string };

export type Pusher = {
  publicKey: string;
  /** Whether a subscription's address is one of a push service. */
  allows: (endpoint: string) => boolean;
  /** @throws when another try may help. */
  send: (device: PushDevice, payload: string) => Promise<Pushed>;
};

/** 'gone': the device is no longer subscribed. 'refused': the service will not take this message. */
export type Pushed = 'sent' | 'gone' | 'refused';

/** Milliseconds for one request, from its start to the answer's head. */
const timeout = 10_000;

/** How long a push service keeps a message for a device that is off, in seconds. */
const timeToLive = 24 * 60 * 60;

/** @param contact whom a push service may write to: a mailto: or https: address */
export function createPusher(options: {
  keys: PushKeys;
  contact: string;
  services: readonly string[];
}): Pusher {
  const { keys, contact, services } = options;
  const allowed = services.map(originPattern);
  const allows = (endpoint: string) => {
    const url = URL.parse(endpoint);
    if (url === null || url.username + url.password !== '') return false;
    return allowed.some((pattern) => pattern.test(url.origin));
  };
  return { publicKey: keys.publicKey, allows, send };

  /**
   * The address is one that a browser named, so it leads to a known push service or nowhere: no redirect is followed, and
   * nothing of the answer but its status is read.
   */
  async function send(device: PushDevice, payload: string): Promise<Pushed> {
    if (!allows(device.endpoint)) return 'gone';
    const { endpoint, ...keysOfDevice } = device;
    const request = webPush.generateRequestDetails({ endpoint, keys: keysOfDevice }, payload, {
      TTL: timeToLive,
      urgency: 'normal',
      contentEncoding: 'aes128gcm',
      vapidDetails: { subject: contact, ...keys },
    });
    const { 'Content-Length': _, ...headers } = request.headers as Record<string, string | number>;
    const answer = await fetch(request.endpoint, {
      method: 'POST',
      // Some are numbers.
      headers: Object.entries(headers).map(([name, value]) => [name, `${value}`]),
      body: new Uint8Array(request.body),
      redirect: 'manual',
      signal: AbortSignal.timeout(timeout),
    });
    await answer.body?.cancel();
    if (answer.ok) return 'sent';
    if (answer.status === 404 || answer.status === 410) return 'gone';
    if (answer.status === 429 || answer.status >= 500)
      throw new Error(`the push service ${new URL(device.endpoint).host} answered ${answer.status}`);
    return 'refused';
  }
}

/** The keys of this community, made once and shared by all nodes: with others, every device would have to ask again. */
export async function sharedPushKeys(db: Database): Promise<PushKeys> {
  const made = JSON.stringify(webPush.generateVAPIDKeys());
  const kept = await transaction(db, (tx) => firstValue(tx, 'push-keys', made));
  return JSON.parse(kept) as PushKeys;
}

function originPattern(service: string): RegExp {
  const literal = service.replaceAll('.', String.raw`\.`).replace('*', String.raw`[\w-]+(?:\.[\w-]+)*`);
  return new RegExp(`^${literal}$`);
}
