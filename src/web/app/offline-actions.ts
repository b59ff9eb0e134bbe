import { useCachedSession } from '#web/core/session.ts';
import { getLastQueueMember, useOfflineQueue } from '#web/core/offline-queue.ts';
import { offlineBookmarks } from '#web/engagement/bookmarks-offline.ts';
import { offlineQuestionFollows, offlineTagFollows } from '#web/engagement/follows-offline.ts';
import type { OfflineActionKind } from '#web/core/send-or-queue.ts';
import { offlineAnswers, offlineReplies } from '#web/posts/offline/queued-posts.ts';
import { offlineVotes } from '#web/engagement/votes-offline.ts';

/**
 * How many changes wait to be sent. Until the session is loaded, it counts those of the member who last queued
 * something in this browser.
 */
export function useQueuedCount(): number {
  const session = useCachedSession();
  const queued = useOfflineQueue(session === undefined ? getLastQueueMember() : (session.member?.id ?? null));
  return queued.filter(
    (item) =>
      item.refusalReason === null &&
      offlineActionKinds.some((kind) => kind.name === item.kind && kind.accepts(item.data)),
  ).length;
}

/** All kinds of actions that can be queued offline. */
export const offlineActionKinds: readonly OfflineActionKind[] = [
  offlineAnswers,
  offlineReplies,
  offlineVotes,
  offlineQuestionFollows,
  offlineTagFollows,
  offlineBookmarks,
];
