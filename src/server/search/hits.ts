import type { Reader } from '#server/platform/database.ts';
import type { SearchHighlight } from '#shared/search.ts';
import type { SearchCriteria } from './asked.ts';
import { highlight, createSnippet, toHighlightTerms, listWordsToStem } from './marks.ts';
import { getStems } from './texts.ts';

/** Where each of the posts found has what was asked for; none where only conditions were asked for. */
export async function listHighlights(
  db: Reader,
  {
    rows,
    criteria,
  }: { rows: readonly { id: number; title: string; content: string }[]; criteria: SearchCriteria },
): Promise<SearchHighlight[]> {
  const wanted = toHighlightTerms(criteria.text, criteria.phrases);
  if (wanted.typed.length === 0 || rows.length === 0) return [];
  const texts = rows.flatMap(({ title, content }) => [title, content]);
  const stems = await getStems(db, listWordsToStem(wanted, texts));
  return rows.map(({ id, title, content }) => ({
    id,
    title: highlight(title, wanted, stems),
    text: createSnippet(content, wanted, stems),
  }));
}
