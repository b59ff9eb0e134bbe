import { plural, t } from '@lingui/core/macro';
import { hashKey, type QueryKey, useQueryClient } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useMemo, useRef, useState } from 'react';
import type { EventOn, LiveEvent, Topic } from '#shared/core/events.ts';
import { throttle } from './timing.ts';
import { useLive } from './live.ts';

/** New items that are held back because showing them would move the text being read (docs/product.md 16.6). */
export type PendingNewItems = {
  /** The text of the button, such as '2 new questions'; null if nothing is held back. */
  pill: string | null;
  /** Shows the new items. */
  show: () => void;
};

export type LiveList<Id> = PendingNewItems & {
  /** The list has a new item, which it may not show yet. */
  addItem: (id: Id) => void;
  /** More items are new than can be listed. */
  addMany: () => void;
  removeItem: (id: Id) => void;
  /** The order may have changed. Refetches if the top of the list is in view. */
  reorder: () => void;
  /** Refetches the list soon, once per burst of calls. */
  refresh: () => void;
};

type PendingItems<Id> = { hash: string; ids: ReadonlySet<Id>; many: boolean };

const refreshIntervalMs = 1500;

/** An event that concerns every reader's list: their requests are spread over this time, in milliseconds. */
const spreadMs = 4000;

/**
 * New items of a list appear immediately if its top is in view and are held back otherwise.
 * @param noun what the list contains.
 * @param includes whether the list shows the item with an id.
 */
export function useLiveList<Id extends number | string>(
  queryKey: QueryKey,
  noun: ListNoun,
  includes: (id: Id) => boolean,
): LiveList<Id> {
  const client = useQueryClient();
  const hash = hashKey(queryKey);
  const [state, setState] = useState<PendingItems<Id>>({ hash, ids: new Set(), many: false });
  // The state of another list, if the query changed.
  const { ids, many } = state.hash === hash ? state : { ids: new Set<Id>(), many: false };
  const { refresh, add, addMany, remove, flush } = useMemo(() => {
    const fetchAgain = () =>
      void client.invalidateQueries({ predicate: (query) => query.queryHash === hash });
    const incoming = { ids: new Set<Id>(), many: false };
    const applyOrHold = () => {
      const received = { ids: [...incoming.ids], many: incoming.many };
      incoming.ids.clear();
      incoming.many = false;
      // The reader may have scrolled down since the event.
      if (isAtTop()) return fetchAgain();
      setState((before) => {
        const { ids, many } = before.hash === hash ? before : { ids: [], many: false };
        return { hash, ids: new Set([...ids, ...received.ids]), many: many || received.many };
      });
    };
    const flush = throttle(applyOrHold, refreshIntervalMs);
    const flushLater = throttle(applyOrHold, refreshIntervalMs, spreadMs);
    return {
      refresh: throttle(fetchAgain, refreshIntervalMs),
      flush,
      add: (id: Id) => {
        incoming.ids.add(id);
        flush();
      },
      addMany: () => {
        incoming.many = true;
        flushLater();
      },
      remove: (id: Id) => void incoming.ids.delete(id),
    };
  }, [client, hash]);
  const drop = (shouldRemove: (id: Id) => boolean) =>
    setState((before) => ({ ...before, ids: without(before.ids, shouldRemove) }));
  useOnFetched(hash, () => drop(includes));

  return {
    pill: getPillText(ids.size, many, noun),
    show() {
      setState({ hash, ids: new Set(), many: false });
      void client.invalidateQueries({ queryKey, exact: true });
      window.scrollTo({ top: 0 });
    },
    addItem(id) {
      if (!includes(id)) add(id);
    },
    addMany,
    removeItem(id) {
      remove(id);
      drop((each) => each === id);
    },
    reorder() {
      if (isAtTop()) flush();
    },
    refresh,
  };
}

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

/** Nothing above the first item is out of view, so a new item moves no text being read. */
const isAtTop = () => window.scrollY < 80;

/** Runs `then` whenever a server response enters the cache entry. */
function useOnFetched(hash: string, then: () => void): void {
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

const pills = {
  question: (count: number) => plural(count, { one: '# new question', other: '# new questions' }),
  answer: (count: number) => plural(count, { one: '# new answer', other: '# new answers' }),
  tag: (count: number) => plural(count, { one: '# new topic', other: '# new topics' }),
  notification: (count: number) => plural(count, { one: '# new notification', other: '# new notifications' }),
};
type ListNoun = keyof typeof pills;

const uncountedPills = {
  question: () => t`New questions`,
  answer: () => t`New answers`,
  tag: () => t`New topics`,
  notification: () => t`New notifications`,
} satisfies Record<ListNoun, () => string>;

function getPillText(count: number, many: boolean, noun: ListNoun): string | null {
  if (count > 0) return pills[noun](count);
  return many ? uncountedPills[noun]() : null;
}

function without<Id>(ids: ReadonlySet<Id>, shouldRemove: (id: Id) => boolean): ReadonlySet<Id> {
  const remaining = new Set([...ids].filter((id) => !shouldRemove(id)));
  return remaining.size === ids.size ? ids : remaining;
}
