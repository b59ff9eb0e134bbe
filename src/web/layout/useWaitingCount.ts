import { useCachedSession } from '#web/platform/session.ts';
import { getLastQueueMember, useOfflineQueue } from '#web/platform/waiting.ts';
import { offlineActionKinds } from './waiting-kinds.ts';

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
