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
 * Probes the server repeatedly while there is no connection, so that the page recovers on its own.
 * @param probe any cheap request; it reports its own outcome with `setConnectionStatus`.
 * @param recovered runs once per recovery.
 */
export function watchConnection(probe: () => Promise<unknown>, recovered: () => void): () => void {
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
  window.addEventListener('offline', setOffline);
  window.addEventListener('online', online);
  // The connection may have been lost before.
  if (!navigator.onLine) setOffline();
  schedule();
  return () => {
    window.clearTimeout(timer);
    unsubscribe();
    window.removeEventListener('offline', setOffline);
    window.removeEventListener('online', online);
  };
}

function setOffline(): void {
  setConnectionStatus('offline');
}
