import { escapeMarkup } from '#server/core/markup.ts';
import { type PreviewTexts, previewPath, previewSize } from './preview-pictures.ts';

export const oembedPath = '/oembed';

/** The address of the oEmbed response for a page. */
export const oembedUrl = (origin: string, page: string): string =>
  `${origin}${oembedPath}?${new URLSearchParams({ url: page }).toString()}`;

/** The widest embedded question, in CSS pixels. */
const maxWidth = 600;

/** The limits of the site that embeds the question, in CSS pixels. */
export type OembedLimits = { maxWidth: number; maxHeight: number };

/** Returns the id of the question at an address of this site; null for another address. */
export function parseQuestionUrl(url: string, origin: string): number | null {
  const parsed = URL.parse(url);
  if (parsed === null || parsed.origin !== new URL(origin).origin) return null;
  const id = /^\/question\/([1-9]\d{0,14})(?:\/|$)/u.exec(parsed.pathname)?.[1];
  return id === undefined ? null : Number(id);
}

/** An oEmbed response of the type `rich` (https://oembed.com): a quotation of the title that links to the question. */
export function buildOembed(
  { id, texts }: { id: number; texts: PreviewTexts },
  origin: string,
  limits: OembedLimits,
) {
  const url = `${origin}/question/${id}`;
  const fits = previewSize.width <= limits.maxWidth && previewSize.height <= limits.maxHeight;
  return {
    version: '1.0',
    type: 'rich',
    title: texts.title,
    provider_name: texts.site,
    provider_url: `${origin}/`,
    cache_age: 300,
    width: Math.min(maxWidth, limits.maxWidth),
    height: null,
    html:
      `<blockquote class="parley-question"><p><a href="${escapeMarkup(url)}">${escapeMarkup(texts.title)}</a></p>` +
      `<footer>${escapeMarkup(`${texts.byline} · ${texts.site}`)}</footer></blockquote>`,
    ...(fits && {
      thumbnail_url: origin + previewPath(id, texts),
      thumbnail_width: previewSize.width,
      thumbnail_height: previewSize.height,
    }),
  };
}
