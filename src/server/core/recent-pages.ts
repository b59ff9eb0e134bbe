import type { IncomingMessage, ServerResponse } from 'node:http';
import { LRUCache } from 'lru-cache';
import { findNetworkAddress } from './network-address.ts';
import { publicCacheControl } from './public-reading.ts';
import { matchesEtag } from './response-cache-http.ts';
import { allowInPolicy, getSecurityHeaders, type InlineCode } from './security-headers.ts';
import type { OperatorSettings } from './operator-settings.ts';

/**
 * For this long, in milliseconds, a page of visitors is sent again without asking the API. After that, one request asks
 * the API, and the others get the page for up to as long again: otherwise all that arrive until the page is added would
 * ask the API. Both times together are below what a shared cache may add (`publicCacheControl`).
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

/** The pages that this node sent to visitors within the last two seconds. */
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

/** @param clock must be monotonic */
export async function createRecentPages(
  options: RecentPagesOptions,
  clock: () => number = () => performance.now(),
): Promise<RecentPages> {
  const { settings, hasPublicReading, canVisit, measure } = options;
  const pages = new LRUCache<string, StoredPage>({ max: maxPages });
  const { 'content-security-policy': policy = '', ...common } = await getSecurityHeaders(settings, '/');
  return {
    add(request, { body, encoding, inlineCode, etag, isOpen }) {
      // node:http would make a buffer for each response.
      const bytes =
        typeof body === 'string' ? Buffer.from(body) : Buffer.from(body.buffer, body.byteOffset, body.length);
      const cached = { ...common, 'cache-control': publicCacheControl, etag };
      const headers = {
        notModified: toPairs({ ...cached, vary: 'cookie, accept-language' }),
        complete: toPairs({
          ...cached,
          vary: 'cookie, accept-language, accept-encoding',
          'content-security-policy': allowInPolicy(policy, inlineCode),
          'content-type': 'text/html; charset=utf-8',
          'content-encoding': encoding,
          'content-length': String(bytes.length),
        }),
      };
      const addedAt = clock();
      pages.set(keyOf(request), { body: bytes, etag, isOpen, headers, addedAt, isRenewing: false });
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
    if (page === undefined || !(page.isOpen || hasPublicReading()) || !isRecent(page, clock()))
      return undefined;
    const network = findNetworkAddress(
      { direct: socket.remoteAddress, forwardedFor: textOf(headers['x-forwarded-for']) },
      settings.trustedProxies,
    );
    return canVisit?.(network) === false ? undefined : page;
  }
}

type StoredPage = Pick<RecentPage, 'etag' | 'isOpen'> & {
  body: Buffer;
  headers: ResponseHeaders;
  addedAt: number;
  /** Whether a request asks the API for a page that takes its place. */
  isRenewing: boolean;
};

/** Whether the page is sent once more. If not, the request asks the API. */
function isRecent(page: StoredPage, now: number): boolean {
  const age = now - page.addedAt;
  if (age < recentMs) return true;
  const isFirst = !page.isRenewing;
  page.isRenewing = true;
  return !isFirst && age < 2 * recentMs;
}

/** Names and values in turn, as `writeHead` takes them. */
type ResponseHeaders = { notModified: string[]; complete: string[] };

const toPairs = (headers: Readonly<Record<string, string>>) => Object.entries(headers).flat();

/** No part contains a line break. */
const keyOf = ({ host, url, acceptLanguage, acceptEncoding }: RequestedAddress) =>
  [host, url, acceptLanguage, acceptEncoding].join('\n');

const textOf = (header: string | string[] | undefined) =>
  Array.isArray(header) ? header.join(', ') : header;
