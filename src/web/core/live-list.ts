import { plural, t } from '@lingui/core/macro';
import { hashKey, type QueryKey, useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { throttle } from './timing.ts';
import { useOnFetched } from './live-query.ts';

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
  const { refresh, add, addMany, remove, flushLater } = useMemo(() => {
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
      flushLater,
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
      if (isAtTop()) flushLater();
    },
    refresh,
  };
}

/** Nothing above the first item is out of view, so a new item moves no text being read. */
const isAtTop = () => window.scrollY < 80;

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
