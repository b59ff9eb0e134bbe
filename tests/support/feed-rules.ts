import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { z } from 'zod';

/*
 * The rules for feeds and sitemaps: the RELAX NG schema of Atom (RFC 4287, appendix B), RSS 2.0 with the RSS Best
 * Practices Profile, and the XML schemas of https://www.sitemaps.org, as schemas of the parsed document without further
 * elements.
 */

const lists = new Set(['entry', 'item', 'link', 'category', 'url', 'sitemap']);
const parser = new XMLParser({
  ignoreAttributes: false,
  attributeNamePrefix: '@',
  parseTagValue: false,
  // The texts of feeds are HTML that is escaped as a whole.
  processEntities: { enabled: true, maxTotalExpansions: Infinity, maxExpandedLength: Infinity },
  isArray: (name, path) =>
    lists.has(name) &&
    !String(path).startsWith('rss.channel.link') &&
    !String(path).startsWith('rss.channel.item.link'),
});

/** Parses a document that is well-formed, and otherwise fails. */
export function parseXml(xml: string): Record<string, unknown> {
  const verdict = XMLValidator.validate(xml);
  if (verdict !== true) throw new Error(`not well-formed: ${verdict.err.msg} (line ${verdict.err.line})`);
  return parser.parse(xml) as Record<string, unknown>;
}

const declaration = z.strictObject({ '@version': z.literal('1.0'), '@encoding': z.literal('utf-8') });
const address = z.url({ protocol: /^https?$/u });
const time = z.iso.datetime();
const text = z.string().min(1);
/** RFC 822 with a year of four digits. */
const rfc822 = z
  .string()
  .regex(/^(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/u);

const atomLink = z.strictObject({
  '@rel': z.enum(['self', 'alternate']),
  '@type': z.enum(['application/atom+xml', 'text/html']),
  '@href': address,
});

const hasOne = (rel: string) => (links: readonly z.infer<typeof atomLink>[]) =>
  links.filter((link) => link['@rel'] === rel).length === 1;

const entry = z.strictObject({
  id: address,
  title: text,
  link: z.array(atomLink).refine(hasOne('alternate')),
  published: time,
  updated: time,
  author: z.strictObject({ name: text, uri: address.optional() }),
  category: z.array(z.strictObject({ '@term': text })).optional(),
  content: z.strictObject({ '#text': z.string(), '@type': z.literal('html') }),
});

export const atomFeed = z.strictObject({
  '?xml': declaration,
  feed: z
    .strictObject({
      '@xmlns': z.literal('http://www.w3.org/2005/Atom'),
      id: address,
      title: text,
      updated: time,
      link: z.array(atomLink).refine(hasOne('self')).refine(hasOne('alternate')),
      generator: text,
      entry: z.array(entry).default([]),
    })
    .refine((feed) => new Set(feed.entry.map(({ id }) => id)).size === feed.entry.length, 'ids differ')
    .refine(
      (feed) => feed.entry.every(({ updated }) => updated <= feed.updated),
      'the feed is as new as its newest entry',
    ),
});

export const rssFeed = z.strictObject({
  '?xml': declaration,
  rss: z.strictObject({
    '@version': z.literal('2.0'),
    '@xmlns:atom': z.literal('http://www.w3.org/2005/Atom'),
    '@xmlns:dc': z.literal('http://purl.org/dc/elements/1.1/'),
    channel: z.strictObject({
      title: text,
      link: address,
      description: text,
      lastBuildDate: rfc822,
      generator: text,
      'atom:link': z.strictObject({
        '@rel': z.literal('self'),
        '@type': z.literal('application/rss+xml'),
        '@href': address,
      }),
      item: z
        .array(
          z.strictObject({
            title: text,
            link: address,
            guid: z.strictObject({ '#text': address, '@isPermaLink': z.literal('false') }),
            pubDate: rfc822,
            'dc:creator': text,
            category: z.array(text).optional(),
            description: z.string(),
          }),
        )
        .default([]),
    }),
  }),
});

const namespace = z.literal('http://www.sitemaps.org/schemas/sitemap/0.9');
const location = address.max(2048);

export const sitemapIndex = z.strictObject({
  '?xml': declaration,
  sitemapindex: z.strictObject({
    '@xmlns': namespace,
    sitemap: z.array(z.strictObject({ loc: location, lastmod: time.optional() })).max(50_000),
  }),
});

export const sitemap = z.strictObject({
  '?xml': declaration,
  urlset: z.strictObject({
    '@xmlns': namespace,
    url: z
      .array(z.strictObject({ loc: location, lastmod: time.optional() }))
      .min(1)
      .max(50_000)
      .refine((urls) => new Set(urls.map(({ loc }) => loc)).size === urls.length, 'addresses differ'),
  }),
});
