import { t } from '@lingui/core/macro';
import { useSyncExternalStore } from 'react';
import {
  areSingleKeysEnabled,
  isMac,
  singleKeysKey,
  type ShortcutGroup,
  type ShortcutName,
  shortcuts,
} from './keyboard-shortcuts.ts';

export type Shortcut = { name: ShortcutName; keys: string };

export function listShortcuts(group: ShortcutGroup): Shortcut[] {
  return Object.entries(shortcuts)
    .filter(([, shortcut]) => shortcut.group === group)
    .map(([name, { keys }]) => ({ name: name as ShortcutName, keys }));
}

/** The label of the Mod key on this platform. */
export function getModKeyLabel(): string {
  return isMac ? '⌘' : t`Ctrl`;
}

const listeners = new Set<() => void>();

export function useSingleKeySetting(): readonly [wanted: boolean, set: (wanted: boolean) => void] {
  return [useSyncExternalStore(subscribe, areSingleKeysEnabled, () => true), storeSetting];
}

function storeSetting(wanted: boolean): void {
  try {
    localStorage.setItem(singleKeysKey, String(wanted));
  } catch {
    // Storage can be blocked or full. Nothing changes then, and the checkbox shows it.
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
