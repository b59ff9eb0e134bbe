import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { madeByHeader } from '#shared/core/protocol.ts';
import { isServerReachable } from './api.ts';
import { getConnectionStatus, onConnectionChange } from './connection.ts';
import { ApiError, isTransient, logFailure, UnreachableError } from './errors.ts';
import { sessionQuery } from './session.ts';
import {
  countRemovedElsewhere,
  dequeueAction,
  enqueueAction,
  forgetRemovedElsewhere,
  listUnsentActions,
  markActionRefused,
  type OfflineAction,
  onQueueChange,
  onRemovedInOtherTab,
  type QueuedAction,
} from './offline-queue.ts';

/** With what a request goes out: `headers` tell whose it is where that is not sure any more. */
export type QueuedRequestOptions = { headers: Record<string, string>; init: { signal: AbortSignal } };

/** How one kind of action is sent once there is a connection; features register theirs in app/offline-actions.ts. */
export type OfflineActionKind = {
  name: string;
  /** False for what this program did not write. */
  accepts: (data: unknown) => boolean;
  /** Sends it and shows what came of it. It may come to this twice, also in two tabs: the second changes nothing. */
  send: (data: unknown, client: QueryClient, sending: QueuedRequestOptions) => Promise<void>;
  /**
   * Tells the member that the server does not want it. Returns the reason and the content to keep until they take it
   * back; null when there is nothing to keep.
   */
  onRefused: (data: unknown, error: Error) => { reason: string; data: unknown } | null;
  /** Where a refused one is found. */
  path: (data: unknown) => string | null;
};

/** A kind by how its content is read; nothing else ever sees content that could not be read. */
export function defineOfflineActionKind<Data>(kind: {
  name: string;
  read: (data: unknown) => Data | null;
  send: (data: Data, client: QueryClient, sending: QueuedRequestOptions) => Promise<void>;
  refused: (data: Data, error: Error) => { reason: string; data: Data } | null;
  path?: (data: Data) => string;
}): OfflineActionKind {
  const readable = (data: unknown): Data => {
    const content = kind.read(data);
    if (content === null) throw new Error(`What waits is no ${kind.name}.`);
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

/** A request that has no answer by then has none: members wait in front of a button. */
const requestTimeoutMs = 20_000;
/** How often one is tried that gets no answer while others do. */
const maxTries = 5;

/**
 * Sends at once or, where there is no connection, keeps it to be sent when there is one.
 * @param send is given what its request goes out with.
 * @returns the server's answer; null when it waits, which it also does behind others that wait.
 * @throws what `send` throws, when the failure belongs to this request alone or nothing can be kept.
 */
export async function sendOrQueue<T extends object>(
  memberId: number | null,
  action: OfflineAction,
  send: (sending: Pick<QueuedRequestOptions, 'init'>) => Promise<T>,
): Promise<T | null> {
  if (memberId === null) return send(getRequestOptions());
  if (listUnsentActions(memberId).length > 0 && enqueueAction(memberId, action)) return null;
  const wasOnline = getConnectionStatus() === 'online';
  try {
    return await send(getRequestOptions());
  } catch (error) {
    if (!isTransient(error)) throw error;
    if (wasOnline && (await isServerReachable())) throw error;
    if (!enqueueAction(memberId, action)) throw error;
    return null;
  }
}

/** Sends what waits for the member, now and whenever there is a connection again. */
export function useOfflineQueueSender(memberId: number, kinds: readonly OfflineActionKind[]): void {
  const client = useQueryClient();
  useEffect(() => startSender({ memberId, kinds, client }), [memberId, kinds, client]);
}

type Sender = { memberId: number; kinds: readonly OfflineActionKind[]; client: QueryClient };

function startSender(sender: Sender): () => void {
  const { memberId, client } = sender;
  const ending = new AbortController();
  const tries = new Map<string, number>();
  let running = false;
  let again = false;
  let notBefore = 0;
  let timer: number | undefined;

  const sendAll = async () => {
    running = true;
    try {
      do {
        again = false;
        const wait = await withSenderLock(memberId, ending.signal, () =>
          sendQueued(sender, tries, ending.signal),
        );
        if (wait !== null) later(wait);
      } while (again && isDue());
    } finally {
      running = false;
    }
  };
  const later = (milliseconds: number) => {
    notBefore = Date.now() + milliseconds;
    window.clearTimeout(timer);
    timer = window.setTimeout(kick, milliseconds);
  };
  const isDue = () => !ending.signal.aborted && getConnectionStatus() === 'online' && Date.now() >= notBefore;
  const kick = () => {
    again = true;
    if (running || !isDue() || listUnsentActions(memberId).length === 0) return;
    void sendAll();
  };
  // Another tab has sent something: it goes from here once the page shows what came of it.
  const lookAgain = async () => {
    const count = countRemovedElsewhere();
    await client.invalidateQueries().catch(() => {});
    forgetRemovedElsewhere(count);
  };

  const unsubscribe = [
    onQueueChange(kick),
    onConnectionChange(kick),
    onRemovedInOtherTab(() => void lookAgain()),
  ];
  kick();
  return () => {
    ending.abort();
    window.clearTimeout(timer);
    for (const end of unsubscribe) end();
  };
}

/** One tab at a time, where the browser has locks; plain http has none, and sending twice is harmless. */
async function withSenderLock<T>(
  memberId: number,
  ending: AbortSignal,
  task: () => Promise<T>,
): Promise<T | null> {
  if (!('locks' in navigator)) return task();
  try {
    return await navigator.locks.request(`parley.waiting.${memberId}`, { signal: ending }, task);
  } catch (error) {
    if (ending.aborted) return null;
    throw error;
  }
}

/** Returns how long to wait before going on, in milliseconds; null when nothing is left or the connection is. */
async function sendQueued(
  { memberId, kinds, client }: Sender,
  tries: Map<string, number>,
  ending: AbortSignal,
): Promise<number | null> {
  let changed = false;
  try {
    for (;;) {
      if (ending.aborted || getConnectionStatus() !== 'online') return null;
      const next = getNextAction(memberId, kinds);
      if (next === null) return null;
      const { item, kind } = next;
      try {
        await kind.send(item.data, client, getRequestOptionsFor(memberId));
        // The page shows what came of it before it goes from what waits: the cache tells of a change in a task of its own.
        await new Promise((resolve) => setTimeout(resolve));
        dequeueAction(memberId, item);
      } catch (error) {
        const count = (tries.get(item.id) ?? 0) + 1;
        tries.set(item.id, count);
        const outcome = decideAfterFailure(
          error,
          count,
          error instanceof UnreachableError && (await isServerReachable()),
        );
        if (outcome.next === 'stop') {
          if (error instanceof ApiError && error.status === 401)
            void client.invalidateQueries({ queryKey: sessionQuery.queryKey });
          return null;
        }
        if (outcome.next === 'wait') return outcome.milliseconds;
        logFailure(`Sending what waited (${item.kind})`, error);
        returnRefused(memberId, item, kind, error instanceof Error ? error : new Error(String(error)));
      }
      changed = true;
    }
  } finally {
    // What was shown before it was sent, and what the recovery fetched meanwhile, may be old by now.
    if (changed) void client.invalidateQueries();
  }
}

type Outcome = { next: 'stop' } | { next: 'wait'; milliseconds: number } | { next: 'refuse' };

/**
 * What follows when one could not be sent.
 * @param count how often it was tried. @param reachable whether the server answers other requests.
 */
export function decideAfterFailure(error: unknown, count: number, reachable: boolean): Outcome {
  if (error instanceof UnreachableError) {
    if (!reachable) return { next: 'stop' };
    return count >= maxTries ? { next: 'refuse' } : { next: 'wait', milliseconds: getRetryDelayMs(count) };
  }
  if (!(error instanceof ApiError)) return { next: 'refuse' };
  // Signed out, or somebody else is signed in: it goes on when this member is back.
  if (error.status === 401) return { next: 'stop' };
  if (error.status === 429 || isTransient(error))
    return {
      next: 'wait',
      milliseconds: Math.min((error.retryAfterSeconds ?? getRetryDelayMs(count) / 1000) * 1000, 900_000),
    };
  return { next: 'refuse' };
}

function getRetryDelayMs(count: number): number {
  return Math.min(1000 * 2 ** count, 60_000);
}

function getNextAction(
  memberId: number,
  kinds: readonly OfflineActionKind[],
): { item: QueuedAction; kind: OfflineActionKind } | null {
  for (const item of listUnsentActions(memberId)) {
    const kind = kinds.find(({ name }) => name === item.kind);
    // One of a kind that another version of this program knows is left to it.
    if (kind === undefined) continue;
    if (kind.accepts(item.data)) return { item, kind };
    dequeueAction(memberId, item);
  }
  return null;
}

function returnRefused(memberId: number, item: QueuedAction, kind: OfflineActionKind, error: Error): void {
  const returned = kind.onRefused(item.data, error);
  if (returned === null) dequeueAction(memberId, item);
  else markActionRefused(memberId, item, returned.reason, returned.data);
}

function getRequestOptions(): Pick<QueuedRequestOptions, 'init'> {
  return { init: { signal: AbortSignal.timeout(requestTimeoutMs) } };
}

function getRequestOptionsFor(memberId: number): QueuedRequestOptions {
  return { ...getRequestOptions(), headers: { [madeByHeader]: String(memberId) } };
}
