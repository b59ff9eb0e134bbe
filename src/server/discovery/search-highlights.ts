import { toPlainText } from '#server/posts/index.ts';
import type { HighlightedText, SearchHighlight } from '#shared/discovery/search.ts';
import { otherScriptLetter, withoutPunctuation } from './search-words.ts';
import type { Reader } from '#server/core/database.ts';
import type { SearchCriteria } from './search-criteria.ts';
import { lookUpLexemes } from './vocabulary.ts';

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
/** How many matches are tried for a snippet if the first one is not shown. */
const maxSnippetAttempts = 8;
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

/** Finds in texts what a query asks for. */
export type Matcher = {
  /** The first match; the text as typed is preferred to single words. */
  findFirst: (text: string) => Span | undefined;
  findAll: (text: string) => Span[];
};

/** @param inflections words of the texts, in lower case, that have the stem of a word of the query */
export function createMatcher(
  { typed, words }: HighlightTerms,
  stems: Stems,
  inflections: readonly string[],
): Matcher {
  // Stop words such as 'the' are highlighted only as part of the typed text.
  const significant = words.filter(
    (word) => otherScriptLetter.test(word) || stems.get(word.toLowerCase()) !== null,
  );
  const typedParts = typed.map(toPart);
  const wordParts = [
    ...inflections.map((word): Part => ({ words: [word], isWhole: true })),
    ...significant.map(toPart),
  ];
  return {
    findFirst(text) {
      const lower = toLowerCase(text);
      for (const part of typedParts) {
        const found = findPart(lower, part, 0);
        if (found !== undefined) return found;
      }
      return firstOf(wordParts.map((part) => findPart(lower, part, 0)));
    },
    findAll(text) {
      const lower = toLowerCase(text);
      return mergeSpans([...typedParts, ...wordParts].flatMap((part) => findAllOf(lower, part)));
    },
  };
}

/** Splits the whole text into highlighted and other parts. */
export function highlight(text: string, matcher: Matcher): HighlightedText {
  return splitText(text, matcher.findAll(text), { from: 0, to: text.length });
}

/**
 * Returns a part of the text around the first match that is shown, without Markdown marks; null if there is none. A match
 * inside a link address or a mark, such as the language of a code block, is not shown.
 */
export function createSnippet(markdown: string, matcher: Matcher): HighlightedText | null {
  const first = matcher.findFirst(markdown);
  if (first === undefined) return null;
  const snippet = createSnippetAround(markdown, first, matcher);
  if (snippet !== null) return snippet;
  for (const match of matcher.findAll(markdown).slice(0, maxSnippetAttempts)) {
    const other = createSnippetAround(markdown, match, matcher);
    if (other !== null) return other;
  }
  return null;
}

function createSnippetAround(markdown: string, match: Span, matcher: Matcher): HighlightedText | null {
  const window = windowAround(markdown, match);
  const { prose, blocks } = toPlainText(markdown.slice(window.from, window.to));
  for (const text of [prose, blocks]) {
    const span = matcher.findFirst(text);
    if (span === undefined) continue;
    const from = span.from <= snippetSize.before ? 0 : wordStart(text, span.from - snippetSize.before);
    const to =
      from + snippetSize.length >= text.length
        ? text.length
        : wordEnd(text, Math.max(span.to, from + snippetSize.length));
    const parts = splitText(text, matcher.findAll(text), { from, to });
    if (from > 0 || window.from > 0) parts.unshift({ text: '… ', highlighted: false });
    if (to < text.length || window.to < markdown.length) parts.push({ text: ' …', highlighted: false });
    return parts;
  }
  return null;
}

/** Words to find one after another, in lower case. `isWhole`: not inside longer words. */
type Part = { words: readonly string[]; isWhole: boolean };

/**
 * Matches also inside words. A part below three letters must be a whole word, unless it has signs or letters of another
 * script.
 */
const toPart = (text: string): Part => ({
  words: toLowerCase(text).split(' '),
  isWhole: /^[\p{Script=Latin}\d]{1,2}$/u.test(text),
});

/** The lower case of a text, in the same number of UTF-16 units. */
function toLowerCase(text: string): string {
  const lower = text.toLowerCase();
  return lower.length === text.length ? lower : text.replaceAll('\u0130', 'i').toLowerCase();
}

/**
 * Finds a part in a text in lower case. A regular expression per query would take longer: compiling it takes more time
 * than reading twenty texts.
 */
function findPart(text: string, { words, isWhole }: Part, from: number): Span | undefined {
  const [first = '', ...others] = words;
  for (let at = text.indexOf(first, from); at !== -1; at = text.indexOf(first, at + 1)) {
    const to = skipWords(text, at + first.length, others);
    if (to === undefined) continue;
    if (
      !isWhole ||
      (!endsWithLetter(text.slice(Math.max(0, at - 2), at)) && !startsWithLetter(text.slice(to, to + 2)))
    )
      return { from: at, to };
  }
  return undefined;
}

/** The end of the words that follow at a position, each after white space. */
function skipWords(text: string, from: number, words: readonly string[]): number | undefined {
  let at = from;
  for (const word of words) {
    space.lastIndex = at;
    if (!space.test(text) || !text.startsWith(word, space.lastIndex)) return undefined;
    at = space.lastIndex + word.length;
  }
  return at;
}

const space = /\s+/uy;
const endsWithLetter = (text: string) => /[\p{L}\p{N}]$/u.test(text);
const startsWithLetter = (text: string) => /^[\p{L}\p{N}]/u.test(text);

function findAllOf(text: string, part: Part): Span[] {
  const spans: Span[] = [];
  for (
    let span = findPart(text, part, 0);
    span !== undefined && spans.length < maxSpans;
    span = findPart(text, part, span.to)
  )
    spans.push(span);
  return spans;
}

/** The first span; of several that begin there, the first given. */
function firstOf(spans: readonly (Span | undefined)[]): Span | undefined {
  let first: Span | undefined;
  for (const span of spans)
    if (span !== undefined && (first === undefined || span.from < first.from)) first = span;
  return first;
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

/**
 * Returns the words of the texts, in lower case, that are other inflections of a word of the query. Inflections begin
 * with the letters that the word and its stem have in common, or nearly all of them, as in happy and happiness.
 */
async function findInflections(
  db: Reader,
  { words, stems, texts }: { words: readonly string[]; stems: Stems; texts: readonly string[] },
): Promise<string[]> {
  const wanted = new Set(words.map((word) => stems.get(word)).filter((stem) => stem != null));
  const starts = new Set(words.flatMap((word) => startOfInflections(word, stems.get(word) ?? null)));
  if (starts.size === 0) return [];
  const found = new Set<string>();
  for (const text of texts) {
    const lower = toLowerCase(text);
    for (const start of starts) collectWords(lower, start, found);
  }
  const compared = [...found].filter((word) => word.length <= 60);
  const lexemes = await lookUpLexemes(db, compared);
  return compared.filter((word) => wanted.has(lexemes.get(word)?.stem ?? ''));
}

/** Adds the words of a text in lower case that begin with `start`. */
function collectWords(text: string, start: string, found: Set<string>): void {
  for (let at = text.indexOf(start); at !== -1; at = text.indexOf(start, at + 1)) {
    if (endsWithLetter(text.slice(Math.max(0, at - 2), at))) continue;
    restOfWord.lastIndex = at + start.length;
    restOfWord.test(text);
    found.add(text.slice(at, restOfWord.lastIndex));
  }
}

const restOfWord = /[\p{L}\p{N}]*/uy;

/** The first letters of the inflections of a word; none for a word that the dictionary ignores. */
function startOfInflections(word: string, stem: string | null): string[] {
  if (stem === null) return [];
  let common = 0;
  while (common < word.length && word[common] === stem[common]) common++;
  return [word.slice(0, Math.max(2, common - 1))];
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
  const words = wanted.words
    .filter((word) => !otherScriptLetter.test(word))
    .map((word) => word.toLowerCase());
  // As search has looked them up.
  const lexemes = await lookUpLexemes(db, words);
  const stems = new Map([...lexemes].map(([word, { stem }]) => [word, stem]));
  const texts = rows.flatMap(({ title, content }) => [title, content]);
  const matcher = createMatcher(wanted, stems, await findInflections(db, { words, stems, texts }));
  return rows.map(({ id, title, content }) => ({
    id,
    title: highlight(title, matcher),
    text: createSnippet(content, matcher),
  }));
}
