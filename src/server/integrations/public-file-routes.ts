import { type Context, Hono, type MiddlewareHandler } from 'hono';
import { tagKey } from '#shared/core/text.ts';
import type { RouteDeps } from '#server/core/http.ts';
import {
  createPublicFiles,
  createTextFile,
  type PublicFile,
  sendPublicFile,
} from '#server/core/public-files.ts';
import { getNetworkAddress, isLoopbackNetwork, toRegistrationNetwork } from '#server/core/network-address.ts';
import { getOrigin } from '#server/core/operator-settings.ts';
import { isQuestionDeleted } from '#server/posts/index.ts';
import { buildOembed, oembedPath, parseQuestionUrl } from './oembed.ts';
import { previewPicturePattern, readPreviewTexts, renderPreview } from './preview-pictures.ts';
import { buildSitemap, buildSitemapIndex } from './sitemaps.ts';
import { sitemapKinds } from './sitemaps-queries.ts';
import { type FeedFormat, feedFormats, type FeedSubject } from './web-feed-paths.ts';
import { readWebFeed } from './web-feeds.ts';
import {
  buildWidgetData,
  buildWidgetScript,
  parseQuestionCount,
  parseWidgetLanguage,
  parseWidgetSubject,
  widgetDataPath,
  widgetScriptPath,
} from './widget.ts';
import { feedContentTypes, getUpdatedAt, renderFeed } from './web-feeds-xml.ts';

/**
 * The lifetimes of files in seconds: on this server, and in shared caches. Together, they limit how long a hidden post stays
 * in a file (docs/product.md 20.6).
 */
const feedLifetime = { stored: 25, shared: 25 };
const sitemapLifetime = { stored: 300, shared: 300 };

/** The script changes with a new version or another language of the community. */
const widgetScriptSeconds = 300;

/** The texts are read for each request; the picture of the same texts never changes. */
const previewLifetime = { stored: 86_400, shared: 300 };

const maxPreviewBytes = 16 * 1024 * 1024;
const maxFeedBytes = 8 * 1024 * 1024;
const maxWidgetBytes = 4 * 1024 * 1024;
const maxSitemapBytes = 24 * 1024 * 1024;

/**
 * Files for other programs: robots.txt, sitemaps and feeds. They exist while public reading is on. Otherwise their
 * addresses respond as any other, so that the response does not reveal what exists.
 */
export function publicFileRoutes({ db, settings, siteSettings }: RouteDeps) {
  const feeds = createPublicFiles({ maxBytes: maxFeedBytes, maxAgeSeconds: feedLifetime.stored });
  const sitemaps = createPublicFiles({ maxBytes: maxSitemapBytes, maxAgeSeconds: sitemapLifetime.stored });
  const previews = createPublicFiles({ maxBytes: maxPreviewBytes, maxAgeSeconds: previewLifetime.stored });
  const widgets = createPublicFiles({ maxBytes: maxWidgetBytes, maxAgeSeconds: feedLifetime.stored });
  // Comparing texts takes longer. The questions of a topic do not wait for it.
  const relatedLists = createPublicFiles({ maxBytes: maxWidgetBytes, maxAgeSeconds: feedLifetime.stored });
  const isOn = () => siteSettings.get('publicReading');
  const originOf = (c: Context) => getOrigin(settings, new URL(c.req.url));
  const networkOf = (c: Context) => {
    const network = toRegistrationNetwork(getNetworkAddress(c, settings.trustedProxies));
    return network === null || isLoopbackNetwork(network) ? null : network;
  };
  const ifOn =
    (handler: (c: Context) => Promise<Response>): MiddlewareHandler =>
    (c, next) =>
      isOn() ? handler(c) : next().then(() => undefined);
  return new Hono()
    .get('/robots.txt', (c) => c.text(isOn() ? createRobotsFile(originOf(c)) : refusingRobotsFile))
    .get('/sitemap.xml', ifOn(sendSitemapIndex))
    .get('/sitemaps/:name', ifOn(sendSitemap))
    .get('/feeds/*', ifOn(sendFeed))
    .get(previewPicturePattern, ifOn(sendPreview))
    .get(oembedPath, ifOn(sendOembed))
    .get(widgetScriptPath, ifOn(sendWidgetScript))
    .get(widgetDataPath, ifOn(sendWidgetData));

  async function sendSitemapIndex(c: Context): Promise<Response> {
    const origin = originOf(c);
    const file = await sitemaps(networkOf(c), `${origin} index`, async () =>
      toXmlFile(await buildSitemapIndex(db, origin)),
    );
    return sendPublicFile(c, file, sitemapLifetime.shared);
  }

  async function sendSitemap(c: Context): Promise<Response> {
    const [, name, number] = /^([a-z]+)-([1-9]\d{0,5})\.xml$/u.exec(c.req.param('name') ?? '') ?? [];
    const kind = sitemapKinds.find((each) => each === name);
    if (kind === undefined) return sendPublicFile(c, null, 0);
    const origin = originOf(c);
    const file = await sitemaps(networkOf(c), `${origin} ${kind} ${number}`, async () =>
      toXmlFile(await buildSitemap(db, { kind, number: Number(number) }, origin)),
    );
    return sendPublicFile(c, file, sitemapLifetime.shared);
  }

  async function sendFeed(c: Context): Promise<Response> {
    const wanted = parseFeedPath(c.req.path);
    if (wanted === null) return sendPublicFile(c, null, 0);
    const { subject, format } = wanted;
    const origin = originOf(c);
    const siteName = siteSettings.get('siteName');
    const file = await feeds(networkOf(c), JSON.stringify([origin, siteName, wanted]), async () => {
      const feed = await readWebFeed(db, subject, { siteName, origin });
      if (feed === null) return null;
      return createTextFile([renderFeed(feed, format, origin)], {
        contentType: feedContentTypes[format],
        lastModified: getUpdatedAt(feed),
      });
    });
    if (file === null && subject.kind === 'question') return sendMissing(c, subject.id);
    return sendPublicFile(c, file, feedLifetime.shared);
  }

  async function sendPreview(c: Context): Promise<Response> {
    const id = Number(/^[1-9]\d{0,14}$/u.exec(c.req.param('id') ?? '')?.[0]);
    if (Number.isNaN(id)) return sendPublicFile(c, null, 0);
    const texts = await readPreviewTexts(db, id, {
      siteName: siteSettings.get('siteName'),
      accentColor: siteSettings.get('accentColor'),
    });
    if (texts === null) return sendMissing(c, id);
    const file = await previews(networkOf(c), JSON.stringify(texts), () => renderPreview(texts));
    return sendPublicFile(c, file, previewLifetime.shared);
  }

  async function sendOembed(c: Context): Promise<Response> {
    const { url = '', format = 'json', maxwidth, maxheight } = c.req.query();
    if (format !== 'json') return c.text('Only JSON is available\n', 501, { 'cache-control': 'no-store' });
    const limits = { maxWidth: parseLimit(maxwidth), maxHeight: parseLimit(maxheight) };
    const origin = originOf(c);
    const id = parseQuestionUrl(url, origin);
    if (id === null) return sendPublicFile(c, null, 0);
    const texts = await readPreviewTexts(db, id, {
      siteName: siteSettings.get('siteName'),
      accentColor: siteSettings.get('accentColor'),
    });
    if (texts === null) return sendMissing(c, id);
    // Any site may read it: it has what every visitor sees.
    c.header('access-control-allow-origin', '*');
    c.header('cache-control', `public, max-age=0, s-maxage=${feedLifetime.shared}`);
    return c.json(buildOembed({ id, texts }, origin, limits));
  }

  async function sendWidgetScript(c: Context): Promise<Response> {
    const language = parseWidgetLanguage(c.req.query('language'), siteSettings.get('language'));
    const file = await widgets(networkOf(c), `script ${language}`, () => buildWidgetScript(language));
    return sendPublicFile(c, file, widgetScriptSeconds);
  }

  async function sendWidgetData(c: Context): Promise<Response> {
    // Any site may read it: it has what every visitor sees.
    c.header('access-control-allow-origin', '*');
    const query = c.req.query();
    const subject = parseWidgetSubject(query);
    if (subject === null) return sendPublicFile(c, null, 0);
    const wanted = {
      subject,
      count: parseQuestionCount(query['count']),
      language: parseWidgetLanguage(query['language'], siteSettings.get('language')),
      origin: originOf(c),
    };
    const files = 'tag' in subject ? widgets : relatedLists;
    const file = await files(networkOf(c), JSON.stringify(wanted), () => buildWidgetData(db, wanted));
    return sendPublicFile(c, file, feedLifetime.shared);
  }

  async function sendMissing(c: Context, questionId: number): Promise<Response> {
    if (!(await isQuestionDeleted(db, questionId))) return sendPublicFile(c, null, 0);
    return c.text('Gone\n', 410, { 'cache-control': 'no-store' });
  }
}

/** A limit in pixels; one that is not a number is none. */
const parseLimit = (text: string | undefined) =>
  /^[1-9]\d{0,5}$/u.test(text ?? '') ? Number(text) : Number.POSITIVE_INFINITY;

const toXmlFile = async (parts: readonly string[] | null): Promise<PublicFile | null> =>
  parts && createTextFile(parts, { contentType: 'application/xml; charset=utf-8', lastModified: undefined });

/** Only members can read, so crawlers (RFC 9309) would find nothing but sign-in pages. */
const refusingRobotsFile = 'User-agent: *\nDisallow: /\n';

/** Search results and forms change all the time and are no use in other search engines. */
function createRobotsFile(origin: string): string {
  const refused = ['/search', '/ask', '/login', '/register', '/forgot-password'];
  return `User-agent: *\n${refused.map((path) => `Disallow: ${path}\n`).join('')}\nSitemap: ${origin}/sitemap.xml\n`;
}

const id = String.raw`([1-9]\d{0,14})`;
const subjects: readonly { path: RegExp; toSubject: (named: string) => FeedSubject }[] = [
  { path: /^recent$/u, toSubject: () => ({ kind: 'recent' }) },
  { path: /^unanswered$/u, toSubject: () => ({ kind: 'unanswered' }) },
  { path: /^topics\/([^/]+)$/u, toSubject: (tag) => ({ kind: 'tag', tag: tagKey(tag) }) },
  {
    path: new RegExp(`^question/${id}$`, 'u'),
    toSubject: (text) => ({ kind: 'question', id: Number(text) }),
  },
  { path: new RegExp(`^profile/${id}$`, 'u'), toSubject: (text) => ({ kind: 'member', id: Number(text) }) },
];

/** The feed at an address; null if there cannot be one. */
function parseFeedPath(path: string): { subject: FeedSubject; format: FeedFormat } | null {
  const format = feedFormats.find((each) => path.endsWith(`.${each}`));
  if (format === undefined) return null;
  const page = path.slice('/feeds/'.length, -format.length - 1);
  for (const { path: pattern, toSubject } of subjects) {
    const match = pattern.exec(page);
    if (match === null) continue;
    const named = decode(match[1] ?? '');
    return named === null ? null : { subject: toSubject(named), format };
  }
  return null;
}

/** Null for what is not percent-encoded UTF-8, and for NUL, which PostgreSQL refuses. */
function decode(text: string): string | null {
  try {
    const decoded = decodeURIComponent(text);
    return decoded.includes('\0') ? null : decoded;
  } catch {
    return null;
  }
}
