import { plural } from '@lingui/core/macro';
import { useCallback, useSyncExternalStore } from 'react';

/**
 * What a member does without a connection, kept in local storage until it can be sent (docs/decisions/013). One entry
 * of the storage each, so that tabs that write at the same moment take nothing from each other.
 */
export type Action = {
  kind: string;
  /** A later action of the same kind for the same target takes the place of an earlier one. */
  target: string;
  /** What is to be sent, as the kind has it. */
  data: unknown;
};

export type Waiting = Action & {
  /** Sorts by time. */
  id: string;
  /** Why the server refused it; null while it is still to be sent. A refused one stays until it is taken back. */
  refused: string | null;
};

/** What one member can have waiting; more is refused as if nothing could be kept. */
export const maxWaiting = 100;

const prefix = 'parley.waiting';
const lastMemberKey = `${prefix}-member`;
const listeners = new Set<() => void>();
const snapshots = new Map<number, readonly Waiting[]>();
/** Taken off in another tab, and shown until this one has looked again: else it would go for a moment. */
let leaving: { memberId: number; item: Waiting }[] = [];
const takenElsewhere = new Set<() => void>();

/** In the order to be sent. The same list as long as nothing changes. */
export function waitingOf(memberId: number): readonly Waiting[] {
  const known = listeners.size > 0 ? snapshots.get(memberId) : undefined;
  if (known !== undefined) return known;
  const gone = leaving.filter((each) => each.memberId === memberId).map(({ item }) => item);
  const list = effective([...stored(memberId), ...gone]);
  snapshots.set(memberId, list);
  return list;
}

/** Those that this browser still holds, without what another tab has just sent. */
export function toBeSent(memberId: number): readonly Waiting[] {
  return effective(stored(memberId)).filter(({ refused }) => refused === null);
}

/** @param memberId null: nobody is signed in, nothing waits. */
export function useWaiting(memberId: number | null): readonly Waiting[] {
  const read = useCallback(() => (memberId === null ? none : waitingOf(memberId)), [memberId]);
  return useSyncExternalStore(onWaitingChange, read);
}
const none: readonly Waiting[] = [];

/** The state a member wants and the server does not know yet; undefined where nothing waits for this target. */
export function useWanted(memberId: number | null, kind: string, target: string): unknown {
  const waits = (item: Waiting) => item.kind === kind && item.target === target && item.refused === null;
  return useWaiting(memberId).find(waits)?.data;
}

/** False when this browser cannot keep it: no room, no storage, or too much waits already. */
export function addWaiting(memberId: number, action: Action): boolean {
  const list = effective(stored(memberId));
  if (list.filter((item) => !isSameTarget(item, action)).length >= maxWaiting) return false;
  const last = Number(list.at(-1)?.id.split('-')[0] ?? 0);
  const random = Math.random().toString(36).slice(2, 10);
  const id = `${String(Math.max(Date.now(), last + 1)).padStart(15, '0')}-${random}`;
  return write(memberId, { ...action, id, refused: null });
}

/** Takes it off, and with it the earlier ones that it has taken the place of. */
export function removeWaiting(memberId: number, item: Waiting): void {
  for (const each of stored(memberId))
    if (isSameTarget(each, item) && each.id <= item.id) localStorage.removeItem(keyOf(memberId, each.id));
  changed();
}

/** Keeps it with the reason, until the member takes it back. */
export function refuseWaiting(memberId: number, item: Waiting, reason: string, data: unknown): void {
  if (stored(memberId).some(({ id }) => id === item.id))
    write(memberId, { ...item, refused: reason.slice(0, 500), data });
}

export function onWaitingChange(listener: () => void): () => void {
  if (listeners.size === 0) {
    snapshots.clear();
    window.addEventListener('storage', hearOtherTabs);
  }
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) window.removeEventListener('storage', hearOtherTabs);
  };
}

/** Hears when another tab took something off; whoever hears looks again and then calls `forgetLeaving`. */
export function onTakenElsewhere(listener: () => void): () => void {
  takenElsewhere.add(listener);
  return () => takenElsewhere.delete(listener);
}

/** @param upTo as many as there were when one began to look again. */
export function forgetLeaving(upTo: number): void {
  if (upTo === 0) return;
  leaving = leaving.slice(upTo);
  changed();
}

export function leavingCount(): number {
  return leaving.length;
}

/** Who did something without a connection last, in this browser; null when nobody did. */
export function lastMember(): number | null {
  try {
    const id = Number(localStorage.getItem(lastMemberKey) ?? Number.NaN);
    return Number.isSafeInteger(id) ? id : null;
  } catch {
    return null;
  }
}

export function changesWait(count: number): string {
  return plural(count, { one: '# change waits to be sent.', other: '# changes wait to be sent.' });
}

/** The latest for each target, in the order of time. */
export function effective(items: readonly Waiting[]): readonly Waiting[] {
  const sorted = items.toSorted((one, other) => (one.id < other.id ? -1 : 1));
  return sorted.filter((item, at) => !sorted.slice(at + 1).some((later) => isSameTarget(item, later)));
}

/** What an entry of the storage says; null for anything that this program did not write. */
export function parseWaiting(id: string, text: string | null): Waiting | null {
  try {
    const value: unknown = JSON.parse(text ?? '');
    if (!/^\d{15}-\w+$/u.test(id) || !isObject(value)) return null;
    const { kind, target, data, refused } = value;
    if (typeof kind !== 'string' || typeof target !== 'string' || !isObject(data)) return null;
    if (refused !== null && typeof refused !== 'string') return null;
    return { id, kind, target, data, refused };
  } catch {
    return null;
  }
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isSameTarget(one: Action, other: Action): boolean {
  return one.kind === other.kind && one.target === other.target;
}

function keyOf(memberId: number, id = ''): string {
  return `${prefix}.${memberId}.${id}`;
}

function stored(memberId: number): Waiting[] {
  const start = keyOf(memberId);
  try {
    return Object.keys(localStorage)
      .filter((key) => key.startsWith(start))
      .map((key) => parseWaiting(key.slice(start.length), localStorage.getItem(key)))
      .filter((item) => item !== null);
  } catch {
    // Storage can be switched off: then nothing waits.
    return [];
  }
}

function write(memberId: number, { id, ...value }: Waiting): boolean {
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

function hearOtherTabs({ key, oldValue, newValue }: StorageEvent): void {
  const [, memberId, id] = /^parley\.waiting\.(\d+)\.(.+)$/u.exec(key ?? '') ?? [];
  if (key !== null && id === undefined) return;
  const gone = id === undefined || newValue !== null ? null : parseWaiting(id, oldValue);
  if (gone !== null && takenElsewhere.size > 0) {
    leaving = [...leaving, { memberId: Number(memberId), item: gone }];
    for (const listener of takenElsewhere) listener();
  }
  changed();
}
