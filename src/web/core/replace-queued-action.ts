import {
  dequeueAction,
  isSameTarget,
  listUnsentActions,
  storeAction,
  type OfflineAction,
} from './offline-queue.ts';

/**
 * Sends a request that replaces the queued action for a target: sent later, that action would undo it. If the request
 * fails, the action waits again, before later ones.
 */
export async function replaceQueuedAction<Result>(
  memberId: number | undefined,
  action: OfflineAction,
  send: () => Promise<Result>,
): Promise<Result> {
  if (memberId === undefined) return send();
  const queued = listUnsentActions(memberId).find((item) => isSameTarget(item, action));
  if (queued === undefined) return send();
  dequeueAction(memberId, queued);
  try {
    return await send();
  } catch (error) {
    storeAction(memberId, queued);
    throw error;
  }
}
