import { positionHeader } from '#shared/core/events.ts';
import { responseAttribute, positionAttribute } from '#shared/core/protocol.ts';
import { getConnectionStatus } from './connection.ts';

/** Inlined responses older than this are ignored because they may be stale, in milliseconds. */
const maxAgeMs = 60_000;

let source: ((address: string) => string | null) | null = null;

/** On the server: responses come from this function only, as the JSON of a URL such as '/api/session'. */
export function setResponseSource(next: (address: string) => string | null): void {
  source = next;
}

/**
 * The response to a request that the server inlined into the page (src/server/page-html.ts). Works once per request: a
 * repeated request needs fresh data. Null if the page has none.
 */
export function takeInlinedResponse(address: string, method: string): Response | null {
  if (method !== 'GET') return null;
  if (source !== null) {
    const body = source(address);
    return new Response(body, { status: body === null ? 404 : 200 });
  }
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
 * Loads a route's data. If the response is inlined, the page waits for it, so nothing flashes. Otherwise the data is
 * preloaded when a link is about to be opened, and the page requests whatever is missing.
 * @param isPreload whether a link to the page may be followed next
 * @param load rejects only if its code cannot be loaded.
 */
export function loadRouteData(isPreload: boolean, load: () => Promise<void>): Promise<void> | void {
  if (source !== null) return load();
  const isInlined = document.querySelector(`script[${responseAttribute}]`) !== null;
  if (isInlined && !isPreload) return load();
  if (isPreload && getConnectionStatus() === 'online') load().catch(() => {}); // Opening the link tries again.
}
