import { useSyncExternalStore } from 'react';

const key = 'singleKeys';
const listeners = new Set<() => void>();

/**
 * Whether keys without Ctrl or ⌘ do something. Who dictates, or whose hand trembles, switches them off (WCAG 2.1.4). Kept
 * in this browser; where nothing is kept, they do.
 */
export function areSingleKeysEnabled(): boolean {
  try {
    return localStorage.getItem(key) !== 'false';
  } catch {
    return true;
  }
}

export function useSingleKeySetting(): readonly [wanted: boolean, set: (wanted: boolean) => void] {
  return [useSyncExternalStore(subscribe, areSingleKeysEnabled), storeSetting];
}

function storeSetting(wanted: boolean): void {
  try {
    localStorage.setItem(key, String(wanted));
  } catch {
    // Storage can be forbidden or full; nothing changes then, and the box shows it.
  }
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  window.addEventListener('storage', listener);
  return () => {
    listeners.delete(listener);
    window.removeEventListener('storage', listener);
  };
}
