import { hashKey, type QueryKey, useQueryClient } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useRef } from 'react';
import type { EventOn, LiveEvent, Topic } from '#shared/core/events.ts';
import { useLive } from './live.ts';

/**
 * Applies the events of a topic to a cache entry. `patch` may run twice per event: a fetch that was under way when the
 * event arrived returns older data, so `patch` runs again on the result. `onEvent` runs once per event.
 */
export function useLiveQuery<T extends Topic>(
  topic: T,
  queryKey: QueryKey,
  {
    patch,
    onEvent,
    onMissed,
  }: { patch: (event: EventOn<T>) => void; onEvent?: (event: EventOn<T>) => void; onMissed: () => void },
): void {
  const recent = useRef<{ at: number; event: LiveEvent }[]>([]);
  useLive(topic, {
    onEvents(events) {
      const now = Date.now();
      recent.current = recent.current.filter(({ at }) => at > now - replayWindowMs);
      for (const event of events) {
        recent.current.push({ at: now, event });
        patch(event);
        onEvent?.(event);
      }
    },
    onMissed,
  });
  useOnFetched(hashKey(queryKey), () => {
    const since = Date.now() - replayWindowMs;
    // Only events of this topic are in the list.
    for (const { at, event } of recent.current) if (at > since) patch(event as EventOn<T>);
  });
}

/** Longer than any fetch whose result is still shown, in milliseconds. */
const replayWindowMs = 10_000;

/** Runs `then` whenever a server response enters the cache entry. */
export function useOnFetched(hash: string, then: () => void): void {
  const client = useQueryClient();
  const fetched = useEffectEvent(then);
  useEffect(
    () =>
      client.getQueryCache().subscribe((event) => {
        if (event.type !== 'updated' || event.query.queryHash !== hash) return;
        if (event.action.type === 'success' && event.action.manual !== true) fetched();
      }),
    [client, hash],
  );
}
