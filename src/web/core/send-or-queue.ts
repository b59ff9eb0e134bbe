import type { QueryClient } from '@tanstack/react-query';
import { actingMemberHeader } from '#shared/core/protocol.ts';
import { isServerReachable } from './api.ts';
import { getConnectionStatus } from './connection.ts';
import { isTransient } from './errors.ts';
import { enqueueAction, listUnsentActions, type OfflineAction } from './offline-queue.ts';

/** Options for the request: `headers` name the member, in case the session has changed. */
export type QueuedRequestOptions = { headers: Record<string, string>; init: { signal: AbortSignal } };

/** How one kind of action is sent once there is a connection. Listed in app/offline-actions.ts. */
export type OfflineActionKind = {
  name: string;
  /** False for data that this build did not write. */
  accepts: (data: unknown) => boolean;
  /** Sends the action and shows the result. It may run twice, also in two tabs; the second run changes nothing. */
  send: (data: unknown, client: QueryClient, sending: QueuedRequestOptions) => Promise<void>;
  /**
   * Shows the member that the server refused the action. Returns the reason and the content to store until the member
   * discards it; null if there is nothing to store.
   */
  onRefused: (data: unknown, error: Error) => { reason: string; data: unknown } | null;
  /** The page that shows a refused action. */
  path: (data: unknown) => string | null;
};

/** Defines a kind with a parser for its data. The other functions only get data that could be parsed. */
export function defineOfflineActionKind<Data>(kind: {
  name: string;
  read: (data: unknown) => Data | null;
  send: (data: Data, client: QueryClient, sending: QueuedRequestOptions) => Promise<void>;
  refused: (data: Data, error: Error) => { reason: string; data: Data } | null;
  path?: (data: Data) => string;
}): OfflineActionKind {
  const readable = (data: unknown): Data => {
    const content = kind.read(data);
    if (content === null) throw new Error(`The queued data is not valid for ${kind.name}.`);
    return content;
  };
  return {
    name: kind.name,
    accepts: (data) => kind.read(data) !== null,
    send: (data, client, sending) => kind.send(readable(data), client, sending),
    onRefused: (data, error) => kind.refused(readable(data), error),
    path: (data) => kind.path?.(readable(data)) ?? null,
  };
}

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
    headers: memberId === null ? {} : { [actingMemberHeader]: String(memberId) },
    init: { signal: AbortSignal.timeout(requestTimeoutMs) },
  };
}
