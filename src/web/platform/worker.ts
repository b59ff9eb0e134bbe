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
