import { lazy } from 'react';
import { getConnectionStatus, onConnectionChange } from './connection.ts';
import { lazyRouteComponent as lazyRoute } from '@tanstack/react-router';
import { UnreachableError } from './errors.ts';
import { checkForNewVersion } from './app-version.ts';

/**
 * A part of a page that is fetched when it is first needed. Without a connection the page goes on without it, with what
 * its Suspense shows meanwhile, and the part comes as soon as it can.
 */
export const lazyComponent: typeof lazy = (load) => lazy(() => retryUntilLoaded(load));

/** Milliseconds to the next try where the server answers but the program does not come. */
const retryDelayMs = 5_000;

/** Loads a program, again and again where it does not come. */
export async function retryUntilLoaded<Result>(load: () => Promise<Result>): Promise<Result> {
  for (;;) {
    try {
      return await load();
    } catch (error) {
      await waitForConnectionOrDelay();
      // A page that is left gives up what it is loading, and is gone by now.
      console.error('A part of the page could not be fetched:', error);
    }
  }
}

function waitForConnectionOrDelay(): Promise<void> {
  return new Promise((resolve) => {
    const timer = window.setTimeout(goOn, retryDelayMs);
    const forget = onConnectionChange(() => getConnectionStatus() === 'online' && goOn());
    function goOn() {
      window.clearTimeout(timer);
      forget();
      resolve();
    }
  });
}

/**
 * The router's own, but for a program that does not come. Where the server has another build, the router loads the page
 * anew, as it does by itself; where the server cannot be reached, a reload would show the error of the browser in place
 * of ours, which comes back when the connection does.
 */
export const lazyRouteComponent: typeof lazyRoute = (load, name) =>
  lazyRoute(() => load().catch(rethrowLoadError), name);

async function rethrowLoadError(error: unknown): Promise<never> {
  const found = await checkForNewVersion();
  if (found === 'unknown') throw new UnreachableError('The page cannot be loaded.', { cause: error });
  // The beginning of this message is what the router reloads for; that of a style sheet reads otherwise.
  throw new TypeError(`Failed to fetch dynamically imported module: ${String(error)}`, { cause: error });
}
