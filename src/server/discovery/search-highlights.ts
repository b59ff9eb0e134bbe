import { toPlainText } from '#server/posts/index.ts';
import type { HighlightedText, SearchHighlight } from '#shared/discovery/search.ts';
import { otherScriptLetter, withoutPunctuation } from './search-words.ts';
import { sql } from 'kysely';
import { LRUCache } from 'lru-cache';
import type { Reader } from '#server/core/database.ts';
import type { SearchCriteria } from './search-criteria.ts';

/** Texts to highlight as typed, and words to highlight in any inflection with one of these stems. */
export type HighlightTerms = { typed: readonly string[]; words: readonly string[] };

/** The stem of each word from PostgreSQL's English dictionary; null for stop words such as 'the'. */
export type Stems = ReadonlyMap<string, string | null>;

/** Half-open range, in UTF-16 units. */
type Span = { from: number; to: number };

/** Highlights per text at most. */
const maxSpans = 200;
/** Size of a snippet around a match, in UTF-16 units: about as long as the excerpt on a card. */
const snippetSize = { before: 60, length: 220 };
/** Size of the Markdown source around a match that is read for the snippet, in UTF-16 units. */
const contextSize = { before: 160, after: 480 };

/**
 * @param text the words of the query, '' for none.
 * @param phrases texts to find as typed.
 */
export function toHighlightTerms(text: string, phrases: readonly string[]): HighlightTerms {
  const words = text
    .split(' ')
    .map(withoutPunctuation)
    .filter((word) => word !== '');
  return { typed: [...phrases, ...(text === '' ? [] : [text])], words: [...new Set(words)] };
}

/**
 * Returns the words of the query, and the words of the texts that can be inflections of one: those that start alike.
 */
export function listWordsToStem({ words }: HighlightTerms, texts: readonly string[]): string[] {
  const queryWords = words.filter((word) => !otherScriptLetter.test(word)).map((word) => word.toLowerCase());
  const starts = new Set(queryWords.map(startOf));
  const found = new Set(queryWords);
  for (const text of texts)
    for (const [word] of text.matchAll(wordsOfText)) {
      const lower = word.toLowerCase();
      if (starts.has(startOf(lower))) found.add(lower);
    }
  return [...found].filter((word) => word.length <= 60);
}

/** Splits the whole text into highlighted and other parts. */
export function highlight(text: string, wanted: HighlightTerms, stems: Stems): HighlightedText {
  return splitText(text, findSpans(text, wanted, stems), { from: 0, to: text.length });
}

/** Returns a part of the text around the first match, without Markdown marks; null if there is no match. */
export function createSnippet(
  markdown: string,
  wanted: HighlightTerms,
  stems: Stems,
): HighlightedText | null {
  const first = findBestSpan(markdown, wanted, stems);
  if (first === undefined) return null;
  const window = windowAround(markdown, first);
  const { prose, blocks } = toPlainText(markdown.slice(window.from, window.to));
  const text = [prose, blocks].find((candidate) => findBestSpan(candidate, wanted, stems) !== undefined);
  // A match only inside a link address or a mark cannot be shown.
  const span = text === undefined ? undefined : findBestSpan(text, wanted, stems);
  if (text === undefined || span === undefined) return null;
  const from = span.from <= snippetSize.before ? 0 : wordStart(text, span.from - snippetSize.before);
  const to =
    from + snippetSize.length >= text.length
      ? text.length
      : wordEnd(text, Math.max(span.to, from + snippetSize.length));
  const parts = splitText(text, findSpans(text, wanted, stems), { from, to });
  if (from > 0 || window.from > 0) parts.unshift({ text: '… ', highlighted: false });
  if (to < text.length || window.to < markdown.length) parts.push({ text: ' …', highlighted: false });
  return parts;
}

/** Prefers the text as typed to single words. Long texts are read only up to the first match. */
function findBestSpan(text: string, { typed, words }: HighlightTerms, stems: Stems): Span | undefined {
  for (const part of typed) {
    const [found] = findTypedSpans(text, part, 1);
    if (found !== undefined) return found;
  }
  const { significant, askedStems: wantedStems } = filterStopWords(words, stems);
  const [first] = significant
    .flatMap((word) => findTypedSpans(text, word, 1))
    .toSorted((a, b) => a.from - b.from);
  for (const { 0: word, index } of text.matchAll(wordsOfText)) {
    if (first !== undefined && index > first.from) break;
    if (hasWantedStem(word, wantedStems, stems)) return { from: index, to: index + word.length };
  }
  return first;
}

/** Stop words such as 'the' are highlighted only as part of the typed text. */
function filterStopWords(words: readonly string[], stems: Stems) {
  const significant = words.filter(
    (word) => otherScriptLetter.test(word) || stems.get(word.toLowerCase()) !== null,
  );
  const wantedStems = new Set(
    significant.map((word) => stems.get(word.toLowerCase())).filter((stem) => stem !== undefined),
  );
  return { significant, askedStems: wantedStems };
}

function hasWantedStem(word: string, wantedStems: ReadonlySet<string | null>, stems: Stems): boolean {
  const stem = stems.get(word.toLowerCase());
  return stem !== undefined && stem !== null && wantedStems.has(stem);
}

function findSpans(text: string, { typed, words }: HighlightTerms, stems: Stems): Span[] {
  const spans = typed.flatMap((part) => findTypedSpans(text, part));
  const { significant, askedStems: wantedStems } = filterStopWords(words, stems);
  for (const word of significant) spans.push(...findTypedSpans(text, word));
  for (const { 0: word, index } of text.matchAll(wordsOfText)) {
    if (spans.length > maxSpans) break;
    if (hasWantedStem(word, wantedStems, stems)) spans.push({ from: index, to: index + word.length });
  }
  return mergeSpans(spans.slice(0, 2 * maxSpans));
}

/**
 * Matches also inside words. A part below three letters must be a whole word, unless it has signs or letters of another
 * script.
 */
function findTypedSpans(text: string, part: string, most = maxSpans): Span[] {
  const escaped = part.replace(/[\\^$.*+?()[\]{}|/]/gu, String.raw`\$&`).replaceAll(' ', String.raw`\s+`);
  const alone = /^[\p{Script=Latin}\d]{1,2}$/u.test(part);
  const pattern = alone ? String.raw`(?<![\p{L}\p{N}])${escaped}(?![\p{L}\p{N}])` : escaped;
  const spans: Span[] = [];
  for (const found of text.matchAll(new RegExp(pattern, 'giu'))) {
    spans.push({ from: found.index, to: found.index + found[0].length });
    if (spans.length >= most) break;
  }
  return spans;
}

function mergeSpans(spans: readonly Span[]): Span[] {
  const result: Span[] = [];
  for (const span of spans.toSorted((a, b) => a.from - b.from || b.to - a.to)) {
    const last = result.at(-1);
    if (last !== undefined && span.from <= last.to) last.to = Math.max(last.to, span.to);
    else result.push({ ...span });
  }
  return result;
}

function splitText(text: string, spans: readonly Span[], { from, to }: Span): HighlightedText {
  const parts: HighlightedText = [];
  let at = from;
  for (const span of spans) {
    const [start, end] = [Math.max(at, span.from), Math.min(to, span.to)];
    if (start >= end) continue;
    if (start > at) parts.push({ text: text.slice(at, start), highlighted: false });
    parts.push({ text: text.slice(start, end), highlighted: true });
    at = end;
  }
  if (at < to) parts.push({ text: text.slice(at, to), highlighted: false });
  return parts;
}

/**
 * The Markdown source around a match, from one empty line to another if possible: marks do not extend over empty lines.
 */
function windowAround(markdown: string, { from, to }: Span): Span {
  const start = Math.max(0, from - contextSize.before);
  const end = Math.min(markdown.length, to + contextSize.after);
  const before = markdown.slice(start, from);
  const after = markdown.slice(to, end);
  const lineBefore = start === 0 ? 0 : Math.max(before.search(/\n[ \t\r]*\n/u), before.search(/\s/u), 0);
  const lineAfter =
    end === markdown.length ? after.length : Math.max(after.lastIndexOf('\n\n'), after.lastIndexOf(' '));
  return { from: start + lineBefore, to: to + (lineAfter < 0 ? after.length : lineAfter) };
}

/** The start of a word near a position; in texts without spaces, the start of the next character. */
function wordStart(text: string, near: number): number {
  const space = text.slice(near, near + 25).search(/\s/u);
  return space === -1 ? characterStart(text, near) : near + space + 1;
}

function wordEnd(text: string, near: number): number {
  const space = text.slice(0, near).lastIndexOf(' ');
  return space > near - 25 ? space : characterStart(text, near);
}

const graphemes = new Intl.Segmenter();

function characterStart(text: string, near: number): number {
  const context = Math.max(0, near - 100);
  const found = graphemes.segment(text.slice(context, near + 100)).containing(near - context);
  return found === undefined ? near : context + found.index;
}

const wordsOfText = /[\p{L}\p{N}]+/gu;

function startOf(word: string): string {
  return word.slice(0, 2);
}

/** The dictionary never changes, so stems are cached. '' stands for words that the dictionary ignores. */
const stemCache = new LRUCache<string, string>({ max: 50_000 });

/** Returns the stem of each word as search uses it; null for words that the dictionary ignores. */
export async function getStems(db: Reader, words: readonly string[]): Promise<Map<string, string | null>> {
  const missing = words.filter((word) => !stemCache.has(word));
  const found = new Map(missing.length === 0 ? [] : await readStems(db, missing));
  return new Map(
    words.map((word) => {
      const stem = found.get(word) ?? stemCache.get(word) ?? '';
      return [word, stem === '' ? null : stem];
    }),
  );
}

async function readStems(db: Reader, words: readonly string[]): Promise<[string, string][]> {
  const { rows } = await sql<{ word: string; stem: string }>`
    select word, coalesce((ts_lexize('english_stem', word))[1], '') as stem
    from unnest(${[...words]}::text[]) as word`.execute(db);
  for (const { word, stem } of rows) stemCache.set(word, stem);
  return rows.map(({ word, stem }) => [word, stem]);
}

/** Returns the highlights of each post found; none for a query of conditions only. */
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
