import { t } from '@lingui/core/macro';
import { createElement, useSyncExternalStore } from 'react';

/** The action of a message, such as Undo. It must also be available elsewhere, because messages disappear. */
export type ToastAction = { label: string; run: () => void };

const loadToasts = () => Promise.all([import('@mantine/notifications'), import('./Toasts.tsx')]);
let isNeeded = false;
const listeners = new Set<() => void>();

/** Shows a short message at the edge of the screen for a while. Screen readers announce an error immediately. */
export function toast(message: string, action?: ToastAction): void {
  void show(message, 'status', action);
}

export function toastError(message: string): void {
  void show(message, 'alert');
}

/** Loads the code for messages, so that one can be shown when the connection is lost. */
export function preloadToasts(): void {
  loadToasts().catch(() => {});
}

/** Loads the code for messages with the first input, because they are needed most when the connection is lost. */
export function preloadToastsOnFirstInput(): () => void {
  const ending = new AbortController();
  const { signal } = ending;
  const fetchNow = () => {
    ending.abort();
    markNeeded();
    void loadToasts().catch(() => {});
  };
  for (const press of ['pointerdown', 'keydown'])
    window.addEventListener(press, fetchNow, { signal, passive: true });
  return () => ending.abort();
}

/** Whether the container for messages has, or will soon have, something to show. */
export function useHasToasts(): boolean {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => isNeeded,
    () => false,
  );
}

function markNeeded(): void {
  isNeeded = true;
  for (const listener of listeners) listener();
}

async function show(message: string, role: 'status' | 'alert', action?: ToastAction): Promise<void> {
  markNeeded();
  const [{ notifications }, { ToastMessage }] = await loadToasts();
  const id = notifications.show({
    message:
      action === undefined
        ? message
        : createElement(ToastMessage, {
            message,
            label: action.label,
            onPress: () => {
              notifications.hide(id);
              action.run();
            },
          }),
    role,
    // The bar at the start of the message. Mantine's own colors are not loaded.
    color: role === 'alert' ? 'var(--danger)' : 'var(--accent)',
    autoClose: action !== undefined ? 10_000 : role === 'alert' ? 8000 : 4000,
    withBorder: false,
    closeButtonProps: { 'aria-label': t`Close message` },
  });
}
