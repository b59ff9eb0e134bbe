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

/** How long after the first page the service worker is registered: it must not take that page's network. */
const registrationDelayMs = 3_000;

/**
 * Registers the service worker (src/web/worker) once the first page stands. Browsers have none on plain http, nor in
 * private windows of some: then the app works as ever, but only with a network. Returns what takes it back.
 */
export function registerServiceWorker(): () => void {
  if (import.meta.env.DEV || !('serviceWorker' in navigator)) return () => {};
  const timer = window.setTimeout(() => {
    navigator.serviceWorker.register('/service-worker.js').catch((error: unknown) => {
      console.warn('The app cannot start without a network here:', error);
    });
  }, registrationDelayMs);
  return () => window.clearTimeout(timer);
}
