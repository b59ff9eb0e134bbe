import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Context, TypedResponse } from 'hono';
import { routePath } from 'hono/route';
import { minPositionHeader, type Position, positionHeader } from '#shared/core/events.ts';
import { actingMemberHeader } from '#shared/core/protocol.ts';
import {
  type CachedDocument,
  type ResponseCache,
  type DocumentRequest,
  encodeDocument,
  type Encoding,
} from './response-cache.ts';
import { type PublicEnv, readBearerToken, type ReplicaPositionEnv, type Viewer } from './http.ts';

/** Sends a document: from the cache if it is fresh enough for the request, otherwise from the request's database. */
export type SendDocument = <Body>(
  c: DocumentContext,
  request: DocumentRequest,
) => Promise<Response & TypedResponse<Body, 200, 'json'>>;

type DocumentContext = Context<{ Variables: PublicEnv['Variables'] & ReplicaPositionEnv['Variables'] }>;

/** @param cache absent if caching is switched off */
export function createDocumentSender(cache: ResponseCache | undefined): SendDocument {
  return async <Body>(c: DocumentContext, request: DocumentRequest) => {
    const encoding = chooseEncoding(c.req.header('accept-encoding'));
    const headers = { minPosition: c.req.header(minPositionHeader), cookie: c.req.header('cookie') };
    let document: CachedDocument;
    if (cache?.isFreshFor(headers) === true) {
      // Cached documents were read from the primary and are as current as the event stream.
      c.set('replicaPosition', undefined);
      document = await cache.read(request, encoding, routePath(c));
    } else document = encodeDocument(await request.read(c.get('reader')), encoding, routePath(c));
    const isKnown = matchesEtag(c.req.header('if-none-match'), document.etag);
    const response = isKnown
      ? c.body(null, 304, document.notModifiedHeaders)
      : c.body(document.body, 200, document.headers);
    // `Body` is the type of the content, for the typed client.
    return response as Response as Response & TypedResponse<Body, 200, 'json'>;
  };
}

/** Sends JSON that the database built. `Body` is the type of its content, for the typed client. */
export function sendJson<Body>(c: Context, json: string): Response & TypedResponse<Body, 200, 'json'> {
  const response = c.body(json, 200, { 'content-type': 'application/json' });
  return response as Response as Response & TypedResponse<Body, 200, 'json'>;
}

export type CachedDocumentsOptions = {
  cache: ResponseCache;
  /** The member of a session that was verified recently. */
  viewerOf: (cookie: string) => Viewer | undefined;
  /** Whether a member may read one more page. Absent: always. The route sends the refusal. */
  canRead: ((viewer: Viewer) => boolean) | undefined;
  position: () => Position;
  /** The headers of every API response. */
  headers: Readonly<Record<string, string>>;
  measure: ((route: string, status: number, seconds: number) => void) | undefined;
  /** Handles all other requests. */
  next: (request: IncomingMessage, response: ServerResponse) => unknown;
};

/**
 * Serves cached documents before Hono, whose routing and middleware take as long as the rest of the response
 * (docs/decisions/047). A request that it does not serve gets the same bytes and headers from its route.
 */
export function serveCachedDocuments(options: CachedDocumentsOptions): CachedDocumentsOptions['next'] {
  const { cache, viewerOf, canRead, position, measure, next } = options;
  const fixed = Object.entries(options.headers).flat();
  return (request, response) => {
    const start = performance.now();
    const document = find(request);
    if (document === undefined) return next(request, response);
    const isKnown = matchesEtag(request.headers['if-none-match'], document.etag);
    const [status, own] = isKnown ? [304, document.notModifiedHeaders] : [200, document.headers];
    response.writeHead(status, [...fixed, ...Object.entries(own).flat(), positionHeader, position()]);
    response.end(isKnown ? undefined : document.body);
    measure?.(document.route, status, (performance.now() - start) / 1_000);
  };

  function find({ method, url = '', headers }: IncomingMessage): CachedDocument | undefined {
    const { cookie } = headers;
    // The route refuses a request made under another member's session, and checks an API token, beside which a cookie
    // is ignored.
    const isOfRoute =
      headers[actingMemberHeader] !== undefined || readBearerToken(headers.authorization) !== null;
    if (method !== 'GET' || cookie === undefined || isOfRoute) return undefined;
    const viewer = viewerOf(cookie);
    const minPosition = textOf(headers[minPositionHeader]);
    if (viewer === undefined || !cache.isFreshFor({ minPosition, cookie })) return undefined;
    const document = cache.find(url, chooseEncoding(textOf(headers['accept-encoding'])));
    return document === undefined || canRead?.(viewer) === false ? undefined : document;
  }
}

const textOf = (header: string | string[] | undefined) =>
  Array.isArray(header) ? header.join(', ') : header;

/** gzip if the client lists it, and not with a weight of 0 (RFC 9110, section 12.5.3). */
export function chooseEncoding(acceptEncoding: string | undefined): Encoding {
  return acceptEncoding !== undefined && /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?(?:\s*(?:,|$)))/.test(acceptEncoding)
    ? 'gzip'
    : 'identity';
}

/** Whether one of the client's ETags matches. The comparison is weak (RFC 9110, section 13.1.2). */
export function matchesEtag(ifNoneMatch: string | null | undefined, etag: string): boolean {
  if (ifNoneMatch == null) return false;
  if (ifNoneMatch.trim() === '*') return true;
  return ifNoneMatch.split(',').some((each) => each.trim().replace(/^W\//, '') === etag.replace(/^W\//, ''));
}
