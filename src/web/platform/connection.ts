import { useSyncExternalStore } from 'react';

/** How the last requests fared: answered, not answered at all, or refused by a restarting or busy server (502 to 504). */
export type Connection = 'online' | 'offline' | 'restarting' | 'busy';

let current: Connection = navigator.onLine ? 'online' : 'offline';
const listeners = new Set<() => void>();

export function connection(): Connection {
  return current;
}

export function reportConnection(next: Connection): void {
  if (next === current) return;
  current = next;
  for (const listener of listeners) listener();
}

export function onConnectionChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function useConnection(): Connection {
  return useSyncExternalStore(onConnectionChange, connection);
}

/**
 * Asks again and again while there is no connection, so that the page recovers by itself.
 * @param probe any cheap request; it reports its own outcome by `reportConnection`.
 * @param recovered runs once for each recovery.
 */
export function keepProbing(probe: () => Promise<unknown>, recovered: () => void): () => void {
  let timer: number | undefined;
  let wasDown = current !== 'online';

  const schedule = () => {
    window.clearTimeout(timer);
    if (current === 'online') return;
    timer = window.setTimeout(
      () =>
        void probe()
          .catch(() => {})
          .finally(schedule),
      2000,
    );
  };
  const changed = () => {
    if (current !== 'online') wasDown = true;
    else if (wasDown) {
      wasDown = false;
      recovered();
    }
    schedule();
  };
  const online = () => void probe().catch(() => {});

  const unsubscribe = onConnectionChange(changed);
  window.addEventListener('offline', reportOffline);
  window.addEventListener('online', online);
  schedule();
  return () => {
    window.clearTimeout(timer);
    unsubscribe();
    window.removeEventListener('offline', reportOffline);
    window.removeEventListener('online', online);
  };
}

function reportOffline(): void {
  reportConnection('offline');
}
