import { plural, t } from '@lingui/core/macro';
import { hashKey, type QueryKey, useQueryClient } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useMemo, useRef, useState } from 'react';
import type { EventOn, LiveEvent, Topic } from '#shared/core/events.ts';
import { throttle } from './throttle.ts';
import { useLive } from './live.ts';

/** Items that came in and wait, because bringing them would move what is being read (docs/product.md 16.6). */
export type PendingNewItems = {
  /** What the pill says: '2 new questions'; null where nothing waits. */
  pill: string | null;
  /** Brings them. */
  show: () => void;
};

export type LiveList<Id> = PendingNewItems & {
  /** An item belongs into the list that it may not show yet. */
  addItem: (id: Id) => void;
  /** More came in than can be told one by one. */
  addMany: () => void;
  removeItem: (id: Id) => void;
  /** What the list shows may have to move: it does where its top is in view. */
  reorder: () => void;
  /** Fetches the list again soon, once for a burst of calls. */
  refresh: () => void;
};

type PendingItems<Id> = { hash: string; ids: ReadonlySet<Id>; many: boolean };

const refreshIntervalMs = 1500;

/** Everybody's list changed at once: spread over this time, they do not all ask at once. */
const spreadMs = 4000;

/**
 * What comes into a list enters at once where its top is in view, and waits otherwise.
 * @param noun what the list holds.
 * @param holds whether the list shows the item of an id.
 */
export function useLiveList<Id extends number | string>(
  queryKey: QueryKey,
  noun: ListNoun,
  holds: (id: Id) => boolean,
): LiveList<Id> {
  const client = useQueryClient();
  const hash = hashKey(queryKey);
  const [state, setState] = useState<PendingItems<Id>>({ hash, ids: new Set(), many: false });
  // Of another list, when what is shown changed.
  const { ids, many } = state.hash === hash ? state : { ids: new Set<Id>(), many: false };
  const {
    refresh,
    arrive,
    arriveMany: addMany,
    leave,
    settle,
  } = useMemo(() => {
    const fetchAgain = () =>
      void client.invalidateQueries({ predicate: (query) => query.queryHash === hash });
    const arriving = { ids: new Set<Id>(), many: false };
    const enterOrWait = () => {
      const came = { ids: [...arriving.ids], many: arriving.many };
      arriving.ids.clear();
      arriving.many = false;
      // The reader may have scrolled down since it came.
      if (isAtTop()) return fetchAgain();
      setState((before) => {
        const { ids, many } = before.hash === hash ? before : { ids: [], many: false };
        return { hash, ids: new Set([...ids, ...came.ids]), many: many || came.many };
      });
    };
    const settle = throttle(enterOrWait, refreshIntervalMs);
    const settleLater = throttle(enterOrWait, refreshIntervalMs, spreadMs);
    return {
      refresh: throttle(fetchAgain, refreshIntervalMs),
      settle,
      arrive: (id: Id) => {
        arriving.ids.add(id);
        settle();
      },
      arriveMany: () => {
        arriving.many = true;
        settleLater();
      },
      leave: (id: Id) => void arriving.ids.delete(id),
    };
  }, [client, hash]);
  const drop = (gone: (id: Id) => boolean) =>
    setState((before) => ({ ...before, ids: without(before.ids, gone) }));
  useOnFetched(hash, () => drop(holds));

  return {
    pill: getPillText(ids.size, many, noun),
    show() {
      setState({ hash, ids: new Set(), many: false });
      void client.invalidateQueries({ queryKey, exact: true });
      window.scrollTo({ top: 0 });
    },
    addItem(id) {
      if (!holds(id)) arrive(id);
    },
    addMany,
    removeItem(id) {
      leave(id);
      drop((each) => each === id);
    },
    reorder() {
      if (isAtTop()) settle();
    },
    refresh,
  };
}

/**
 * Listens to a topic for an entry of the cache. `patch` sets what an event says and may run twice: a fetch that was under
 * way when the event came would bring back what was before, so it runs again over what is fetched. `heard` does what
 * should be done once.
 */
export function useLiveQuery<T extends Topic>(
  topic: T,
  queryKey: QueryKey,
  {
    patch,
    heard,
    onMissed,
  }: { patch: (event: EventOn<T>) => void; heard?: (event: EventOn<T>) => void; onMissed: () => void },
): void {
  const recent = useRef<{ at: number; event: LiveEvent }[]>([]);
  useLive(topic, {
    onEvents(events) {
      const now = Date.now();
      recent.current = recent.current.filter(({ at }) => at > now - replayWindowMs);
      for (const event of events) {
        recent.current.push({ at: now, event });
        patch(event);
        heard?.(event);
      }
    },
    onMissed,
  });
  useOnFetched(hashKey(queryKey), () => {
    const since = Date.now() - replayWindowMs;
    // Only events of the topic were kept.
    for (const { at, event } of recent.current) if (at > since) patch(event as EventOn<T>);
  });
}

/** Longer than a fetch takes of which anybody would still see what it brings. */
const replayWindowMs = 10_000;

/** Nothing above the list's first item is out of view: what comes in first moves nothing being read. */
const isAtTop = () => window.scrollY < 80;

/** Runs `then` whenever the server's answer enters an entry of the cache. */
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
  topic: (count: number) => plural(count, { one: '# new topic', other: '# new topics' }),
  notification: (count: number) => plural(count, { one: '# new notification', other: '# new notifications' }),
};
type ListNoun = keyof typeof pills;

const uncountedPills = {
  question: () => t`New questions`,
  answer: () => t`New answers`,
  topic: () => t`New topics`,
  notification: () => t`New notifications`,
} satisfies Record<ListNoun, () => string>;

function getPillText(count: number, many: boolean, noun: ListNoun): string | null {
  if (count > 0) return pills[noun](count);
  return many ? uncountedPills[noun]() : null;
}

function without<Id>(ids: ReadonlySet<Id>, gone: (id: Id) => boolean): ReadonlySet<Id> {
  const left = new Set([...ids].filter((id) => !gone(id)));
  return left.size === ids.size ? ids : left;
}
