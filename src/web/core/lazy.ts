import { lazy } from 'react';
import { getConnectionStatus, onConnectionChange } from './connection.ts';
import { UnreachableError } from './errors.ts';
import { checkForNewVersion, reloadOnce } from './app-version.ts';

/** Like React's `lazy`, but retries. Without a connection the Suspense fallback stays until the part can be loaded. */
export const lazyComponent: typeof lazy = (load) => lazy(() => retryUntilLoaded(load));

/** Milliseconds until the next try if the server responds but loading the chunk fails. */
const retryDelayMs = 5_000;

/** Loads a chunk, with retries until it succeeds. */
export async function retryUntilLoaded<Result>(load: () => Promise<Result>): Promise<Result> {
  for (;;) {
    try {
      return await load();
    } catch (error) {
      await waitForConnectionOrDelay();
      // A page that is being left aborts its downloads. By then it is gone and logs nothing.
      console.error('Failed to load a part of the page:', error);
    }
  }
}

function waitForConnectionOrDelay(): Promise<void> {
  return new Promise((resolve) => {
    const timer = window.setTimeout(proceed, retryDelayMs);
    const unsubscribe = onConnectionChange(() => getConnectionStatus() === 'online' && proceed());
    function proceed() {
      window.clearTimeout(timer);
      unsubscribe();
      resolve();
    }
  });
}

/**
 * Loads a component of a page that is being opened. If the server has another build, the page is reloaded. If the server
 * is unreachable, a reload would show the browser's error page instead of Parley's, which recovers when the connection
 * returns.
 */
export async function loadOrReload<Component>(load: () => Promise<Component>): Promise<Component> {
  try {
    return await load();
  } catch (error) {
    const version = await checkForNewVersion();
    if (version === 'unknown') throw new UnreachableError('The page cannot be loaded.', { cause: error });
    // The page is about to be left.
    if (version === 'newer' && reloadOnce()) return new Promise(() => {});
    throw error;
  }
}
