import { lazy } from 'react';
import { getConnectionStatus, onConnectionChange } from './connection.ts';

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
