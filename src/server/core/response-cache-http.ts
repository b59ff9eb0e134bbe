import type { ReplicaPositionEnv, SignedInEnv } from './http.ts';
import type { Context, TypedResponse } from 'hono';
import type { Reader } from './database.ts';
import { minPositionHeader } from '#shared/core/events.ts';
import {
  createCachedPage,
  fillPage,
  getGzippedPageBytes,
  getPageBytes,
  type ViewerPage,
} from './response-cache-page.ts';
import type { MemberFlag, PageQuery, ResponseCache } from './response-cache.ts';

/**
 * Reads pages for requests: from the response cache if the entry is fresh enough, otherwise from the request's
 * database.
 */
export type PageReader = {
  read: (c: PageContext, wanted: PageQuery) => Promise<ViewerPage>;
  /** A fact about the viewer that determines which page they see. */
  getMemberFlag: (c: PageContext, flag: MemberFlag) => Promise<boolean>;
};

type PageContext = Context<{ Variables: SignedInEnv['Variables'] & ReplicaPositionEnv['Variables'] }>;

/**
 * Creates a page reader.
 * @param cache absent if the response cache is off
 */
export function createPageReader(cache: ResponseCache | undefined): PageReader {
  return {
    async read(c, wanted) {
      const responseCache = freshCacheFor(c);
      if (responseCache === undefined) return readUncached(c.get('reader'), wanted);
      // Cached pages were read from the primary and are as current as the event stream.
      c.set('replicaPosition', undefined);
      return responseCache.read(wanted, c.get('viewer').id);
    },
    getMemberFlag: (c, flag) => freshCacheFor(c)?.getMemberFlag(flag) ?? flag.read(c.get('reader')),
  };

  function freshCacheFor(c: PageContext): ResponseCache | undefined {
    const headers = { minPosition: c.req.header(minPositionHeader), cookie: c.req.header('cookie') };
    return cache?.isFreshFor(headers) ? cache : undefined;
  }
}

async function readUncached(db: Reader, wanted: PageQuery): Promise<ViewerPage> {
  const { parts, values } = await wanted.read(db);
  return fillPage(createCachedPage(wanted.key, wanted, parts), { values, ...wanted.viewerTopics });
}

/** The response to a page request: its bytes, or 304 if the client already has them. */
export type PageResponse = {
  status: 200 | 304;
  /** Alternating names and values, the cheapest form for node:http. */
  headers: string[];
  body: Buffer | null;
};

export type PageRequestHeaders = { acceptEncoding: string | undefined; ifNoneMatch: string | undefined };

export function createPageResponse(
  filled: ViewerPage,
  { acceptEncoding, ifNoneMatch }: PageRequestHeaders,
): PageResponse {
  const gzipped = acceptsGzip(acceptEncoding) ? getGzippedPageBytes(filled) : undefined;
  const etag = gzipped === undefined ? `"${filled.etag}"` : `"${filled.etag}-gzip"`;
  // Private to one member, and revalidated on each request.
  const headers = ['cache-control', 'private, no-cache', 'vary', 'accept-encoding, cookie', 'etag', etag];
  if (ifNoneMatch !== undefined && matchesEtag(ifNoneMatch, filled.etag))
    return { status: 304, headers, body: null };
  const body = gzipped ?? getPageBytes(filled);
  headers.push('content-type', 'application/json', 'content-length', String(body.length));
  if (gzipped !== undefined) headers.push('content-encoding', 'gzip');
  return { status: 200, headers, body };
}

/** The response of a route. `Body` is the type of its content, for the typed client. */
export function sendPage<Body>(c: Context, filled: ViewerPage): Response & TypedResponse<Body, 200, 'json'> {
  const { status, headers, body } = createPageResponse(filled, {
    acceptEncoding: c.req.header('accept-encoding'),
    ifNoneMatch: c.req.header('if-none-match'),
  });
  for (let at = 0; at < headers.length; at += 2) c.header(headers[at] ?? '', headers[at + 1]);
  const response = body === null ? c.body(null, status) : c.body(new Uint8Array(body), 200);
  return response as Response as Response & TypedResponse<Body, 200, 'json'>;
}

/** Whether the client accepts gzip: listed, and not with a weight of 0 (RFC 9110, section 12.5.3). */
function acceptsGzip(acceptEncoding: string | undefined): boolean {
  return acceptEncoding !== undefined && /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?(?:\s*(?:,|$)))/.test(acceptEncoding);
}

/** Whether one of the client's ETags matches, in any content encoding. */
function matchesEtag(ifNoneMatch: string, tag: string): boolean {
  if (ifNoneMatch.trim() === '*') return true;
  return ifNoneMatch.split(',').some((each) => {
    const known = each.trim().replace(/^W\//, '');
    return known === `"${tag}"` || known === `"${tag}-gzip"`;
  });
}
