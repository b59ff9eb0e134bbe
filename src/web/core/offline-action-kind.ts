import type { QueryClient } from '@tanstack/react-query';
import type { QueuedRequestOptions } from './send-or-queue.ts';

/** How one kind of action is sent once there is a connection. Listed in app/offline-action-kinds.ts. */
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
