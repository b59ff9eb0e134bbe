import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Viewer } from './http.ts';
import { type Position, positionHeader, minPositionHeader } from '#shared/core/events.ts';
import { actingMemberHeader } from '#shared/core/protocol.ts';
import type { ResponseCache } from './response-cache.ts';
import { createPageResponse } from './response-cache-http.ts';

/** A page that the response cache can serve. */
export type CachedRoute = {
  /** The route in metrics, such as '/api/questions/:id'. */
  route: string;
  /** Returns the page for a URL below the prefix and the viewer facts that must be false. Null for other URLs. */
  match: (url: string) => CachedRouteMatch | null;
};

export type CachedRouteMatch = { key: string; unlessFlag?: (viewerId: number) => string };

export type CacheHandlerOptions = {
  routes: readonly CachedRoute[];
  cache: ResponseCache;
  /** The member of a session that was verified recently. */
  viewerOf: (cookie: string) => Viewer | undefined;
  /** Whether a member may read one more page. Absent: always. The next handler sends the refusal. */
  canRead?: ((viewer: Viewer) => boolean) | undefined;
  position: () => Position;
  /** The headers of every API response. */
  headers: Readonly<Record<string, string>>;
  measure?: ((route: string, status: number, seconds: number) => void) | undefined;
  /** Handles all other requests. */
  next: (request: IncomingMessage, response: ServerResponse) => unknown;
};

/**
 * Serves a GET from the response cache. All other requests go to `next`, which would send the same bytes and headers.
 * It makes no decisions of its own.
 */
export function createCacheHandler(options: CacheHandlerOptions): CacheHandlerOptions['next'] {
  const { routes, cache, viewerOf, canRead, position, measure, next } = options;
  const fixed = Object.entries(options.headers).flat();
  return (request, response) => {
    const start = measure === undefined ? 0 : performance.now();
    const { url = '', headers } = request;
    const { cookie } = headers;
    if (request.method !== 'GET' || cookie === undefined) return next(request, response);
    const found = find(url, cookie, headers);
    if (found === undefined) return next(request, response);
    const {
      status,
      headers: own,
      body,
    } = createPageResponse(found.page, {
      acceptEncoding: headerText(headers['accept-encoding']),
      ifNoneMatch: headers['if-none-match'],
    });
    response.writeHead(status, [...fixed, ...own, positionHeader, position()]);
    response.end(body ?? undefined);
    measure?.(found.route, status, (performance.now() - start) / 1_000);
  };

  function find(url: string, cookie: string, headers: IncomingMessage['headers']) {
    for (const { route, match } of routes) {
      const wanted = match(url);
      if (wanted === null) continue;
      // The next handler refuses a request made under another member's session.
      if (headers[actingMemberHeader] !== undefined) return undefined;
      const viewer = viewerOf(cookie);
      if (
        viewer === undefined ||
        !cache.isFreshFor({ minPosition: headerText(headers[minPositionHeader]), cookie })
      )
        return undefined;
      if (wanted.unlessFlag !== undefined && cache.findMemberFlag(wanted.unlessFlag(viewer.id)) !== false)
        return undefined;
      const page = cache.find(wanted.key, viewer.id);
      if (page === undefined || canRead?.(viewer) === false) return undefined;
      return { route, page };
    }
    return undefined;
  }
}

const headerText = (header: string | string[] | undefined) =>
  Array.isArray(header) ? header.join(', ') : header;
