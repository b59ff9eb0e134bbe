import { t } from '@lingui/core/macro';
import { createElement, useSyncExternalStore } from 'react';

/** What a message offers, such as to undo what it tells of. It must be in reach elsewhere, too: messages go. */
export type ToastAction = { label: string; run: () => void };

const loadToasts = () => Promise.all([import('@mantine/notifications'), import('./ToastMessage.tsx')]);
let isNeeded = false;
const listeners = new Set<() => void>();

/** A short message at the edge of the screen, gone after a while; an error is announced at once. */
export function toast(message: string, action?: ToastAction): void {
  void show(message, 'status', action);
}

export function toastError(message: string): void {
  void show(message, 'alert');
}

/** Fetches what shows messages with the first press: it is needed most when there is no connection any more. */
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

/** Whether there is, or will be, something for the container of messages to show. */
export function useHasToasts(): boolean {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => isNeeded,
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
    // The bar at its start; Mantine's own colours are not loaded.
    color: role === 'alert' ? 'var(--danger)' : 'var(--accent)',
    autoClose: action !== undefined ? 10_000 : role === 'alert' ? 8000 : 4000,
    withBorder: false,
    closeButtonProps: { 'aria-label': t`Close message` },
  });
}
