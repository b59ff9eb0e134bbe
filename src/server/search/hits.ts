import type { Reader } from '#server/platform/database.ts';
import type { SearchHit } from '#shared/search.ts';
import type { Asked } from './asked.ts';
import { marked, markedPiece, wantedOf, wordsToStem } from './marks.ts';
import { stemsOf } from './texts.ts';

/** Where each of the posts found has what was asked for; none where only conditions were asked for. */
export async function hitsOf(
  db: Reader,
  { rows, asked }: { rows: readonly { id: number; title: string; content: string }[]; asked: Asked },
): Promise<SearchHit[]> {
  const wanted = wantedOf(asked.text, asked.phrases);
  if (wanted.typed.length === 0 || rows.length === 0) return [];
  const texts = rows.flatMap(({ title, content }) => [title, content]);
  const stems = await stemsOf(db, wordsToStem(wanted, texts));
  return rows.map(({ id, title, content }) => ({
    id,
    title: marked(title, wanted, stems),
    text: markedPiece(content, wanted, stems),
  }));
}
