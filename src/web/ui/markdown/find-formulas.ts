/** `source`: as typed, with its dollar signs. `tex`: between them. */
export type FormulaSource = { source: string; tex: string; isBlock: boolean };

/**
 * In UTF-16 units. What is longer, and formulas after these in a text, stay text. At worst, 1,000 take some 20 ms to
 * render.
 */
const maxLength = 2000;
const maxTotalLength = 20_000;

/** Dollar signs of a text that are looked at, because each can take `maxLength` steps. */
const maxDollars = 3000;

/** Noncharacters of Unicode, which no text needs. A placeholder is the number of a formula between them. */
const [opening, closing] = ['\u{FDD0}', '\u{FDD1}'];
const placeholder = /\u{FDD0}(\d+)\u{FDD1}/gu;

/**
 * Replaces the formulas of a Markdown text with placeholders, so that the parser does not see their backslashes,
 * asterisks and lines. `$…$` is a formula by the rule of Pandoc: no space after the first dollar sign, neither a space
 * before the second nor a digit after it. In addition, no ASCII letter or digit is before the first (`US$5`, `10$`).
 * `$$…$$` is a block. Neither contains a blank line. Code, addresses and `\$` are left unchanged.
 * @returns null if there is no formula
 */
export function extractFormulas(text: string): { text: string; formulas: FormulaSource[] } | null {
  if (text.includes(opening) || text.includes(closing)) return null;
  const formulas: FormulaSource[] = [];
  const parts: string[] = [];
  const paragraphs = paragraphEnds(text);
  const tokens = new RegExp(token);
  let copied = 0;
  let total = 0;
  let left = maxDollars;
  for (let match = tokens.exec(text); match !== null; match = tokens.exec(text)) {
    const { index, 0: found, groups = {} } = match;
    const { fence, ticks, dollars } = groups;
    const end = paragraphs(index);
    if (fence !== undefined) tokens.lastIndex = findFenceEnd(text, tokens.lastIndex, fence);
    else if (ticks !== undefined) tokens.lastIndex = findCodeEnd(text, tokens.lastIndex, end, ticks);
    if (dollars === undefined || dollars.length > 2) continue;
    if (--left === 0) break;
    const from = index + found.length;
    const to = dollars === '$$' ? findBlockEnd(text, from, end) : findInlineEnd(text, from, end);
    if (to === null) continue;
    const after = to + dollars.length;
    tokens.lastIndex = after;
    total += to - from;
    if (total > maxTotalLength) break;
    parts.push(text.slice(copied, index), `${opening}${formulas.length}${closing}`);
    copied = after;
    const tex = text.slice(from, to);
    formulas.push({
      source: text.slice(index, after),
      tex: tex.includes('\n') && isQuoted(text, index) ? tex.replaceAll(/\n[ \t]*>/gu, '\n') : tex,
      isBlock: dollars === '$$',
    });
  }
  const replaced = parts.join('') + text.slice(copied);
  return formulas.length === 0 ? null : { text: replaced, formulas };
}

/** A text with placeholders, split into its texts and the numbers of its formulas. */
export function splitAtPlaceholders(text: string): (string | number)[] {
  return text.split(placeholder).map((part, index) => (index % 2 === 0 ? part : Number(part)));
}

/** The text as it was typed. */
export function restoreFormulas(text: string, formulas: readonly FormulaSource[]): string {
  if (!text.includes(opening)) return text;
  return text.replaceAll(placeholder, (_, number: string) => formulas[Number(number)]?.source ?? '');
}

/** What hides dollar signs, and dollar signs. A fence is as in `hasCodeLanguage`. */
const token =
  /^[ >\t*+\-\d.)]*(?<fence>`{3,}(?=[^`\n]*$)|~{3,})|\\[^]|(?<ticks>`+)|https?:\/\/[^\s>]+|\]\([^)\s]*|(?<dollars>\$+)/gmu;

/** Returns a function for the end of the paragraph at an index. The indexes must not become smaller. */
function paragraphEnds(text: string): (index: number) => number {
  const blankLine = /\n[ \t>]*\r?\n/gu;
  let end = -1;
  return (index) => {
    if (end < index) {
      blankLine.lastIndex = index;
      end = blankLine.exec(text)?.index ?? text.length;
    }
    return end;
  };
}

function findFenceEnd(text: string, from: number, fence: string): number {
  const close = new RegExp(`^[ >\\t]*${fence[0]}{${fence.length},}[ \\t]*$`, 'gmu');
  close.lastIndex = from;
  return close.exec(text) === null ? text.length : close.lastIndex;
}

/** The end of the code that a run of backticks opens, or of the run. Longer runs than this are not typed by people. */
function findCodeEnd(text: string, from: number, end: number, ticks: string): number {
  if (ticks.length > 16) return from;
  const runs = /`+/gu;
  runs.lastIndex = from;
  for (let run = runs.exec(text); run !== null && run.index < end; run = runs.exec(text))
    if (run[0].length === ticks.length) return runs.lastIndex;
  return from;
}

/** Whether the line is part of a quotation. */
const isQuoted = (text: string, index: number) =>
  /^[ \t]*>/u.test(text.slice(text.lastIndexOf('\n', index) + 1, index + 1));

function findInlineEnd(text: string, from: number, end: number): number | null {
  if (/[A-Za-z0-9]/u.test(text[from - 2] ?? '') || /\s/u.test(text[from] ?? ' ')) return null;
  const to = findDollar(text, from, end);
  if (to === null || to === from || /\s/u.test(text[to - 1] ?? '')) return null;
  return /[\d$]/u.test(text[to + 1] ?? '') ? null : to;
}

function findBlockEnd(text: string, from: number, end: number): number | null {
  const to = findDollar(text, from, end);
  if (to === null || text[to + 1] !== '$' || text[to + 2] === '$') return null;
  return text.slice(from, to).trim() === '' ? null : to;
}

/** The first dollar sign that is neither escaped nor in braces, as in `\text{if $x$}`. */
function findDollar(text: string, from: number, end: number): number | null {
  let depth = 0;
  for (let at = from; at < Math.min(end, from + maxLength + 1); at++) {
    const character = text[at];
    if (character === '\\') at++;
    else if (character === '{') depth++;
    else if (character === '}') depth--;
    else if (character === '$' && depth <= 0) return at;
  }
  return null;
}
