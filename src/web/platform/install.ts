import { useSyncExternalStore } from 'react';

/** Not a standard, and in Chromium alone: https://developer.mozilla.org/docs/Web/API/BeforeInstallPromptEvent */
type Offer = Event & { prompt: () => Promise<{ outcome: 'accepted' | 'dismissed' }> };

let offer: Offer | null = null;
const listeners = new Set<() => void>();

/** Keeps the browser's offer to install the app for whoever looks for it, in the settings; nothing asks by itself. */
export function watchForInstall(): void {
  window.addEventListener('beforeinstallprompt', (event) => {
    event.preventDefault();
    change(event as Offer);
  });
  window.addEventListener('appinstalled', () => change(null));
}

/** Asks the member by the browser's own dialog; null where the app cannot be installed, or is. */
export function useInstall(): (() => Promise<void>) | null {
  const current = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => offer,
  );
  if (current === null) return null;
  return async () => {
    // An offer holds for one answer; after a 'no' the browser makes another one when it sees fit.
    change(null);
    await current.prompt();
  };
}

function change(next: Offer | null): void {
  offer = next;
  for (const listener of listeners) listener();
}
