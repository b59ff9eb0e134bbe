import { useCachedSession } from '#web/core/session.ts';
import { getLastQueueMember, useOfflineQueue } from '#web/core/offline-queue.ts';
import { offlineBookmarks } from '#web/engagement/bookmarks-offline.ts';
import { offlineQuestionFollows, offlineTagFollows } from '#web/engagement/follows-offline.ts';
import { type OfflineActionKind, useOfflineQueueSender } from '#web/core/offline-queue-sender.ts';
import { offlineAnswers, offlineReplies } from '#web/posts/offline/queued-posts.ts';
import { offlineVotes } from '#web/engagement/votes-offline.ts';

/** How much waits to be sent; before the server has said who is signed in, of who was the last to leave something. */
export function useQueuedCount(): number {
  const session = useCachedSession();
  const queued = useOfflineQueue(session === undefined ? getLastQueueMember() : (session.member?.id ?? null));
  return queued.filter(
    (item) =>
      item.refusalReason === null &&
      offlineActionKinds.some((kind) => kind.name === item.kind && kind.accepts(item.data)),
  ).length;
}

/** All that can wait for a connection. */
export const offlineActionKinds: readonly OfflineActionKind[] = [
  offlineAnswers,
  offlineReplies,
  offlineVotes,
  offlineQuestionFollows,
  offlineTagFollows,
  offlineBookmarks,
];

/** Shows nothing; sends what the member did without a connection, on whichever page they are. */
export function OfflineQueueSender({ memberId }: { memberId: number }): null {
  useOfflineQueueSender(memberId, offlineActionKinds);
  return null;
}
