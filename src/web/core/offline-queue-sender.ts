import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { isPageRendered } from './hydration.ts';
import { useEffect } from 'react';
import { isServerReachable } from './api.ts';
import { getConnectionStatus, onConnectionChange } from './connection.ts';
import { ApiError, isTransient, logFailure, UnreachableError } from './errors.ts';
import { sessionQuery } from './session.ts';
import {
  countActionsRemovedInOtherTabs,
  dequeueAction,
  forgetActionsRemovedInOtherTabs,
  listUnsentActions,
  markActionRefused,
  onQueueChange,
  onActionRemovedInOtherTab,
  type QueuedAction,
} from './offline-queue.ts';
import type { OfflineActionKind } from './offline-action-kind.ts';
import { getRequestOptions } from './send-or-queue.ts';

/** The maximum number of tries for a request that gets no response while others do. */
const maxTries = 5;

/** Longer than the rate limits for many actions at once, in milliseconds. */
const maxWaitMs = 900_000;

/** Sends the member's queued actions on mount and whenever the connection returns. */
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
  let runAgain = false;
  let notBefore = 0;
  let timer: number | undefined;

  const sendAll = async () => {
    running = true;
    try {
      do {
        runAgain = false;
        const wait = await withSenderLock(memberId, ending.signal, () =>
          sendQueued(sender, tries, ending.signal),
        );
        if (wait !== null) scheduleRetry(wait);
      } while (runAgain && isDue());
    } finally {
      running = false;
    }
  };
  const scheduleRetry = (milliseconds: number) => {
    notBefore = Date.now() + milliseconds;
    window.clearTimeout(timer);
    timer = window.setTimeout(sendIfDue, milliseconds);
  };
  // The result would change the page before it is hydrated.
  const isDue = () =>
    !isPageRendered() &&
    !ending.signal.aborted &&
    getConnectionStatus() === 'online' &&
    Date.now() >= notBefore;
  const sendIfDue = () => {
    runAgain = true;
    if (running || !isDue() || listUnsentActions(memberId).length === 0) return;
    void sendAll();
  };
  // Another tab sent an action. It leaves the queue here once the page shows its result.
  const refetchAll = async () => {
    const count = countActionsRemovedInOtherTabs();
    await client.invalidateQueries().catch(() => {});
    forgetActionsRemovedInOtherTabs(count);
  };

  document.addEventListener('parley:hydrated', sendIfDue, { signal: ending.signal });
  const unsubscribe = [
    onQueueChange(sendIfDue),
    onConnectionChange(sendIfDue),
    onActionRemovedInOtherTab(() => void refetchAll()),
  ];
  sendIfDue();
  return () => {
    ending.abort();
    window.clearTimeout(timer);
    for (const end of unsubscribe) end();
  };
}

/** Lets one tab send at a time, where the browser has locks. Plain http has none, and sending twice is harmless. */
async function withSenderLock<T>(
  memberId: number,
  ending: AbortSignal,
  task: () => Promise<T>,
): Promise<T | null> {
  if (!('locks' in navigator)) return task();
  try {
    return await navigator.locks.request(`parley.offline-queue.${memberId}`, { signal: ending }, task);
  } catch (error) {
    if (ending.aborted) return null;
    throw error;
  }
}

/** Returns the delay before the next try, in milliseconds; null if the queue is empty or the connection is lost. */
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
        await kind.send(item.data, client, getRequestOptions(memberId));
        // Shows the result before the action leaves the queue: the cache notifies its listeners in a separate task.
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
        logFailure(`Sending a queued ${item.kind}`, error);
        returnRefused(memberId, item, kind, error instanceof Error ? error : new Error(String(error)));
      }
      changed = true;
    }
  } finally {
    // Data shown before the actions were sent, or fetched by the recovery meanwhile, may be stale.
    if (changed) void client.invalidateQueries();
  }
}

type Outcome = { next: 'stop' } | { next: 'wait'; milliseconds: number } | { next: 'refuse' };

/**
 * Decides what to do after a failed try.
 * @param count the number of tries so far.
 * @param reachable whether the server responds to other requests.
 */
export function decideAfterFailure(error: unknown, count: number, reachable: boolean): Outcome {
  if (error instanceof UnreachableError) {
    if (!reachable) return { next: 'stop' };
    return count >= maxTries ? { next: 'refuse' } : { next: 'wait', milliseconds: getRetryDelayMs(count) };
  }
  if (!(error instanceof ApiError)) return { next: 'refuse' };
  // Signed out, or another member is signed in. Sending continues when this member is back.
  if (error.status === 401) return { next: 'stop' };
  if (error.status !== 429 && !isTransient(error)) return { next: 'refuse' };
  const milliseconds =
    error.retryAfterSeconds === null ? getRetryDelayMs(count) : error.retryAfterSeconds * 1000;
  // All later actions would wait for the limit of a day that concerns only this one.
  if (error.status === 429 && milliseconds > maxWaitMs) return { next: 'refuse' };
  return { next: 'wait', milliseconds: Math.min(milliseconds, maxWaitMs) };
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
    // Written by another build, which will send it.
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
