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
import type { MemberFact, PageQuery, ResponseCache } from './response-cache.ts';

/** Reads pages for requests: from what is kept where that is new enough for them, else from where they read anything. */
export type PageReader = {
  read: (c: PageContext, wanted: PageQuery) => Promise<ViewerPage>;
  /** Something about the viewer that decides which page they are shown. */
  getFact: (c: PageContext, fact: MemberFact) => Promise<boolean>;
};

type PageContext = Context<{ Variables: SignedInEnv['Variables'] & ReplicaPositionEnv['Variables'] }>;

/** @param cache absent where nothing is kept. */
export function createPageReader(cache: ResponseCache | undefined): PageReader {
  return {
    async read(c, wanted) {
      const kept = freshCacheFor(c);
      if (kept === undefined) return readUncached(c.get('reader'), wanted);
      // What is kept was read from the primary, and is as new as the stream of events.
      c.set('replicaPosition', undefined);
      return kept.read(wanted, c.get('viewer').id);
    },
    getFact: (c, fact) => freshCacheFor(c)?.getFact(fact) ?? fact.read(c.get('reader')),
  };

  function freshCacheFor(c: PageContext): ResponseCache | undefined {
    const headers = { seen: c.req.header(minPositionHeader), cookie: c.req.header('cookie') };
    return cache?.isFreshFor(headers) ? cache : undefined;
  }
}

async function readUncached(db: Reader, wanted: PageQuery): Promise<ViewerPage> {
  const { parts, values } = await wanted.read(db);
  return fillPage(createCachedPage(wanted.key, wanted, parts), { values, ...wanted.viewerTopics });
}

/** The answer to a request for a page: its bytes, or (304) that the asker has them already. */
export type PageResponse = {
  status: 200 | 304;
  /** Names and values in turn, as node:http takes them with the least ado. */
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
  // Of one member, and to be asked for again each time.
  const headers = ['cache-control', 'private, no-cache', 'vary', 'accept-encoding, cookie', 'etag', etag];
  if (ifNoneMatch !== undefined && matchesEtag(ifNoneMatch, filled.etag))
    return { status: 304, headers, body: null };
  const body = gzipped ?? getPageBytes(filled);
  headers.push('content-type', 'application/json', 'content-length', String(body.length));
  if (gzipped !== undefined) headers.push('content-encoding', 'gzip');
  return { status: 200, headers, body };
}

/** The reply of a route. `Body` is what its bytes say, for the typed client. */
export function sendPage<Body>(c: Context, filled: ViewerPage): Response & TypedResponse<Body, 200, 'json'> {
  const { status, headers, body } = createPageResponse(filled, {
    acceptEncoding: c.req.header('accept-encoding'),
    ifNoneMatch: c.req.header('if-none-match'),
  });
  for (let at = 0; at < headers.length; at += 2) c.header(headers[at] ?? '', headers[at + 1]);
  const response = body === null ? c.body(null, status) : c.body(new Uint8Array(body), 200);
  return response as Response as Response & TypedResponse<Body, 200, 'json'>;
}

/** Whether gzip may be sent: named, and not with a weight of 0 (RFC 9110, section 12.5.3). */
function acceptsGzip(acceptEncoding: string | undefined): boolean {
  return acceptEncoding !== undefined && /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?(?:\s*(?:,|$)))/.test(acceptEncoding);
}

/** Whether one of the tags that the asker has is this one's, in whichever encoding it came. */
function matchesEtag(ifNoneMatch: string, tag: string): boolean {
  if (ifNoneMatch.trim() === '*') return true;
  return ifNoneMatch.split(',').some((each) => {
    const known = each.trim().replace(/^W\//, '');
    return known === `"${tag}"` || known === `"${tag}-gzip"`;
  });
}
