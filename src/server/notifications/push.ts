import type { Logger } from 'pino';
import { type Database, transaction } from '#server/core/database.ts';
import { ProblemError } from '#server/core/errors.ts';
import type { Viewer } from '#server/core/http.ts';
import type { JobDefinition, JobQueue } from '#server/core/job-queue.ts';
import type { WebPushSender } from '#server/core/web-push.ts';
import { markDelivered, listPendingNotifications, type PendingNotification } from './notifications.ts';
import type { NewPushSubscription, PushMessage } from '#shared/notifications/preferences.ts';
import type { Language } from '#shared/core/languages.ts';
import { getSitePicturePath } from '#shared/core/site-pictures.ts';
import { truncateWithEllipsis } from '#shared/core/text.ts';
import { inLanguage } from './email-templates.ts';
import { findEmailOfMember } from './preferences-queries.ts';
import { translate, translateNotification } from './sent-texts.ts';
import {
  deleteSessionSubscription,
  deleteSubscription,
  listDevices,
  deleteOldestSubscriptions,
  clearExpiredPushes,
  hasSubscription,
  listMembersToPush,
  saveSubscription,
} from './push-queries.ts';

/** The maximum number of devices per member. One more replaces the oldest. */
const maxDevices = 10;

/** The delay before a push, in seconds. Meanwhile an open page can report that the member has seen the notification. */
export const pushDelaySeconds = 4;

/** The age at which an unsent push expires, in hours. */
const expiryHours = 24;

/** The maximum length of a message in characters, because push services limit the size. */
const maxBodyChars = 200;

export type PushSubscriptions = ReturnType<typeof createPushSubscriptions>;

/**
 * The push subscriptions of members.
 * @param deps `pusher` is absent if this site does not push
 */
export function createPushSubscriptions({ db, pusher }: { db: Database; pusher: WebPushSender | undefined }) {
  return {
    publicKey: pusher?.publicKey ?? null,

    /**
     * Adds a device.
     * @throws ProblemError 'invalid' for an endpoint of an unknown push service, 'disabled' without push
     */
    async subscribe(viewer: Viewer, device: NewPushSubscription): Promise<void> {
      if (pusher === undefined) throw new ProblemError('push-disabled');
      if (!pusher.isAllowedEndpoint(device.endpoint)) throw new ProblemError('push-service-unknown');
      await transaction(db, async (tx) => {
        await saveSubscription(tx, { memberId: viewer.id, sessionId: viewer.sessionId, device });
        await deleteOldestSubscriptions(tx, viewer.id, { limit: maxDevices });
      });
    },

    unsubscribe: (viewer: Viewer) => deleteSessionSubscription(db, viewer.sessionId),

    isSubscribed: (viewer: Viewer) => hasSubscription(db, viewer.sessionId),
  };
}

/** Adds a job for each member with a due push. Any node may call this at any time. */
export async function queuePushes(db: Database, jobs: JobQueue): Promise<void> {
  // First, so that a post restored after days causes no push.
  await clearExpiredPushes(db, { hours: expiryHours });
  let after: number | undefined = 0;
  // Members whose pushes are being retried stay in the list, so it is read to its end.
  while (after !== undefined) after = await queueSomePushes(db, jobs, after);
}

/** Returns the last member; undefined if there are no others. */
async function queueSomePushes(db: Database, jobs: JobQueue, after: number): Promise<number | undefined> {
  const limit = 500;
  return transaction(db, async (tx) => {
    const members = await listMembersToPush(tx, { seconds: pushDelaySeconds, after, limit });
    await jobs.enqueue(
      tx,
      'push',
      ...members.map((memberId) => ({ key: String(memberId), data: { memberId } })),
    );
    return members.length < limit ? undefined : members.at(-1);
  });
}

/** What push messages show of the site. `language`: the default. `icon`: the setting. */
export type PushSite = { siteName: string; language: Language; icon: string };

/** Creates the job that pushes a member's pending notifications to all of their devices. */
export function createPushJob(deps: {
  db: Database;
  pusher: WebPushSender;
  getSite: () => PushSite;
  log: Logger;
}) {
  const { db, pusher, getSite, log } = deps;
  return {
    name: 'push',
    retries: { limit: 6, delaySeconds: 20, maxDelaySeconds: 1_800 },
    timeoutSeconds: 60,
    concurrency: 2,
    async run({ memberId }, { isLast }) {
      const { items, pending } = await listPendingNotifications(db, { memberId, channel: 'push', limit: 1 });
      const [newest] = items;
      if (newest === undefined) return;
      const { language } = (await findEmailOfMember(db, memberId)) ?? { language: null };
      const message = buildPushMessage(inLanguage(getSite(), language), newest, pending.length);
      const results = await Promise.allSettled(
        (await listDevices(db, memberId)).map((device) => sendTo(device, message)),
      );
      const failed = results.find((result) => result.status === 'rejected');
      // A retry would push to all devices again.
      const hasReachedOne = results.some((result) => result.status === 'fulfilled' && result.value);
      if (failed !== undefined && !isLast && !hasReachedOne) throw failed.reason;
      if (failed !== undefined)
        log.warn(
          { err: failed.reason, memberId },
          hasReachedOne
            ? 'a push reached only some devices of a member'
            : 'a push was dropped because the push service did not accept it for too long',
        );
      await markDelivered(db, { memberId, channel: 'push', ids: pending });
    },
  } satisfies JobDefinition<{ memberId: number }>;

  /** Returns whether the push service accepted the message. */
  async function sendTo(
    { id, ...device }: NewPushSubscription & { id: number },
    message: PushMessage,
  ): Promise<boolean> {
    const pushed = await pusher.send(device, JSON.stringify(message));
    if (pushed === 'gone') await deleteSubscription(db, id);
    if (pushed === 'refused')
      log.warn(`The push service ${new URL(device.endpoint).host} refuses messages from Parley.`);
    return pushed === 'sent';
  }
}

function buildPushMessage(
  { siteName, language, icon }: PushSite,
  newest: PendingNotification,
  total: number,
): PushMessage {
  const common = { title: siteName, icon: icon === '' ? null : getSitePicturePath(icon, 'icon-192.png') };
  if (total === 1) {
    const { id, link } = newest;
    const body = truncateWithEllipsis(translateNotification(language, newest), maxBodyChars);
    return { ...common, body, link, tag: `notification-${id}` };
  }
  return {
    ...common,
    body: translate(language, 'push.several', { count: total }),
    link: '/notifications?tab=unread',
    tag: 'notifications',
  };
}
