import { lazy } from 'react';
import { getConnectionStatus, onConnectionChange } from './connection.ts';
import { lazyRouteComponent as lazyRoute } from '@tanstack/react-router';
import { UnreachableError } from './errors.ts';
import { checkForNewVersion } from './app-version.ts';

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
 * The router's `lazyRouteComponent` with retries. If the server has another build, the router reloads the page as
 * usual. If the server is unreachable, a reload would show the browser's error page instead of Parley's, which recovers
 * when the connection returns.
 */
export const lazyRouteComponent: typeof lazyRoute = (load, name) =>
  lazyRoute(() => load().catch(rethrowLoadError), name);

async function rethrowLoadError(error: unknown): Promise<never> {
  const version = await checkForNewVersion();
  if (version === 'unknown') throw new UnreachableError('The page cannot be loaded.', { cause: error });
  // The router reloads for messages that begin like this. The message of a failed style sheet begins differently.
  throw new TypeError(`Failed to fetch dynamically imported module: ${String(error)}`, { cause: error });
}
