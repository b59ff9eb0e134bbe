import { useSyncExternalStore } from 'react';

/**
 * A page outlives the build it came from: after an upgrade its programs may be gone from the server, and its own way to
 * the API grows old. Nobody is interrupted for it: the page says that there is a newer one, and takes it at the next
 * change of the page (app/NewVersionBanner.tsx).
 */

/** What the server has to say, when asked for its page: another build, this one, or nothing. */
export type VersionCheckResult = 'newer' | 'same' | 'unknown';

/** After so long out of sight, a page that is looked at again asks, in milliseconds. */
const recheckAfterMs = 60 * 60 * 1000;

/** All pages lose their connection when a server restarts; they do not all ask at once. */
const spreadMs = 20_000;

/** Which build a reload was for already. */
const triedKey = 'parley.reloaded-for';

const entryPattern = /\/assets\/index-[\w-]+\.js/u;
const ownEntry =
  document.querySelector('script[type="module"][src^="/assets/"]')?.getAttribute('src') ?? null;
let newerEntry: string | null = null;
let checkedAt = Date.now();
let checkTimer: number | undefined;
const listeners = new Set<() => void>();

export function useHasNewVersion(): boolean {
  return useSyncExternalStore(onNewVersion, hasNewVersion);
}

export function hasNewVersion(): boolean {
  return newerEntry !== null;
}

/** Looks at the moments at which an upgrade shows. Returns what ends it. */
export function watchForNewVersions(): () => void {
  const ending = new AbortController();
  const { signal } = ending;
  const look = () => void checkForNewVersion();
  const seenAgain = () => {
    if (document.visibilityState === 'visible' && Date.now() - checkedAt > recheckAfterMs) look();
  };
  document.addEventListener('visibilitychange', seenAgain, { signal });
  window.addEventListener('vite:preloadError', look, { signal });
  if ('serviceWorker' in navigator && navigator.serviceWorker.controller !== null)
    navigator.serviceWorker.addEventListener('controllerchange', look, { signal });
  return () => ending.abort();
}

/** After the live connection was lost: perhaps the server was restarted to be upgraded. */
export function scheduleVersionCheck(): void {
  window.clearTimeout(checkTimer);
  checkTimer = window.setTimeout(() => void checkForNewVersion(), Math.random() * spreadMs);
}

export async function checkForNewVersion(): Promise<VersionCheckResult> {
  if (newerEntry !== null) return 'newer';
  // In development there are no builds.
  if (ownEntry === null) return 'same';
  try {
    // Not '/': without a network the service worker would answer for that.
    const response = await fetch('/index.html', { cache: 'no-cache', signal: AbortSignal.timeout(10_000) });
    const entry = response.ok ? entryPattern.exec(await response.text())?.[0] : undefined;
    if (entry === undefined) return 'unknown';
    checkedAt = Date.now();
    if (entry === ownEntry) return 'same';
    newerEntry = entry;
  } catch {
    return 'unknown';
  }
  for (const listener of listeners) listener();
  const registration = await navigator.serviceWorker?.getRegistration().catch(() => undefined);
  void registration?.update().catch(() => {});
  return 'newer';
}

/**
 * Loads the page anew in the newer build. Once for each build only: while the nodes of a community are upgraded, one after
 * the other, the old build may come again.
 * @returns false where that was tried before.
 */
export function reloadOnce(): boolean {
  try {
    if (newerEntry === null || sessionStorage.getItem(triedKey) === newerEntry) return false;
    sessionStorage.setItem(triedKey, newerEntry);
  } catch {
    return false;
  }
  window.location.reload();
  return true;
}

function onNewVersion(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
