import { useSyncExternalStore } from 'react';

/**
 * Detects new builds. After an upgrade the server may no longer have the chunks of the build that a page runs, and the
 * page's API calls become outdated. The page shows a notice and loads the new build at the next navigation
 * (app/NewVersionBanner.tsx), so no one is interrupted.
 */

/**
 * The result of comparing the entry script of the server's page with the running one: another build, the same one, or
 * no response.
 */
export type VersionCheckResult = 'newer' | 'same' | 'unknown';

/** A page that was hidden for this long checks again when it becomes visible, in milliseconds. */
const recheckAfterMs = 60 * 60 * 1000;

/** All pages lose their connection when a server restarts. The checks are spread over this time, in milliseconds. */
const spreadMs = 20_000;

/** Session storage: the build that a reload has already been tried for. */
const triedKey = 'parley.reloaded-for';

const entryPattern = /\/assets\/index-[\w-]+\.js/u;
const ownEntry =
  globalThis.document?.querySelector('script[type="module"][src^="/assets/"]')?.getAttribute('src') ?? null;
let newerEntry: string | null = null;
let checkedAt = Date.now();
let checkTimer: number | undefined;
const listeners = new Set<() => void>();

export function useHasNewVersion(): boolean {
  return useSyncExternalStore(onNewVersion, hasNewVersion, () => false);
}

export function hasNewVersion(): boolean {
  return newerEntry !== null;
}

/** Checks for a new build at the moments when an upgrade becomes visible. */
export function watchForNewVersions(): void {
  const check = () => void checkForNewVersion();
  const onVisible = () => {
    if (document.visibilityState === 'visible' && Date.now() - checkedAt > recheckAfterMs) check();
  };
  document.addEventListener('visibilitychange', onVisible);
  window.addEventListener('vite:preloadError', check);
  if ('serviceWorker' in navigator && navigator.serviceWorker.controller !== null)
    navigator.serviceWorker.addEventListener('controllerchange', check);
}

/** Checks after the live connection was lost, since the server may have restarted for an upgrade. */
export function scheduleVersionCheck(): void {
  window.clearTimeout(checkTimer);
  checkTimer = window.setTimeout(() => void checkForNewVersion(), Math.random() * spreadMs);
}

export async function checkForNewVersion(): Promise<VersionCheckResult> {
  if (newerEntry !== null) return 'newer';
  // There are no builds in development.
  if (ownEntry === null) return 'same';
  try {
    // Not '/': the service worker would respond to that without a network.
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
 * Reloads the page to get the newer build. Once per build only: while the nodes of a cluster are upgraded one after
 * another, the old build may be served again.
 * @returns false if a reload was already tried for this build.
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
