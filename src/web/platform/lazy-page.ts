import { lazyRouteComponent as lazy } from '@tanstack/react-router';
import { UnreachableError } from './errors.ts';
import { checkForNewVersion } from './upgrade.ts';

/**
 * The router's own, but for a program that does not come. Where the server has another build, the router loads the page
 * anew, as it does by itself; where the server cannot be reached, a reload would show the error of the browser in place
 * of ours, which comes back when the connection does.
 */
export const lazyRouteComponent: typeof lazy = (load, name) =>
  lazy(() => load().catch(rethrowLoadError), name);

async function rethrowLoadError(error: unknown): Promise<never> {
  const found = await checkForNewVersion();
  if (found === 'unknown') throw new UnreachableError('The page cannot be loaded.', { cause: error });
  // The beginning of this message is what the router reloads for; that of a style sheet reads otherwise.
  throw new TypeError(`Failed to fetch dynamically imported module: ${String(error)}`, { cause: error });
}
