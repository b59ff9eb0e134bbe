import { useSyncExternalStore } from 'react';

/**
 * The outcome of the last requests: a response, no response, or a refusal by a restarting or busy server (502 to 504).
 */
export type ConnectionStatus = 'online' | 'offline' | 'restarting' | 'busy';

let current: ConnectionStatus = import.meta.env.SSR || navigator.onLine ? 'online' : 'offline';
const listeners = new Set<() => void>();

export function getConnectionStatus(): ConnectionStatus {
  return current;
}

export function setConnectionStatus(next: ConnectionStatus): void {
  if (next === current) return;
  current = next;
  for (const listener of listeners) listener();
}

export function onConnectionChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function useConnectionStatus(): ConnectionStatus {
  return useSyncExternalStore(onConnectionChange, getConnectionStatus, () => 'online');
}

/**
 * The least time from one recovery from a busy server to the next, in milliseconds. A busy server refuses some requests
 * and answers others, and each recovery repeats all of them.
 */
const busyRecoveryIntervalMs = 30_000;

/**
 * Probes the server repeatedly while there is no connection, so that the page recovers on its own.
 * @param probe any cheap request; it reports its own outcome with `setConnectionStatus`.
 * @param recovered runs once per recovery, and not again soon if the server is only busy.
 */
export function watchConnection(probe: () => Promise<unknown>, recovered: () => void): () => void {
  let timer: number | undefined;
  let recovery: number | undefined;
  let recoveredAt = -busyRecoveryIntervalMs;
  let downAs: ConnectionStatus | null = current === 'online' ? null : current;

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
  const recover = () => {
    downAs = null;
    recoveredAt = performance.now();
    recovered();
  };
  const changed = () => {
    window.clearTimeout(recovery);
    if (current !== 'online') {
      // A server that starts is busy first.
      if (downAs === null || downAs === 'busy') downAs = current;
    } else if (downAs !== null) {
      const wait = downAs === 'busy' ? recoveredAt + busyRecoveryIntervalMs - performance.now() : 0;
      if (wait > 0) recovery = window.setTimeout(recover, wait);
      else recover();
    }
    schedule();
  };
  const online = () => void probe().catch(() => {});

  const unsubscribe = onConnectionChange(changed);
  window.addEventListener('offline', setOffline);
  window.addEventListener('online', online);
  // The connection may have been lost before.
  if (!navigator.onLine) setOffline();
  schedule();
  return () => {
    window.clearTimeout(timer);
    window.clearTimeout(recovery);
    unsubscribe();
    window.removeEventListener('offline', setOffline);
    window.removeEventListener('online', online);
  };
}

function setOffline(): void {
  setConnectionStatus('offline');
}
