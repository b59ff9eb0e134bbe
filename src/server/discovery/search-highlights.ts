import { toPlainText } from '#server/posts/excerpt.ts';
import type { HighlightedText, SearchHighlight } from '#shared/discovery/search.ts';
import { otherScriptLetter, withoutPunctuation } from './search-words.ts';
import { sql } from 'kysely';
import { LRUCache } from 'lru-cache';
import type { Reader } from '#server/core/database.ts';
import type { SearchCriteria } from './search-criteria.ts';

/** What to mark: texts as they were typed, and words of any inflection that have one of these stems. */
export type HighlightTerms = { typed: readonly string[]; words: readonly string[] };

/** The stem of a word as PostgreSQL's English dictionary has it; null for words such as 'the'. */
export type Stems = ReadonlyMap<string, string | null>;

/** Half-open, in UTF-16 units. */
type Span = { from: number; to: number };

/** More marks than that in one text help nobody. */
const maxSpans = 200;
/** A piece of text around what was found, in UTF-16 units: about as long as the beginning that cards show. */
const snippetSize = { before: 60, length: 220 };
/** So much of the text with its Markdown marks is looked at around it. */
const contextSize = { before: 160, after: 480 };

/** @param text the words asked for, '' for none. @param phrases texts asked for as typed. */
export function toHighlightTerms(text: string, phrases: readonly string[]): HighlightTerms {
  const words = text
    .split(' ')
    .map(withoutPunctuation)
    .filter((word) => word !== '');
  return { typed: [...phrases, ...(text === '' ? [] : [text])], words: [...new Set(words)] };
}

/** The words of texts that can be inflections of one asked for: these begin alike. And those asked for. */
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

/** The whole text in pieces. */
export function highlight(text: string, wanted: HighlightTerms, stems: Stems): HighlightedText {
  return splitText(text, findSpans(text, wanted, stems), { from: 0, to: text.length });
}

/** A piece of a text around what was found first, without its Markdown marks; null where there is nothing of it. */
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
  // What is found in an address or in a mark alone cannot be shown.
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

/** A text as typed before single words. Long texts are looked through to the first of them alone. */
function findBestSpan(text: string, { typed, words }: HighlightTerms, stems: Stems): Span | undefined {
  for (const part of typed) {
    const [found] = findTypedSpans(text, part, 1);
    if (found !== undefined) return found;
  }
  const { telling, askedStems: wantedStems } = filterStopWords(words, stems);
  const [first] = telling
    .flatMap((word) => findTypedSpans(text, word, 1))
    .toSorted((a, b) => a.from - b.from);
  for (const { 0: word, index } of text.matchAll(wordsOfText)) {
    if (first !== undefined && index > first.from) break;
    if (hasWantedStem(word, wantedStems, stems)) return { from: index, to: index + word.length };
  }
  return first;
}

/** Words such as 'the' stand everywhere; they are marked as a part of what was typed only. */
function filterStopWords(words: readonly string[], stems: Stems) {
  const significant = words.filter(
    (word) => otherScriptLetter.test(word) || stems.get(word.toLowerCase()) !== null,
  );
  const wantedStems = new Set(
    significant.map((word) => stems.get(word.toLowerCase())).filter((stem) => stem !== undefined),
  );
  return { telling: significant, askedStems: wantedStems };
}

function hasWantedStem(word: string, wantedStems: ReadonlySet<string | null>, stems: Stems): boolean {
  const stem = stems.get(word.toLowerCase());
  return stem !== undefined && stem !== null && wantedStems.has(stem);
}

function findSpans(text: string, { typed, words }: HighlightTerms, stems: Stems): Span[] {
  const spans = typed.flatMap((part) => findTypedSpans(text, part));
  const { telling, askedStems: wantedStems } = filterStopWords(words, stems);
  for (const word of telling) spans.push(...findTypedSpans(text, word));
  for (const { 0: word, index } of text.matchAll(wordsOfText)) {
    if (spans.length > maxSpans) break;
    if (hasWantedStem(word, wantedStems, stems)) spans.push({ from: index, to: index + word.length });
  }
  return mergeSpans(spans.slice(0, 2 * maxSpans));
}

/** Also inside words; what is shorter than three letters only as a word of its own, unless it has signs or another script. */
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

/** Around a hit, from one empty line to another where there are some: marks do not reach over it. */
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

/** The beginning of a word near a position; in texts without spaces, of the next character. */
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

/** What the dictionary says never changes, so it is asked once. '' stands for words it does not regard. */
const stemCache = new LRUCache<string, string>({ max: 50_000 });

/** The stem of each word, as the search has it; null for words it does not regard. */
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
