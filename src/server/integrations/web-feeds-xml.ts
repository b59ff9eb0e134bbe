import { escapeMarkup as escape } from '#server/core/markup.ts';
import { feedPath, type FeedFormat, type FeedSubject } from './web-feed-paths.ts';

export type FeedEntry = {
  /** The path of the post with its readable title. */
  path: string;
  /** A path that never changes. */
  stablePath: string;
  title: string;
  /** The text as HTML. */
  html: string;
  author: { name: string; path: string | null };
  tags: readonly string[];
  createdAt: Date;
  updatedAt: Date;
};

export type WebFeed = {
  subject: FeedSubject;
  title: string;
  /** The path of the page with the same content. */
  path: string;
  entries: readonly FeedEntry[];
};

/** The content type of each format (RFC 4287, section 7; RSS Best Practices Profile). */
export const feedContentTypes: Readonly<Record<FeedFormat, string>> = {
  atom: 'application/atom+xml; charset=utf-8',
  rss: 'application/rss+xml; charset=utf-8',
};

/** The time of the latest change; an empty feed has none. */
export function getUpdatedAt({ entries }: WebFeed): Date {
  return new Date(Math.max(0, ...entries.map(({ updatedAt }) => updatedAt.getTime())));
}

/** @param origin of the site, such as 'https://ask.example.org' */
export function renderFeed(feed: WebFeed, format: FeedFormat, origin: string): string {
  return (format === 'atom' ? renderAtom : renderRss)(feed, origin);
}

/** Atom (RFC 4287). */
function renderAtom(feed: WebFeed, origin: string): string {
  const self = origin + feedPath(feed.subject, 'atom');
  const entries = feed.entries.map(
    (entry) => `
  <entry>
    <id>${escape(origin + entry.stablePath)}</id>
    <title>${escape(entry.title)}</title>
    <link rel="alternate" type="text/html" href="${escape(origin + entry.path)}"/>
    <published>${entry.createdAt.toISOString()}</published>
    <updated>${entry.updatedAt.toISOString()}</updated>
    <author><name>${escape(entry.author.name)}</name>${
      entry.author.path === null ? '' : `<uri>${escape(origin + entry.author.path)}</uri>`
    }</author>${entry.tags.map((tag) => `\n    <category term="${escape(tag)}"/>`).join('')}
    <content type="html">${escape(entry.html)}</content>
  </entry>`,
  );
  return `<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
  <id>${escape(self)}</id>
  <title>${escape(feed.title)}</title>
  <updated>${getUpdatedAt(feed).toISOString()}</updated>
  <link rel="self" type="application/atom+xml" href="${escape(self)}"/>
  <link rel="alternate" type="text/html" href="${escape(origin + feed.path)}"/>
  <generator>Parley</generator>${entries.join('')}
</feed>
`;
}

/** RSS 2.0 (https://www.rssboard.org/rss-specification), with the author by Dublin Core and the feed's address by Atom. */
function renderRss(feed: WebFeed, origin: string): string {
  const items = feed.entries.map(
    (entry) => `
    <item>
      <title>${escape(entry.title)}</title>
      <link>${escape(origin + entry.path)}</link>
      <guid isPermaLink="false">${escape(origin + entry.stablePath)}</guid>
      <pubDate>${entry.createdAt.toUTCString()}</pubDate>
      <dc:creator>${escape(entry.author.name)}</dc:creator>${entry.tags
        .map((tag) => `\n      <category>${escape(tag)}</category>`)
        .join('')}
      <description>${escape(entry.html)}</description>
    </item>`,
  );
  return `<?xml version="1.0" encoding="utf-8"?>
<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom" xmlns:dc="http://purl.org/dc/elements/1.1/">
  <channel>
    <title>${escape(feed.title)}</title>
    <link>${escape(origin + feed.path)}</link>
    <description>${escape(feed.title)}</description>
    <lastBuildDate>${getUpdatedAt(feed).toUTCString()}</lastBuildDate>
    <generator>Parley</generator>
    <atom:link rel="self" type="application/rss+xml" href="${escape(origin + feedPath(feed.subject, 'rss'))}"/>${items.join('')}
  </channel>
</rss>
`;
}
