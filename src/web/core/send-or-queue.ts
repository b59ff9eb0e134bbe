import { getMemberHeader, isServerReachable } from './api.ts';
import { getConnectionStatus } from './connection.ts';
import { isTransient } from './errors.ts';
import { enqueueAction, listUnsentActions, type OfflineAction } from './offline-queue.ts';

/** Options for the request: `headers` name the member, in case the session has changed. */
export type QueuedRequestOptions = { headers: Record<string, string>; init: { signal: AbortSignal } };

/** A request without a response after this many milliseconds counts as failed: the member is waiting. */
const requestTimeoutMs = 20_000;

/**
 * Sends an action immediately or queues it if there is no connection.
 * @param send gets the options for its request.
 * @returns the server's response; null if the action is queued, which also happens when others are queued before it.
 * @throws what `send` throws if the failure concerns only this request or if the action cannot be stored.
 */
export async function sendOrQueue<T extends object>(
  memberId: number | null,
  action: OfflineAction,
  send: (sending: QueuedRequestOptions) => Promise<T>,
): Promise<T | null> {
  if (memberId === null) return send(getRequestOptions(null));
  if (listUnsentActions(memberId).length > 0 && enqueueAction(memberId, action)) return null;
  const wasOnline = getConnectionStatus() === 'online';
  try {
    return await send(getRequestOptions(memberId));
  } catch (error) {
    if (!isTransient(error)) throw error;
    if (wasOnline && (await isServerReachable())) throw error;
    if (!enqueueAction(memberId, action)) throw error;
    return null;
  }
}

/** @param memberId who acts. The server refuses the request if another member has signed in to the browser since. */
export function getRequestOptions(memberId: number | null): QueuedRequestOptions {
  return {
    headers: getMemberHeader(memberId),
    init: { signal: AbortSignal.timeout(requestTimeoutMs) },
  };
}
