import { plural } from '@lingui/core/macro';
import { useCallback, useSyncExternalStore } from 'react';

/**
 * What a member does without a connection, kept in local storage until it can be sent (docs/decisions/013). One entry
 * of the storage each, so that tabs that write at the same moment take nothing from each other.
 */
export type OfflineAction = {
  kind: string;
  /** A later action of the same kind for the same target takes the place of an earlier one. */
  target: string;
  /** What is to be sent, as the kind has it. */
  data: unknown;
};

export type QueuedAction = OfflineAction & {
  /** Sorts by time. */
  id: string;
  /** Why the server refused it; null while it is still to be sent. A refused one stays until it is taken back. */
  refusalReason: string | null;
};

/** What one member can have waiting; more is refused as if nothing could be kept. */
export const maxQueuedActions = 100;

const prefix = 'parley.waiting';
const lastMemberKey = `${prefix}-member`;
const listeners = new Set<() => void>();
const snapshots = new Map<number, readonly QueuedAction[]>();
/** Taken off in another tab, and shown until this one has looked again: else it would go for a moment. */
let removedElsewhere: { memberId: number; item: QueuedAction }[] = [];
const removedListeners = new Set<() => void>();

/** In the order to be sent. The same list as long as nothing changes. */
export function listQueuedActions(memberId: number): readonly QueuedAction[] {
  const known = listeners.size > 0 ? snapshots.get(memberId) : undefined;
  if (known !== undefined) return known;
  const gone = removedElsewhere.filter((each) => each.memberId === memberId).map(({ item }) => item);
  const list = keepLatestPerTarget([...readStoredActions(memberId), ...gone]);
  snapshots.set(memberId, list);
  return list;
}

/** Those that this browser still holds, without what another tab has just sent. */
export function listUnsentActions(memberId: number): readonly QueuedAction[] {
  return keepLatestPerTarget(readStoredActions(memberId)).filter(
    ({ refusalReason }) => refusalReason === null,
  );
}

/** @param memberId null: nobody is signed in, nothing waits. */
export function useOfflineQueue(memberId: number | null): readonly QueuedAction[] {
  const read = useCallback(() => (memberId === null ? none : listQueuedActions(memberId)), [memberId]);
  return useSyncExternalStore(onQueueChange, read);
}
const none: readonly QueuedAction[] = [];

/** The state a member wants and the server does not know yet; undefined where nothing waits for this target. */
export function useQueuedState(memberId: number | null, kind: string, target: string): unknown {
  const waits = (item: QueuedAction) =>
    item.kind === kind && item.target === target && item.refusalReason === null;
  return useOfflineQueue(memberId).find(waits)?.data;
}

/** False when this browser cannot keep it: no room, no storage, or too much waits already. */
export function enqueueAction(memberId: number, action: OfflineAction): boolean {
  const list = keepLatestPerTarget(readStoredActions(memberId));
  if (list.filter((item) => !isSameTarget(item, action)).length >= maxQueuedActions) return false;
  const last = Number(list.at(-1)?.id.split('-')[0] ?? 0);
  const random = Math.random().toString(36).slice(2, 10);
  const id = `${String(Math.max(Date.now(), last + 1)).padStart(15, '0')}-${random}`;
  return write(memberId, { ...action, id, refusalReason: null });
}

/** Takes it off, and with it the earlier ones that it has taken the place of. */
export function dequeueAction(memberId: number, item: QueuedAction): void {
  for (const each of readStoredActions(memberId))
    if (isSameTarget(each, item) && each.id <= item.id) localStorage.removeItem(keyOf(memberId, each.id));
  changed();
}

/** Keeps it with the reason, until the member takes it back. */
export function markActionRefused(memberId: number, item: QueuedAction, reason: string, data: unknown): void {
  if (readStoredActions(memberId).some(({ id }) => id === item.id))
    write(memberId, { ...item, refusalReason: reason.slice(0, 500), data });
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

/** Hears when another tab took something off; whoever hears looks again and then calls `forgetLeaving`. */
export function onRemovedInOtherTab(listener: () => void): () => void {
  removedListeners.add(listener);
  return () => removedListeners.delete(listener);
}

/** @param upTo as many as there were when one began to look again. */
export function forgetRemovedElsewhere(upTo: number): void {
  if (upTo === 0) return;
  removedElsewhere = removedElsewhere.slice(upTo);
  changed();
}

export function countRemovedElsewhere(): number {
  return removedElsewhere.length;
}

/** Who did something without a connection last, in this browser; null when nobody did. */
export function getLastQueueMember(): number | null {
  try {
    const id = Number(localStorage.getItem(lastMemberKey) ?? Number.NaN);
    return Number.isSafeInteger(id) ? id : null;
  } catch {
    return null;
  }
}

export function formatQueuedCount(count: number): string {
  return plural(count, { one: '# change waits to be sent.', other: '# changes wait to be sent.' });
}

/** The latest for each target, in the order of time. */
export function keepLatestPerTarget(items: readonly QueuedAction[]): readonly QueuedAction[] {
  const sorted = items.toSorted((one, other) => (one.id < other.id ? -1 : 1));
  return sorted.filter((item, at) => !sorted.slice(at + 1).some((later) => isSameTarget(item, later)));
}

/** What an entry of the storage says; null for anything that this program did not write. */
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

function isSameTarget(one: OfflineAction, other: OfflineAction): boolean {
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
    // Storage can be switched off: then nothing waits.
    return [];
  }
}

function write(memberId: number, { id, ...value }: QueuedAction): boolean {
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
  const [, memberId, id] = /^parley\.waiting\.(\d+)\.(.+)$/u.exec(key ?? '') ?? [];
  if (key !== null && id === undefined) return;
  const gone = id === undefined || newValue !== null ? null : parseQueuedAction(id, oldValue);
  if (gone !== null && removedListeners.size > 0) {
    removedElsewhere = [...removedElsewhere, { memberId: Number(memberId), item: gone }];
    for (const listener of removedListeners) listener();
  }
  changed();
}
