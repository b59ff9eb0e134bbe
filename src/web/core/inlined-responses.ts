import { positionHeader } from '#shared/core/events.ts';
import { responseAttribute, positionAttribute } from '#shared/core/protocol.ts';
import { getConnectionStatus } from './connection.ts';

/** A page that took longer to begin asks the server, in milliseconds: what it carries may be old. */
const maxAgeMs = 60_000;

/**
 * The answer to a request that the page itself has brought (src/server/pages), once: whoever asks again wants to know what
 * is so by now. Null where it brought none.
 */
export function takeInlinedResponse(address: string, method: string): Response | null {
  if (method !== 'GET') return null;
  const element = document.querySelector(`script[${responseAttribute}="${CSS.escape(address)}"]`);
  if (element === null) return null;
  element.remove();
  if (performance.now() > maxAgeMs) return null;
  const position = element.getAttribute(positionAttribute);
  return new Response(
    element.textContent,
    position === null ? {} : { headers: { [positionHeader]: position } },
  );
}

/**
 * Loads what a page shows before it is shown, where the page brought it: nothing flashes. Elsewhere it is loaded as soon as
 * somebody is about to open the page; the page itself asks then for what has not come.
 * @param load never fails.
 */
export function loadRouteData(
  cause: 'preload' | 'enter' | 'stay',
  load: () => Promise<void>,
): Promise<void> | void {
  const isInlined = document.querySelector(`script[${responseAttribute}]`) !== null;
  if (isInlined && cause !== 'preload') return load();
  if (cause === 'preload' && getConnectionStatus() === 'online') void load();
}
