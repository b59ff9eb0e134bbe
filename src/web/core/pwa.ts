import { useSyncExternalStore } from 'react';

/** Not a standard, Chromium only: https://developer.mozilla.org/docs/Web/API/BeforeInstallPromptEvent */
type BeforeInstallPromptEvent = Event & { prompt: () => Promise<{ outcome: 'accepted' | 'dismissed' }> };

let promptEvent: BeforeInstallPromptEvent | null = null;
const listeners = new Set<() => void>();

/** Stores the browser's install prompt for the settings page. Parley never opens it unasked. */
export function watchInstallPrompt(): void {
  window.addEventListener('beforeinstallprompt', (event) => {
    event.preventDefault();
    setPromptEvent(event as BeforeInstallPromptEvent);
  });
  window.addEventListener('appinstalled', () => setPromptEvent(null));
}

/** Opens the browser's install dialog; null if the app cannot be installed or already is. */
export function useInstallPrompt(): (() => Promise<void>) | null {
  const current = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => promptEvent,
    () => null,
  );
  if (current === null) return null;
  return async () => {
    // A prompt can be used once. The browser may offer another one later.
    setPromptEvent(null);
    await current.prompt();
  };
}

function setPromptEvent(next: BeforeInstallPromptEvent | null): void {
  promptEvent = next;
  for (const listener of listeners) listener();
}

/**
 * The delay before the service worker is registered, in milliseconds, so that it does not compete with the first page
 * for the network.
 */
const registrationDelayMs = 3_000;

/**
 * Registers the service worker (src/web/worker) once the first page is shown. Browsers lack service workers on plain
 * http and in some private windows; the app then needs a network. Returns a function that cancels it.
 */
export function registerServiceWorker(): () => void {
  if (import.meta.env.DEV || !('serviceWorker' in navigator)) return () => {};
  const timer = window.setTimeout(() => {
    navigator.serviceWorker.register('/service-worker.js').catch((error: unknown) => {
      console.warn('The app cannot start offline here:', error);
    });
  }, registrationDelayMs);
  return () => window.clearTimeout(timer);
}
