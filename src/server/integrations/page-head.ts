import { escapeMarkup, escapeScript } from '#server/core/markup.ts';
import { toPlainText } from '#server/posts/index.ts';
import { truncateWithEllipsis } from '#shared/core/text.ts';
import { sitePageNames } from '#shared/core/site-page-names.ts';
import type { SitePage } from '#shared/core/site-pages.ts';
import { settingCatalogue, type SettingValues } from '#shared/core/setting-catalogue.ts';
import type { TagDocument } from '#shared/discovery/tags.ts';
import type { Profile } from '#shared/identity/profiles.ts';
import { questionPath } from '#shared/posts/question-paths.ts';
import type { QuestionDocument } from '#shared/posts/questions-document.ts';
import { buildBreadcrumbs, buildQaPage } from './structured-data.ts';
import { oembedUrl } from './oembed.ts';
import { type PreviewSite, previewSize, previewTexts, previewPath } from './preview-pictures.ts';
import { feedFormats, feedPath, type FeedSubject } from './web-feed-paths.ts';

/** A page whose head is rendered. */
export type PageHeadRequest = {
  url: URL;
  /** The origin that readers use, such as 'https://ask.example.org'. */
  origin: string;
  /** The settings with the name and the purpose of the site. */
  site: Pick<SettingValues, 'siteName' | 'siteDescription' | 'accentColor'>;
  /** Whether public reading is on. Otherwise the head has the title only. */
  isPublic: boolean;
  /** The JSON of the API responses that the page shows, by their URL. */
  bodies: ReadonlyMap<string, string>;
  /** The title of a page that is not found, without the name of the site. */
  notFoundTitle?: string | undefined;
};

type SiteOfPage = { origin: string; siteName: string };

/** What a page tells search engines and link previews (docs/product.md 20.3). */
type PageDescription = {
  /** Without the name of the site. */
  title?: string;
  description: string;
  /** The path of the only address that search engines should list. */
  path: string;
  feeds: readonly { name: string; subject: FeedSubject }[];
  structured: readonly (object | null)[];
  /** Whether other sites can embed it by oEmbed. */
  embeds?: boolean;
  /** The path of the picture for link previews, with what it says. */
  picture?: { path: string; alt: string };
};

/**
 * Renders the title of a page and, with public reading, its description, canonical address, link preview, feeds and
 * structured data, for the head of its HTML.
 */
export function renderHead(page: PageHeadRequest): string {
  const { siteName } = page.site;
  const description = describePage(page);
  const ownTitle = page.notFoundTitle ?? description?.title;
  const title = ownTitle === undefined ? siteName : `${ownTitle} · ${siteName}`;
  const parts = [`<title>${escapeMarkup(title.replaceAll(/\s+/gu, ' '))}</title>`];
  if (!page.isPublic) return parts.join('');
  // Other pages are for members, or change with every question: search engines follow their links only.
  const isListed = description !== null && !page.url.searchParams.has('after');
  if (!isListed) parts.push('<meta name="robots" content="noindex">');
  if (description === null) return parts.join('');
  const { origin, url } = page;
  const next = findNextPage(page);
  const address = origin + description.path + (isListed ? '' : url.search);
  parts.push(
    meta('name', 'description', description.description),
    `<link rel="canonical" href="${escapeMarkup(address)}">`,
    ...(next === undefined ? [] : [`<link rel="next" href="${escapeMarkup(origin + next)}">`]),
    ...(description.embeds === true ? [renderOembedLink(description, origin)] : []),
    ...description.feeds.flatMap((feed) => renderFeedLinks(feed, origin)),
    meta('property', 'og:site_name', siteName),
    meta('property', 'og:type', description.path.startsWith('/question/') ? 'article' : 'website'),
    meta('property', 'og:title', description.title ?? siteName),
    meta('property', 'og:description', description.description),
    meta('property', 'og:url', address),
    ...renderPicture(description.picture, origin),
    ...description.structured
      .filter((data) => data !== null)
      .map((data) => `<script type="application/ld+json">${escapeScript(JSON.stringify(data))}</script>`),
  );
  return parts.join('');
}

/** The path of the page with the rest of the list; undefined if there is no more. Pages before it have no cursor. */
function findNextPage({ url, bodies }: PageHeadRequest): string | undefined {
  const [, list = ''] = [...bodies].find(([address]) => lists.test(address)) ?? [];
  if (list === '') return undefined;
  const document = JSON.parse(list) as { nextCursor: string | null } | Pick<QuestionDocument, 'answers'>;
  const cursor = 'answers' in document ? document.answers.nextCursor : document.nextCursor;
  if (cursor === null) return undefined;
  const search = new URLSearchParams(url.search);
  search.set('after', cursor);
  return `${url.pathname}?${search.toString()}`;
}

/** The addresses of lists in the API. */
const lists = /^\/api\/(?:feeds\/\w+|questions\/\d+|tags|tags\/[^/?]+\/questions)(?:\?|$)/u;

const meta = (key: 'name' | 'property', name: string, content: string) =>
  `<meta ${key}="${name}" content="${escapeMarkup(content.replaceAll(/\s+/gu, ' '))}">`;

function renderPicture(picture: PageDescription['picture'], origin: string): string[] {
  if (picture === undefined) return [meta('name', 'twitter:card', 'summary')];
  return [
    meta('property', 'og:image', origin + picture.path),
    meta('property', 'og:image:type', 'image/png'),
    meta('property', 'og:image:width', String(previewSize.width)),
    meta('property', 'og:image:height', String(previewSize.height)),
    meta('property', 'og:image:alt', picture.alt),
    meta('name', 'twitter:card', 'summary_large_image'),
  ];
}

const renderOembedLink = ({ title = '', path }: PageDescription, origin: string) =>
  `<link rel="alternate" type="application/json+oembed" title="${escapeMarkup(title)}" href="${escapeMarkup(oembedUrl(origin, origin + path))}">`;

function renderFeedLinks({ name, subject }: PageDescription['feeds'][number], origin: string): string[] {
  return feedFormats.map((format) => {
    const href = escapeMarkup(origin + feedPath(subject, format));
    return `<link rel="alternate" type="application/${format}+xml" title="${escapeMarkup(name)}" href="${href}">`;
  });
}

/** Null for pages that search engines should not list. */
function describePage({ url, origin, site, bodies }: PageHeadRequest): PageDescription | null {
  const find = (pattern: RegExp): unknown => {
    const [, body] = [...bodies].find(([address]) => pattern.test(address)) ?? [];
    return body === undefined ? undefined : JSON.parse(body);
  };
  const [, area = '', subject] = url.pathname.split('/');
  if (area === '') return describeHome(url, site);
  if (isSitePage(area) && !subject)
    return describeSitePage(find(/^\/api\/site-pages\//u) as SitePage | undefined);
  if (area === 'topics' && !subject) return describeTags();
  if (area === 'topics')
    return describeTag(find(/^\/api\/tags\/[^/?]+$/u) as TagDocument | undefined, { origin, ...site });
  if (area === 'question')
    return describeQuestion(find(/^\/api\/questions\/\d+\?/u) as QuestionDocument | undefined, {
      origin,
      ...site,
    });
  if (area === 'profile' && subject)
    return describeProfile(find(/^\/api\/members\/\d+$/u) as Profile | undefined);
  return null;
}

/** The maximum length of a description in code points: search engines show no more. */
const maxDescriptionLength = 160;

const shorten = (text: string) => truncateWithEllipsis(text.trim(), maxDescriptionLength);

const tags = { name: 'Topics', path: '/topics' };

function describeHome({ searchParams }: URL, site: PageHeadRequest['site']): PageDescription {
  const tab = searchParams.get('tab');
  const isOther = tab === 'popular' || tab === 'unanswered';
  return {
    description: site.siteDescription || 'Questions and answers of the community.',
    path: isOther ? `/?tab=${tab}` : '/',
    feeds: [
      { name: 'Newest questions', subject: { kind: 'recent' } },
      { name: 'Unanswered questions', subject: { kind: 'unanswered' } },
    ],
    structured: [],
  };
}

const isSitePage = (area: string) => sitePageNames.some((name) => name === area);

function describeSitePage(page: SitePage | undefined): PageDescription | null {
  if (page === undefined) return null;
  const { name, text } = page;
  const title = settingCatalogue[`${name}Page`].label;
  return {
    title,
    description: shorten(toPlainText(text).prose || title),
    path: `/${name}`,
    feeds: [],
    structured: [],
  };
}

function describeTags(): PageDescription {
  return {
    title: 'Discover Topics',
    description: 'All topics that questions are about.',
    path: '/topics',
    feeds: [],
    structured: [],
  };
}

function describeTag(tag: TagDocument | undefined, { origin, siteName }: SiteOfPage): PageDescription | null {
  if (tag === undefined || tag.questionsCount === 0) return null;
  const path = `/topics/${encodeURIComponent(tag.name)}`;
  const count = tag.questionsCount === 1 ? '1 question' : `${tag.questionsCount} questions`;
  return {
    title: tag.name,
    description: shorten(`${count} about ${tag.name}. ${tag.description}`),
    path,
    feeds: [{ name: `Questions about ${tag.name}`, subject: { kind: 'tag', tag: tag.name } }],
    structured: [buildBreadcrumbs([{ name: siteName, path: '/' }, tags, { name: tag.name, path }], origin)],
  };
}

function describeQuestion(
  page: QuestionDocument | undefined,
  { origin, ...site }: SiteOfPage & PreviewSite,
): PageDescription | null {
  if (page === undefined) return null;
  const { siteName } = site;
  const { id, title, excerpt, tags: names } = page.question;
  const texts = previewTexts(page.question, site);
  const path = questionPath(id, title);
  const topics = names.slice(0, 1).map((name) => ({ name, path: `/topics/${encodeURIComponent(name)}` }));
  return {
    title,
    // A text with nothing but pictures has no excerpt.
    description: shorten(excerpt || title),
    path,
    embeds: true,
    picture: { path: previewPath(id, texts), alt: `${texts.title}. ${texts.byline}` },
    feeds: [{ name: `Answers to "${title}"`, subject: { kind: 'question', id } }],
    structured: [
      buildQaPage(page, origin),
      buildBreadcrumbs([{ name: siteName, path: '/' }, ...topics, { name: title, path }], origin),
    ],
  };
}

function describeProfile(member: Profile | undefined): PageDescription | null {
  if (member === undefined) return null;
  const { id, displayName, bio, questionsCount, answersCount } = member;
  const { prose } = toPlainText(bio ?? '');
  return {
    title: displayName,
    description: shorten(
      prose || `${displayName} has asked ${questionsCount} and answered ${answersCount} questions.`,
    ),
    path: `/profile/${id}`,
    feeds: [{ name: `Posts by ${displayName}`, subject: { kind: 'member', id } }],
    structured: [],
  };
}
