import { useSyncExternalStore } from 'react';

/** Not a standard, and in Chromium alone: https://developer.mozilla.org/docs/Web/API/BeforeInstallPromptEvent */
type BeforeInstallPromptEvent = Event & { prompt: () => Promise<{ outcome: 'accepted' | 'dismissed' }> };

let promptEvent: BeforeInstallPromptEvent | null = null;
const listeners = new Set<() => void>();

/** Keeps the browser's offer to install the app for whoever looks for it, in the settings; nothing asks by itself. */
export function watchInstallPrompt(): void {
  window.addEventListener('beforeinstallprompt', (event) => {
    event.preventDefault();
    setPromptEvent(event as BeforeInstallPromptEvent);
  });
  window.addEventListener('appinstalled', () => setPromptEvent(null));
}

/** Asks the member by the browser's own dialog; null where the app cannot be installed, or is. */
export function useInstallPrompt(): (() => Promise<void>) | null {
  const current = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => promptEvent,
  );
  if (current === null) return null;
  return async () => {
    // An offer holds for one answer; after a 'no' the browser makes another one when it sees fit.
    setPromptEvent(null);
    await current.prompt();
  };
}

function setPromptEvent(next: BeforeInstallPromptEvent | null): void {
  promptEvent = next;
  for (const listener of listeners) listener();
}
