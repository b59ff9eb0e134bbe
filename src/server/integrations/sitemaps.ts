import { setImmediate } from 'node:timers/promises';
import type { Reader } from '#server/core/database.ts';
import { escapeMarkup } from '#server/core/markup.ts';
import { questionPath } from '#shared/posts/question-paths.ts';
import {
  readHighestIds,
  readSitemapRows,
  type SitemapKind,
  sitemapKinds,
  type SitemapRow,
} from './sitemaps-queries.ts';

/** The ids of one sitemap, and so its most addresses (https://www.sitemaps.org/protocol.html). */
const idsPerSitemap = 50_000;

/** Rows per statement. Between two, the server handles other requests. */
const rowsPerRead = 1_000;

const start = '<?xml version="1.0" encoding="utf-8"?>\n';
const namespace = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"';

/**
 * The list of all sitemaps. Each has the pages of a range of ids, so that none is read to find the beginning of another
 * and an address stays in its sitemap.
 */
export async function buildSitemapIndex(db: Reader, origin: string): Promise<string[]> {
  const highest = await readHighestIds(db);
  const names = sitemapKinds.flatMap((kind) =>
    Array.from({ length: Math.ceil(highest[kind] / idsPerSitemap) }, (_, index) => `${kind}-${index + 1}`),
  );
  return [
    `${start}<sitemapindex ${namespace}>\n`,
    ...names.map(
      (name) => `<sitemap><loc>${escapeMarkup(`${origin}/sitemaps/${name}.xml`)}</loc></sitemap>\n`,
    ),
    '</sitemapindex>\n',
  ];
}

/**
 * The pages of a kind in the given range of ids, as parts of one document. Null if there is none.
 * @param number from 1 on
 */
export async function buildSitemap(
  db: Reader,
  { kind, number }: { kind: SitemapKind; number: number },
  origin: string,
): Promise<string[] | null> {
  const upTo = number * idsPerSitemap;
  const parts: string[] = [];
  let after = upTo - idsPerSitemap;
  for (;;) {
    const rows = await readSitemapRows[kind](db, { after, upTo }, rowsPerRead);
    parts.push(rows.map((row) => renderPage(kind, row, origin)).join(''));
    const last = rows.at(-1);
    if (last === undefined || rows.length < rowsPerRead) break;
    after = last.id;
    await setImmediate();
  }
  if (parts.join('') === '') return null;
  return [`${start}<urlset ${namespace}>\n`, ...parts, '</urlset>\n'];
}

function renderPage(kind: SitemapKind, row: SitemapRow, origin: string): string {
  const changed = row.changed_at === null ? '' : `<lastmod>${row.changed_at.toISOString()}</lastmod>`;
  return `<url><loc>${escapeMarkup(origin + pagePaths[kind](row))}</loc>${changed}</url>\n`;
}

const pagePaths: Readonly<Record<SitemapKind, (row: SitemapRow) => string>> = {
  questions: ({ id, title }) => questionPath(id, title),
  topics: ({ title }) => `/topics/${encodeURIComponent(title)}`,
  members: ({ id }) => `/profile/${id}`,
};
