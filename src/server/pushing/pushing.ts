import type { Logger } from 'pino';
import { type Database, transaction } from '#server/platform/database.ts';
import { ProblemError } from '#server/platform/errors.ts';
import type { Viewer } from '#server/platform/http.ts';
import type { JobKind, Jobs } from '#server/platform/jobs/jobs.ts';
import type { Pusher } from '#server/platform/push/push.ts';
import { noteTold, waitingNews, type WaitingNews } from '#server/notifications/notifications.ts';
import type { PushDevice, PushMessage } from '#shared/notification-settings.ts';
import { shortened } from '#shared/text.ts';
import {
  deleteOfSession,
  deleteSubscription,
  devicesOf,
  dropOldest,
  forgetOldPushes,
  hasSubscription,
  membersToPush,
  saveSubscription,
} from './queries.ts';

/** Devices of a member at most; one more takes the place of the oldest. */
const devicesMax = 10;

/** So long a page that is open has to say that the member sees the news there, in seconds. */
export const pushDelay = 4;

/** What could not be pushed for so long is old, in hours. */
const oldAfter = 24;

/** Characters of a message at most: what a push service carries is small. */
const bodyMax = 200;

export type Pushing = ReturnType<typeof createPushing>;

/** The browsers that members want to be told in. @param pusher absent where this Parley does not push */
export function createPushing({ db, pusher }: { db: Database; pusher: Pusher | undefined }) {
  return {
    publicKey: pusher?.publicKey ?? null,

    /** @throws ProblemError 'invalid' for an address that is no known push service's, 'disabled' */
    async subscribe(viewer: Viewer, device: PushDevice): Promise<void> {
      if (pusher === undefined) throw new ProblemError('disabled', 'This Parley does not push.');
      if (!pusher.allows(device.endpoint))
        throw new ProblemError('invalid', 'The push service of this browser is not known here.');
      await transaction(db, async (tx) => {
        await saveSubscription(tx, { memberId: viewer.id, sessionId: viewer.sessionId, device });
        await dropOldest(tx, viewer.id, { keep: devicesMax });
      });
    },

    unsubscribe: (viewer: Viewer) => deleteOfSession(db, viewer.sessionId),

    isSubscribed: (viewer: Viewer) => hasSubscription(db, viewer.sessionId),
  };
}

/** Adds a job for each member who is to be pushed something; each node may ask for it, at any time. */
export async function queuePushes(db: Database, jobs: Jobs): Promise<void> {
  await transaction(db, async (tx) => {
    for (const memberId of await membersToPush(tx, { seconds: pushDelay, limit: 500 }))
      await jobs.add(tx, 'push', { key: String(memberId), data: { memberId } });
  });
  await forgetOldPushes(db, { hours: oldAfter });
}

/** Pushes what waits for a member to all of their devices. */
export function pushJob({ db, pusher, log }: { db: Database; pusher: Pusher; log: Logger }) {
  return {
    name: 'push',
    retries: { limit: 6, seconds: 20, most: 1_800 },
    seconds: 60,
    atOnce: 2,
    async work({ memberId }, { isLast }) {
      const { items, total } = await waitingNews(db, { memberId, way: 'push', limit: 1 });
      const [newest] = items;
      if (newest === undefined) return;
      const results = await Promise.allSettled(
        (await devicesOf(db, memberId)).map((device) => sendTo(device, messageFor(newest, total))),
      );
      const failed = results.find((result) => result.status === 'rejected');
      if (failed !== undefined && !isLast) throw failed.reason;
      if (failed !== undefined)
        log.warn(
          { err: failed.reason, memberId },
          'a push was given up: its service did not take it for long',
        );
      await noteTold(db, { memberId, way: 'push', upTo: newest.id });
    },
  } satisfies JobKind<{ memberId: number }>;

  async function sendTo({ id, ...device }: PushDevice & { id: number }, message: PushMessage): Promise<void> {
    const pushed = await pusher.send(device, JSON.stringify(message));
    if (pushed === 'gone') await deleteSubscription(db, id);
    if (pushed === 'refused')
      log.warn(`The push service ${new URL(device.endpoint).host} refuses what Parley sends it.`);
  }
}

function messageFor(newest: WaitingNews, total: number): PushMessage {
  if (total === 1) {
    const { id, message, link } = newest;
    return { title: 'Parley', body: shortened(message, bodyMax), link, tag: `notification-${id}` };
  }
  return {
    title: 'Parley',
    body: `You have ${total} new notifications.`,
    link: '/notifications?tab=unread',
    tag: 'notifications',
  };
}
