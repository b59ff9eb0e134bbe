import type { ClientBase } from 'pg';
import { limits } from '#shared/core/limits.ts';
import { truncateAtWord } from '#shared/core/text.ts';
import { type CopyCell, copyRows } from './copy-rows.ts';
import { cleanDescription } from './stack-exchange-characters.ts';
import type { ConvertedText } from './stack-exchange-content.ts';
import { parseLicense, parseInteger, parseTime } from './stack-exchange-fields.ts';
import { mayLinkToPosts } from './stack-exchange-links.ts';
import { incompleteReason, stageEach } from './stack-exchange-stage.ts';
import type { RowTally } from './stack-exchange-tally.ts';
import type { ArchiveRow } from './stack-exchange-xml.ts';

/** Types of posts: the excerpt of a tag wiki, which is one line of plain text, and the wiki. */
const kinds: ReadonlyMap<string | undefined, 'description' | 'about'> = new Map([
  ['4', 'description'],
  ['5', 'about'],
]);

export const isTagText = (row: ArchiveRow): boolean => kinds.has(row['PostTypeId']);

/** Stages excerpts and wikis of tags, the excerpts as descriptions. */
export async function stageTagTexts(
  client: ClientBase,
  texts: readonly { row: ArchiveRow; text: ConvertedText }[],
  tally: RowTally,
): Promise<void> {
  const staged = stageEach(texts, tally, ({ row, text }): CopyCell[] | string => {
    const id = parseInteger(row['Id']);
    const created = parseTime(row['CreationDate']);
    const kind = kinds.get(row['PostTypeId']);
    if (id === null || created === null || kind === undefined) return incompleteReason;
    const page = row['Body'] ?? '';
    const content =
      kind === 'description' ? truncateAtWord(cleanDescription(page), limits.tagDescription) : text.content;
    if (page.trim() === '' || content === '') return 'excerpts and tag wikis without text';
    return [id, kind, content, parseLicense(row['ContentLicense'], created), mayLinkToPosts(content)];
  });
  await copyRows(client, 'archive_tag_text (id, kind, content, license, has_links)', staged);
}
