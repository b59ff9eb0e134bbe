import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gunzip, gzip } from 'node:zlib';
import type { Context, MiddlewareHandler } from 'hono';
import { accepts } from 'hono/accepts';
import { getCookie } from 'hono/cookie';
import { LRUCache } from 'lru-cache';
import { positionHeader } from '#shared/core/events.ts';
import { answerSortCookie, languageCookie } from '#shared/core/protocol.ts';
import type { SessionState } from '#shared/identity/accounts.ts';
import type { ImportedPost } from '#shared/posts/questions.ts';
import type { Reader } from './core/database.ts';
import { findRequestLanguage } from './core/languages.ts';
import { getNetworkAddress } from './core/network-address.ts';
import { hasSessionCookie, publicCacheControl } from './core/public-reading.ts';
import type { PageBindings } from './core/request-limits-middleware.ts';
import type { RecentPages } from './core/recent-pages.ts';
import { matchesEtag } from './core/response-cache-http.ts';
import type { SiteSettings } from './core/site-settings.ts';
import { allowInlineCode } from './core/security-headers.ts';
import { getOrigin, type OperatorSettings } from './core/operator-settings.ts';
import { renderHead } from './integrations/index.ts';
import { getNotFoundTitle, resolvePage } from './page-addresses.ts';
import { createHtmlRenderer, type HtmlDeps, type PreloadedResponse, type RenderedPage } from './page-html.ts';
import { getPagePreloads, notifications } from './page-preloads.ts';

/** Calls Parley's own API as over HTTP. */
export type FetchApi = (request: Request, env: PageBindings) => Promise<Response> | Response;

type PageOptions = {
  db: Reader;
  settings: OperatorSettings;
  siteSettings: SiteSettings;
  /** Absent: every request asks the API. */
  recentPages: RecentPages | undefined;
};

/** A compressed page has some 40 KB. The relative times of a reused page are old, for readers without scripts. */
const maxPublicBodies = 500;
const publicBodyMs = 5 * 60_000;

/** For this long, in milliseconds, a page whose content could not be rendered is sent again without another try. */
const incompleteBodyMs = 5_000;

/**
 * Serves pages to members, and to visitors while public reading is on: index.html with the API responses that the page
 * would request first, and with hints for its scripts, so that nothing is loaded in sequence (docs/decisions/027). The
 * page of a request with a session cookie is for one member and must not be cached; shared caches may store the others
 * (docs/decisions/053). All other visitors, and requests other than navigations (such as the service worker, which
 * caches the bare page), get the page of the next handler.
 */
export function renderPages(
  html: HtmlDeps,
  fetchApi: FetchApi,
  { db, settings, siteSettings, recentPages }: PageOptions,
): MiddlewareHandler {
  const { render } = createHtmlRenderer(html);
  const publicBodies = new LRUCache<string, Promise<PageBody>>({ max: maxPublicBodies, ttl: publicBodyMs });
  return async (c, next) => {
    c.header('vary', 'cookie', { append: true });
    const { headers } = c.req.raw;
    const cookie = headers.get('cookie');
    const url = new URL(c.req.url);
    const preloads = getPagePreloads(addSavedSort(url, getCookie(c, answerSortCookie)));
    const { isOpen, isForVisitors, isUncached } = preloads;
    const hasPublicReading = isOpen === true || siteSettings.get('publicReading');
    const isPublic = hasPublicReading && !hasSessionCookie(cookie, settings);
    if ((cookie === null && !isPublic) || !isWindow(headers)) return next();
    const encoding = accepts(c, {
      header: 'Accept-Encoding',
      supports: ['br', 'gzip', 'identity'],
      default: 'identity',
    });
    const requests = isPublic
      ? preloads.requests.filter((each) => each !== notifications)
      : preloads.requests;
    const fetchForClient = (request: Request) =>
      fetchApi(request, { pageNetwork: getNetworkAddress(c, settings.trustedProxies) });
    const responses = await Promise.all(
      requests.map((address) => preload(fetchForClient, url, address, headers)),
    );
    const [session] = responses;
    if (session?.status !== 200 || !(hasPublicReading || isMember(session))) return next();
    // The addresses of an imported site are taken.
    const hasArchiveAddresses = settings.importedSite === null;
    const target = await resolvePage(db, url, { ...preloads, hasArchiveAddresses }, responses);
    if ('location' in target) return redirectPermanently(c, target.location);
    c.status(target.status);

    const siteLanguage = siteSettings.get('language');
    const language = findRequestLanguage(headers) ?? siteLanguage;
    const origin = getOrigin(settings, url);
    const found = responses.filter(({ status }) => status === 200);
    const siteName = siteSettings.get('siteName');
    const look = {
      accentColor: siteSettings.get('accentColor'),
      cssVariables: siteSettings.get('cssVariables'),
      icon: siteSettings.get('icon'),
    };
    const head = renderHead({
      url,
      origin,
      site: { siteName, siteDescription: siteSettings.get('siteDescription'), ...look },
      isPublic: hasPublicReading,
      bodies: new Map(found.map((response) => [response.url, response.body])),
      notFoundTitle: target.status === 200 ? undefined : getNotFoundTitle(url.pathname, language),
    });
    for (const each of session.cookies) c.header('set-cookie', each, { append: true });
    const isReusable = isPublic && target.status === 200 && responses.every(({ status }) => status === 200);
    // A changed way to sign in shows at once. A shared cache may ignore that the page varies with these cookies.
    const isStorable =
      isReusable &&
      isUncached !== true &&
      getCookie(c, languageCookie) === undefined &&
      getCookie(c, answerSortCookie) === undefined;
    c.header('cache-control', 'no-store');
    const etag = isReusable
      ? createPageEtag([head, JSON.stringify(look), preloads.path, language, siteLanguage], found)
      : null;
    const isRendered = preloads.isRendered && !(isForVisitors === true && isMember(session));
    const page = {
      language,
      siteLanguage,
      origin,
      siteName,
      look,
      head,
      preloads: { ...preloads, requests, isRendered },
      responses,
    };
    if (etag === null) return send(c, await makeBody(render(page), encoding), encoding);
    if (isStorable && isKnown(c, etag)) return sendStorable(c, etag, null);
    const body = await reusePublicBody(etag, encoding, () => render(page));
    // A cache would send a page without its content until the content changes.
    if (!isStorable || !body.isComplete) return send(c, body, encoding);
    // Uncompressed pages would need ten times the memory.
    if (cookie === null && encoding !== 'identity')
      recentPages?.add(
        {
          host: headers.get('host') ?? undefined,
          url: url.pathname + url.search,
          acceptLanguage: headers.get('accept-language') ?? undefined,
          acceptEncoding: headers.get('accept-encoding') ?? undefined,
        },
        { ...body, encoding, etag, isOpen: isOpen === true },
      );
    return sendStorable(c, etag, { body, encoding });
  };

  /** Renders a page of visitors once. Its ETag identifies its content. */
  async function reusePublicBody(
    etag: string,
    encoding: string,
    renderOnce: () => Promise<RenderedPage>,
  ): Promise<PageBody> {
    // Uncompressed pages would need ten times the memory.
    const stored = encoding === 'br' ? 'br' : 'gzip';
    const key = etag + stored;
    const { body, ...page } = await (publicBodies.get(key) ??
      storePublicBody(key, makeBody(renderOnce(), stored)));
    return { body: encoding === 'identity' ? new Uint8Array(await gunzipped(body)) : body, ...page };
  }

  function storePublicBody(key: string, making: Promise<PageBody>): Promise<PageBody> {
    publicBodies.set(key, making);
    void limitIncomplete(key, making);
    return making;
  }

  /** A page that fails again and again must not keep the renderer from all others. */
  async function limitIncomplete(key: string, making: Promise<PageBody>): Promise<void> {
    const made = await making.catch(() => null);
    if (publicBodies.peek(key) !== making) return;
    if (made === null) publicBodies.delete(key);
    else if (!made.isComplete) publicBodies.set(key, making, { ttl: incompleteBodyMs });
  }
}

function send(c: Context, { body, inlineCode }: PageBody, encoding: string): Response {
  c.header('content-type', 'text/html; charset=utf-8');
  c.header('vary', 'accept-encoding', { append: true });
  allowInlineCode(c, inlineCode);
  if (encoding !== 'identity') c.header('content-encoding', encoding);
  return c.body(body);
}

type SentPage = { body: PageBody; encoding: string };

/** Sends a page that shared caches may store; without `page`, the browser or cache has it. */
function sendStorable(c: Context, etag: string, page: SentPage | null): Response {
  c.header('cache-control', publicCacheControl);
  c.header('vary', 'accept-language', { append: true });
  c.header('etag', etag);
  return page === null || isKnown(c, etag) ? c.body(null, 304) : send(c, page.body, page.encoding);
}

const isKnown = (c: Context, etag: string) => matchesEtag(c.req.header('if-none-match') ?? null, etag);

type PageBody = Omit<RenderedPage, 'html'> & { body: string | Uint8Array<ArrayBuffer> };

async function makeBody(rendering: Promise<RenderedPage>, encoding: string): Promise<PageBody> {
  const { html, ...page } = await rendering;
  if (encoding === 'identity') return { body: html, ...page };
  const compressed = encoding === 'br' ? await brotli(html) : await gzipped(html);
  return { body: new Uint8Array(compressed), ...page };
}

/** Part of every ETag: after an upgrade, the same responses may be rendered differently. */
const startedAt = Date.now();

/** A weak ETag: pages with other positions of the event stream, or other compression, are equivalent. */
function createPageEtag(common: readonly (string | null)[], responses: readonly PreloadedResponse[]) {
  const parts = [startedAt, ...common, ...responses.map(({ url, body }) => [url, body])];
  return `W/"${hash('sha1', JSON.stringify(parts), 'base64url')}"`;
}

/** The address of a question, with the order of answers that was chosen last in this browser. */
function addSavedSort(url: URL, sort: string | undefined): URL {
  const result = new URL(url);
  const isQuestion = url.pathname.startsWith('/question/');
  if (isQuestion && !url.searchParams.has('sort') && sort !== undefined)
    result.searchParams.set('sort', sort);
  return result;
}

/**
 * Redirects readers from the addresses of an imported site to what was imported, except from addresses that pages here
 * have. Others get the page of the next handler, as for any address: a redirect would tell which posts exist. After a
 * sign-in, the web app finds the post (src/web/app/routes.ts).
 */
export function redirectImportedPosts(
  fetchApi: FetchApi,
  { siteSettings }: Pick<PageOptions, 'siteSettings'>,
): MiddlewareHandler {
  return async (c, next) => {
    const url = new URL(c.req.url);
    if (getPagePreloads(url).isUnknown !== true) return next();
    c.header('vary', 'cookie', { append: true });
    const { headers } = c.req.raw;
    if (!headers.has('cookie') && !siteSettings.get('publicReading')) return next();
    const api = `/api/imported-posts?address=${encodeURIComponent(url.pathname + url.search)}`;
    const found = await preload((request) => fetchApi(request, {}), url, api, headers);
    const { path } = found.status === 200 ? (JSON.parse(found.body) as ImportedPost) : { path: null };
    return path === null ? next() : redirectPermanently(c, path);
  };
}

/** Browsers must not store it: the title of a question, and so its address, may change back. */
function redirectPermanently(c: Context, path: string): Response {
  c.header('cache-control', 'no-store');
  return c.redirect(path, 301);
}

/** Whether the request is a navigation. Browsers do not send this header over plain HTTP. */
function isWindow(headers: Headers): boolean {
  return (headers.get('sec-fetch-dest') ?? 'document') === 'document';
}

async function preload(
  fetchApi: (request: Request) => Promise<Response> | Response,
  page: URL,
  url: string,
  headers: Headers,
): Promise<PreloadedResponse> {
  const own = new Headers();
  for (const name of ['cookie', 'host', 'user-agent']) {
    const value = headers.get(name);
    if (value !== null) own.set(name, value);
  }
  const response = await fetchApi(new Request(new URL(url, page.origin), { headers: own }));
  return {
    url,
    status: response.status,
    position: response.headers.get(positionHeader),
    body: await response.text(),
    cookies: response.headers.getSetCookie(),
  };
}

function isMember({ status, body }: PreloadedResponse): boolean {
  return status === 200 && (JSON.parse(body) as SessionState).member !== null;
}

const brotli = (text: string) =>
  // Each page is compressed once per request: a fifth of the time of the default quality for a tenth more bytes.
  promisify(brotliCompress)(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } });
const gzipped = (text: string) => promisify(gzip)(text);
const gunzipped = (body: string | Uint8Array) => promisify(gunzip)(body);
