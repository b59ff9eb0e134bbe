import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Viewer } from './http.ts';
import { type Position, positionHeader, minPositionHeader } from '#shared/core/events.ts';
import { madeByHeader } from '#shared/core/protocol.ts';
import type { ResponseCache } from './response-cache.ts';
import { createPageResponse } from './response-cache-http.ts';

/** Pages that are answered from what is kept. */
export type CachedRoute = {
  /** As the metrics name it, such as '/api/questions/:id'. */
  route: string;
  /** The page at an address below it, and what must be known not to hold of the viewer; null for another address. */
  match: (url: string) => CachedRouteMatch | null;
};

export type CachedRouteMatch = { key: string; unlessFact?: (viewerId: number) => string };

export type CacheHandlerOptions = {
  routes: readonly CachedRoute[];
  cache: ResponseCache;
  /** The member of a session that was found to be good a moment ago. */
  viewerOf: (cookie: string) => Viewer | undefined;
  /** Whether a member may read one more page; absent where all may. What is refused here is refused behind. */
  canRead?: ((viewer: Viewer) => boolean) | undefined;
  position: () => Position;
  /** What every answer of the API has. */
  headers: Readonly<Record<string, string>>;
  measure?: ((route: string, status: number, seconds: number) => void) | undefined;
  /** Answers everything else. */
  next: (request: IncomingMessage, response: ServerResponse) => unknown;
};

/**
 * Answers a GET of a page that is kept for its viewer right away; everything else passes, and is answered behind it with
 * the same bytes and headers. It decides nothing that is not decided there.
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
      // What was done as somebody else is refused behind.
      if (headers[madeByHeader] !== undefined) return undefined;
      const viewer = viewerOf(cookie);
      if (viewer === undefined || !cache.isFreshFor({ seen: headerText(headers[minPositionHeader]), cookie }))
        return undefined;
      if (wanted.unlessFact !== undefined && cache.findFact(wanted.unlessFact(viewer.id)) !== false)
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
