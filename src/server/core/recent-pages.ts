import type { IncomingMessage, ServerResponse } from 'node:http';
import { LRUCache } from 'lru-cache';
import { findNetworkAddress } from './network-address.ts';
import { publicCacheControl } from './public-reading.ts';
import { matchesEtag } from './response-cache-http.ts';
import { allowInPolicy, getSecurityHeaders, type InlineCode } from './security-headers.ts';
import type { OperatorSettings } from './operator-settings.ts';

/**
 * For this long, in milliseconds, a page of visitors is sent again without asking the API. It is below what a shared
 * cache may add (`publicCacheControl`).
 */
const recentMs = 1_000;

/** A compressed page has some 40 KB. */
const maxPages = 500;

/** A page of a visitor without cookies. `encoding`: of the body. `isOpen`: also while public reading is off. */
export type RecentPage = {
  body: string | Uint8Array<ArrayBuffer>;
  encoding: string;
  inlineCode: InlineCode;
  etag: string;
  isOpen: boolean;
};

/** The pages that this node sent to visitors within the last second. */
export type RecentPages = {
  /** Adds a page that a request without cookies got. */
  add: (request: RequestedAddress, page: RecentPage) => void;
  /** Handles requests for these pages, before Hono as for cached documents; `next` handles all others. */
  serve: (next: Handler) => Handler;
};

type Handler = (request: IncomingMessage, response: ServerResponse) => unknown;

/** What a page depends on. */
type RequestedAddress = {
  host: string | undefined;
  /** Path and query. */
  url: string;
  acceptLanguage: string | undefined;
  acceptEncoding: string | undefined;
};

export type RecentPagesOptions = {
  settings: OperatorSettings;
  hasPublicReading: () => boolean;
  /** Whether visitors from this network may read one more page. Absent: always. The route sends the refusal. */
  canVisit: ((network: string) => boolean) | undefined;
  measure: ((route: string, status: number, seconds: number) => void) | undefined;
};

export async function createRecentPages(options: RecentPagesOptions): Promise<RecentPages> {
  const { settings, hasPublicReading, canVisit, measure } = options;
  const pages = new LRUCache<
    string,
    Omit<RecentPage, 'encoding' | 'inlineCode'> & { headers: ResponseHeaders }
  >({
    max: maxPages,
    ttl: recentMs,
  });
  const { 'content-security-policy': policy = '', ...common } = await getSecurityHeaders(settings, '/');
  return {
    add(request, { body, encoding, inlineCode, etag, isOpen }) {
      const cached = { ...common, 'cache-control': publicCacheControl, etag };
      const headers = {
        notModified: toPairs({ ...cached, vary: 'cookie, accept-language' }),
        complete: toPairs({
          ...cached,
          vary: 'cookie, accept-language, accept-encoding',
          'content-security-policy': allowInPolicy(policy, inlineCode),
          'content-type': 'text/html; charset=utf-8',
          'content-encoding': encoding,
          'content-length': String(Buffer.byteLength(body)),
        }),
      };
      pages.set(keyOf(request), { body, etag, isOpen, headers });
    },
    serve: (next) => (request, response) => {
      const start = performance.now();
      const page = find(request);
      if (page === undefined) return next(request, response);
      const isKnown = matchesEtag(request.headers['if-none-match'], page.etag);
      response.writeHead(isKnown ? 304 : 200, isKnown ? page.headers.notModified : page.headers.complete);
      response.end(isKnown ? undefined : page.body);
      measure?.(
        /^\/(?:\?|$)/u.test(request.url ?? '') ? '/' : '/*',
        isKnown ? 304 : 200,
        (performance.now() - start) / 1_000,
      );
    },
  };

  function find({ method, url = '', headers, socket }: IncomingMessage) {
    if (method !== 'GET' || headers.cookie !== undefined) return undefined;
    if ((headers['sec-fetch-dest'] ?? 'document') !== 'document') return undefined;
    const page = pages.get(
      keyOf({
        host: headers.host,
        url,
        acceptLanguage: headers['accept-language'],
        acceptEncoding: textOf(headers['accept-encoding']),
      }),
    );
    if (page === undefined || !(page.isOpen || hasPublicReading())) return undefined;
    const network = findNetworkAddress(
      { direct: socket.remoteAddress, forwardedFor: textOf(headers['x-forwarded-for']) },
      settings.trustedProxies,
    );
    return canVisit?.(network) === false ? undefined : page;
  }
}

/** Names and values in turn, as `writeHead` takes them. */
type ResponseHeaders = { notModified: string[]; complete: string[] };

const toPairs = (headers: Readonly<Record<string, string>>) => Object.entries(headers).flat();

const keyOf = ({ host, url, acceptLanguage, acceptEncoding }: RequestedAddress) =>
  JSON.stringify([host, url, acceptLanguage, acceptEncoding]);

const textOf = (header: string | string[] | undefined) =>
  Array.isArray(header) ? header.join(', ') : header;
