import { getLastQueueMember, type QueuedAction, useOfflineQueue } from '#web/core/offline-queue.ts';
import { useCachedSession } from '#web/core/session.ts';

/**
 * The actions that wait to be sent. Until the session is loaded, those of the member who last queued something in this
 * browser.
 */
export function useQueuedActions(): readonly QueuedAction[] {
  const session = useCachedSession();
  const queued = useOfflineQueue(session === undefined ? getLastQueueMember() : (session.member?.id ?? null));
  return queued.filter(({ refusalReason }) => refusalReason === null);
}
