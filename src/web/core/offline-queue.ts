import { plural } from '@lingui/core/macro';
import { useCallback, useSyncExternalStore } from 'react';

/**
 * An action done without a connection, stored in local storage until it can be sent (docs/decisions/013). Each action
 * is an entry of its own, so that tabs writing at the same time do not overwrite each other.
 */
export type OfflineAction = {
  kind: string;
  /** A later action of the same kind for the same target replaces an earlier one. */
  target: string;
  /** The data to send, in the shape that the kind defines. */
  data: unknown;
};

export type QueuedAction = OfflineAction & {
  /** Sorts by time. */
  id: string;
  /**
   * Why the server refused the action; null while it is queued. A refused action stays until the member discards it.
   */
  refusalReason: string | null;
};

/** The maximum number of queued actions per member. Further ones are refused. */
export const maxQueuedActions = 100;

const prefix = 'parley.offline-queue';
/** As `keyOf` makes it. */
const actionKey = /^parley\.offline-queue\.(\d+)\.(.+)$/u;
const lastMemberKey = `${prefix}-member`;
const listeners = new Set<() => void>();
const snapshots = new Map<number, readonly QueuedAction[]>();
/**
 * Actions removed in another tab. They stay visible until this tab has refetched; otherwise their result would
 * disappear for a moment.
 */
let removedElsewhere: { memberId: number; item: QueuedAction }[] = [];
const removedListeners = new Set<() => void>();

/**
 * The actions in sending order. Returns the same array as long as nothing changes, and for an empty queue the one that
 * the server renders with, so that no post is rendered again after hydration.
 */
export function listQueuedActions(memberId: number): readonly QueuedAction[] {
  const cached = listeners.size > 0 ? snapshots.get(memberId) : undefined;
  if (cached !== undefined) return cached;
  const removed = removedElsewhere.filter((each) => each.memberId === memberId).map(({ item }) => item);
  const actions = keepLatestPerTarget([...readStoredActions(memberId), ...removed]);
  const list = actions.length === 0 ? none : actions;
  snapshots.set(memberId, list);
  return list;
}

/** The actions still stored in this browser, without those another tab has just sent. */
export function listUnsentActions(memberId: number): readonly QueuedAction[] {
  return keepLatestPerTarget(readStoredActions(memberId)).filter(
    ({ refusalReason }) => refusalReason === null,
  );
}

/** @param memberId null if no one is signed in; the queue is then empty. */
export function useOfflineQueue(memberId: number | null): readonly QueuedAction[] {
  const read = useCallback(() => (memberId === null ? none : listQueuedActions(memberId)), [memberId]);
  return useSyncExternalStore(onQueueChange, read, () => none);
}
const none: readonly QueuedAction[] = [];

/**
 * The state that the member has chosen and the server does not have yet; undefined if nothing is queued for this
 * target.
 */
export function useQueuedState(memberId: number | null, kind: string, target: string): unknown {
  const waits = (item: QueuedAction) =>
    item.kind === kind && item.target === target && item.refusalReason === null;
  return useOfflineQueue(memberId).find(waits)?.data;
}

/** Returns false if the action cannot be stored: no space, no storage, or a full queue. */
export function enqueueAction(memberId: number, action: OfflineAction): boolean {
  const list = keepLatestPerTarget(readStoredActions(memberId));
  if (list.filter((item) => !isSameTarget(item, action)).length >= maxQueuedActions) return false;
  const last = Number(list.at(-1)?.id.split('-')[0] ?? 0);
  const random = Math.random().toString(36).slice(2, 10);
  const id = `${String(Math.max(Date.now(), last + 1)).padStart(15, '0')}-${random}`;
  return storeAction(memberId, { ...action, id, refusalReason: null });
}

/** Removes an action and the earlier ones that it replaced. */
export function dequeueAction(memberId: number, item: QueuedAction): void {
  for (const each of readStoredActions(memberId))
    if (isSameTarget(each, item) && each.id <= item.id) localStorage.removeItem(keyOf(memberId, each.id));
  changed();
}

/** Keeps the action with the reason until the member discards it. */
export function markActionRefused(memberId: number, item: QueuedAction, reason: string, data: unknown): void {
  if (readStoredActions(memberId).some(({ id }) => id === item.id))
    storeAction(memberId, { ...item, refusalReason: reason.slice(0, 500), data });
}

export function onQueueChange(listener: () => void): () => void {
  if (listeners.size === 0) {
    snapshots.clear();
    window.addEventListener('storage', onStorageEvent);
  }
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) window.removeEventListener('storage', onStorageEvent);
  };
}

/**
 * Runs the listener when another tab removes an action. The listener refetches and then calls
 * `forgetActionsRemovedInOtherTabs`.
 */
export function onActionRemovedInOtherTab(listener: () => void): () => void {
  removedListeners.add(listener);
  return () => removedListeners.delete(listener);
}

/** @param upTo the value of `countActionsRemovedInOtherTabs` when the refetch began. */
export function forgetActionsRemovedInOtherTabs(upTo: number): void {
  if (upTo === 0) return;
  removedElsewhere = removedElsewhere.slice(upTo);
  changed();
}

export function countActionsRemovedInOtherTabs(): number {
  return removedElsewhere.length;
}

/** The member who last queued an action in this browser; null if there is none. */
export function getLastQueueMember(): number | null {
  try {
    const id = Number(localStorage.getItem(lastMemberKey) ?? Number.NaN);
    return Number.isSafeInteger(id) ? id : null;
  } catch {
    return null;
  }
}

export function formatQueuedCount(count: number): string {
  return plural(count, {
    one: '# change is waiting to be sent.',
    other: '# changes are waiting to be sent.',
  });
}

/** The latest action for each target, in order of time. */
export function keepLatestPerTarget(items: readonly QueuedAction[]): readonly QueuedAction[] {
  const sorted = items.toSorted((one, other) => (one.id < other.id ? -1 : 1));
  return sorted.filter((item, at) => !sorted.slice(at + 1).some((later) => isSameTarget(item, later)));
}

/** Parses a storage entry; null for anything that this build did not write. */
export function parseQueuedAction(id: string, text: string | null): QueuedAction | null {
  try {
    const value: unknown = JSON.parse(text ?? '');
    if (!/^\d{15}-\w+$/u.test(id) || !isObject(value)) return null;
    const { kind, target, data, refusalReason } = value;
    if (typeof kind !== 'string' || typeof target !== 'string' || !isObject(data)) return null;
    if (refusalReason !== null && typeof refusalReason !== 'string') return null;
    return { id, kind, target, data, refusalReason };
  } catch {
    return null;
  }
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isSameTarget(one: OfflineAction, other: OfflineAction): boolean {
  return one.kind === other.kind && one.target === other.target;
}

function keyOf(memberId: number, id = ''): string {
  return `${prefix}.${memberId}.${id}`;
}

function readStoredActions(memberId: number): QueuedAction[] {
  const start = keyOf(memberId);
  try {
    return Object.keys(localStorage)
      .filter((key) => key.startsWith(start))
      .map((key) => parseQueuedAction(key.slice(start.length), localStorage.getItem(key)))
      .filter((item) => item !== null);
  } catch {
    // Without storage the queue is empty.
    return [];
  }
}

/** Returns false if the action cannot be stored. */
export function storeAction(memberId: number, { id, ...value }: QueuedAction): boolean {
  try {
    localStorage.setItem(keyOf(memberId, id), JSON.stringify(value));
    localStorage.setItem(lastMemberKey, String(memberId));
  } catch {
    return false;
  }
  changed();
  return true;
}

function changed(): void {
  snapshots.clear();
  for (const listener of listeners) listener();
}

function onStorageEvent({ key, oldValue, newValue }: StorageEvent): void {
  const [, memberId, id] = actionKey.exec(key ?? '') ?? [];
  if (key !== null && id === undefined) return;
  const removed = id === undefined || newValue !== null ? null : parseQueuedAction(id, oldValue);
  if (removed !== null && removedListeners.size > 0) {
    removedElsewhere = [...removedElsewhere, { memberId: Number(memberId), item: removed }];
    for (const listener of removedListeners) listener();
  }
  changed();
}
