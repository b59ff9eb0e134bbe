import { lazy } from 'react';
import { connection, onConnectionChange } from './connection.ts';

/**
 * A part of a page that is fetched when it is first needed. Without a connection the page goes on without it, with what
 * its Suspense shows meanwhile, and the part comes as soon as it can.
 */
export const lazyPart: typeof lazy = (load) => lazy(() => patiently(load));

/** Milliseconds to the next try where the server answers but the program does not come. */
const pauseMs = 5_000;

/** Loads a program, again and again where it does not come. */
export async function patiently<Result>(load: () => Promise<Result>): Promise<Result> {
  for (;;) {
    try {
      return await load();
    } catch (error) {
      await untilWorthTrying();
      // A page that is left gives up what it is loading, and is gone by now.
      console.error('A part of the page could not be fetched:', error);
    }
  }
}

function untilWorthTrying(): Promise<void> {
  return new Promise((resolve) => {
    const timer = window.setTimeout(goOn, pauseMs);
    const forget = onConnectionChange(() => connection() === 'online' && goOn());
    function goOn() {
      window.clearTimeout(timer);
      forget();
      resolve();
    }
  });
}
