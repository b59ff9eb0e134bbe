import { hash } from 'node:crypto';
import { sql } from 'kysely';
import type { Reader } from '#server/core/database.ts';
import { overloadedError } from '#server/core/errors.ts';
import { runLimitedProcess } from '#server/core/limited-process.ts';
import { createBinaryFile, type PublicFile } from '#server/core/public-files.ts';
import { unnamedMember } from '#server/core/sql.ts';
import { bylineJoins } from '#server/posts/index.ts';
import type { HexColor } from '#shared/core/colors.ts';
import type { SettingValues } from '#shared/core/setting-catalogue.ts';
import { getButtonColors } from '#shared/core/site-style.ts';
import { truncateWithEllipsis } from '#shared/core/text.ts';

/** The texts in the preview picture of a question and the color of its edge, which other sites show with a link to it. */
export type PreviewTexts = { site: string; title: string; byline: string; color: HexColor };

/** The settings that a picture shows. */
export type PreviewSite = Pick<SettingValues, 'siteName' | 'accentColor'>;

export type PreviewReply = { png: Uint8Array };

/** In pixels: what Open Graph recommends, twice as wide as high. */
export const previewSize = { width: 1200, height: 630 };

/** The route of preview pictures. */
export const previewPicturePattern = '/question/:id/preview.png';

/** Imported titles and names may be longer than members can write. */
const maxLength = { title: 200, name: 60 };

/** Milliseconds and bytes; a picture takes 0.4 s and 130 MiB. */
const rendererLimits = { maxMs: 10_000, maxMemory: 384 * 1024 * 1024 };

/** The texts of a visible question's preview; null if there is no such question. */
export async function readPreviewTexts(
  db: Reader,
  id: number,
  site: PreviewSite,
): Promise<PreviewTexts | null> {
  const { rows } = await sql<PreviewSource>`
    select post.title, coalesce(author.display_name, post.imported_author_name, ${unnamedMember}) as "authorName",
      post.answer_count as "answerCount"
    from question post ${bylineJoins} where post.id = ${id}`.execute(db);
  return rows[0] === undefined ? null : previewTexts(rows[0], site);
}

type PreviewSource = { title: string; authorName: string; answerCount: number };

export function previewTexts(
  { title, authorName, answerCount }: PreviewSource,
  site: PreviewSite,
): PreviewTexts {
  const clean = (text: string, max: number) =>
    truncateWithEllipsis(text.replaceAll(/\s+/gu, ' ').trim(), max);
  const answers = answerCount === 1 ? '1 answer' : `${answerCount} answers`;
  return {
    site: site.siteName,
    color: getButtonColors(site.accentColor)['accent-fill'],
    title: clean(title, maxLength.title),
    byline: `${clean(authorName, maxLength.name)} · ${answers}`,
  };
}

/** The path of a picture. It changes with the texts, because other sites ask once for each address. */
export function previewPath(id: number, texts: PreviewTexts): string {
  return `/question/${id}/preview.png?v=${hash('sha1', JSON.stringify(texts), 'base64url').slice(0, 8)}`;
}

/**
 * Renders the picture in a process of its own, because the libraries for text are native code.
 * @throws ProblemError if it takes too long
 */
export async function renderPreview(texts: PreviewTexts): Promise<PublicFile> {
  const program = new URL('preview-pictures-renderer.ts', import.meta.url);
  const reply = await runLimitedProcess<PreviewReply>(program, texts, rendererLimits);
  if (reply === null) throw overloadedError();
  return createBinaryFile(Buffer.from(reply.png), 'image/png');
}
