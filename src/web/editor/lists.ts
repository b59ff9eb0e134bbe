import { findFence } from './code-blocks.ts';
import { findLineEnd, findLineStart, type TextEdit, type FieldText } from './text-edits.ts';

/** A line that begins a list item: `> - [ ] text` has the quote '> ', the bullet '-' and the task '[ ] '. */
type Item = {
  quote: string;
  indent: string;
  /** '-', or a number with its delimiter: '12.'. */
  marker: string;
  number: number | null;
  gap: string;
  task: string;
  /** The column where its text begins. */
  content: number;
};

const itemLine = /^((?:[ \t]*>[ \t]?)*)([ \t]*)([-*+]|(\d{1,9})[.)])(?:([ \t]+)(\[[ xX]\](?:[ \t]+|$))?|$)/u;
const quoteLine = /^((?:[ \t]*>)+)[ \t]?/u;
const thematicBreak = /^[ \t>]*([-*_])(?:[ \t]*\1){2,}[ \t]*$/u;

/**
 * Handles Enter: continues a list, task list or quote with its next item, or ends it if the item is empty. In a code
 * block it repeats the indentation. Null for a plain line break.
 */
export function continueLine({ text, from, to }: FieldText): TextEdit | null {
  if (from !== to) return null;
  const start = findLineStart(text, from);
  const line = text.slice(start, findLineEnd(text, from));
  if (findFence(text, from) !== null) {
    const space = /^[ \t]*(?:>[ \t]*)*/u.exec(text.slice(start, from))?.[0] ?? '';
    return space === '' ? null : insertAt(from, `\n${space}`);
  }
  const item = parseItem(line);
  if (item !== null) return continueItem(text, { from, start, line, item });
  const quote = quoteLine.exec(line);
  if (quote === null || from - start < quote[0].length) return null;
  if (line.slice(quote[0].length).trim() !== '') return insertAt(from, `\n${quote[1]} `);
  const outer = quote[0].trimEnd().slice(0, -1).trimEnd();
  return replaceLine(start, line, outer === '' ? '' : `${outer} `);
}

/**
 * Moves the selected list items and their children one level in or out. Null if there is no item or it cannot move: an
 * item is at most one level below the previous one.
 */
export function moveItems(field: FieldText, direction: 'in' | 'out'): TextEdit | null {
  const { text, from, to } = field;
  const start = findLineStart(text, from);
  const first = parseItem(text.slice(start, findLineEnd(text, from)));
  if (first === null || findFence(text, from) !== null) return null;
  const above = listItemsAbove(text, start, first.quote);
  const width = direction === 'in' ? getIndentWidth(first, above) : getOutdentWidth(first, above);
  if (width === null) return null;

  const end = findEndOfBranch(text, Math.max(findLineEnd(text, to), findLineEnd(text, from)), first);
  const lines = text.slice(start, end).split('\n');
  const moved = lines.map((line) => shift(line, first.quote, width));
  moved[0] = renumber(moved[0] ?? '', above);
  const insert = moved.join('\n');
  const grown = (moved[0]?.length ?? 0) - (lines[0]?.length ?? 0);
  const select =
    from === to
      ? ([from + grown, from + grown] as const)
      : ([start, start + moved.join('\n').length] as const);
  return { from: start, to: end, insert, select };
}

/** Whether the caret is at the start of a list item's text, where Tab moves the item. */
export function isAtItemStart({ text, from, to }: FieldText): boolean {
  if (from !== to) return false;
  const start = findLineStart(text, from);
  return parseItem(text.slice(start, findLineEnd(text, from)))?.content === from - start;
}

function continueItem(
  text: string,
  { from, start, line, item }: { from: number; start: number; line: string; item: Item },
): TextEdit | null {
  if (from - start < item.content) return null;
  if (line.slice(item.content).trim() !== '') {
    const task = item.task === '' ? '' : '[ ] ';
    return insertAt(
      from,
      `\n${item.quote}${item.indent}${getNextMarker(item)}${item.gap === '' ? ' ' : item.gap}${task}`,
    );
  }
  const parent = listItemsAbove(text, start, item.quote).find(
    ({ indent }) => indent.length < item.indent.length,
  );
  if (parent === undefined) return replaceLine(start, line, item.quote);
  const task = parent.task === '' ? '' : '[ ] ';
  return replaceLine(
    start,
    line,
    `${parent.quote}${parent.indent}${getNextMarker(parent)}${parent.gap}${task}`,
  );
}

function parseItem(line: string): Item | null {
  const match = thematicBreak.test(line) ? null : itemLine.exec(line);
  if (match === null) return null;
  const [all, quote = '', indent = '', marker = '', number, gap = '', task = ''] = match;
  return {
    quote,
    indent,
    marker,
    number: number === undefined ? null : Number(number),
    gap,
    task,
    content: all.length,
  };
}

/** The marker of the next item. */
function getNextMarker({ marker, number }: Item): string {
  return number === null ? marker : `${number + 1}${marker.slice(-1)}`;
}

/** The items of the same list above a line, nearest first. */
function listItemsAbove(text: string, start: number, quote: string): Item[] {
  const items: Item[] = [];
  let blank = 0;
  for (let end = start - 1; end >= 0; end = findLineStart(text, end) - 1) {
    const line = text.slice(findLineStart(text, end), end);
    const item = parseItem(line);
    if (item !== null && item.quote === quote) {
      items.push(item);
      if (item.indent === '') break;
    } else if (line.slice(quote.length).trim() === '') {
      if (++blank > 1) break;
    } else if (!/^[ \t]/u.test(line.slice(quote.length))) {
      break;
    }
  }
  return items;
}

/** The column where the text of the previous item begins; null if the item is already below it. */
function getIndentWidth(item: Item, above: readonly Item[]): number | null {
  const sibling = above.find(({ indent }) => indent.length <= item.indent.length);
  if (sibling === undefined || sibling.indent.length < item.indent.length) return null;
  return sibling.marker.length + Math.min(sibling.gap.length, 4);
}

function getOutdentWidth(item: Item, above: readonly Item[]): number | null {
  if (item.indent === '') return null;
  const parent = above.find(({ indent }) => indent.length < item.indent.length);
  return (parent?.indent.length ?? 0) - item.indent.length;
}

/** Lines indented below an item belong to it. */
function findEndOfBranch(text: string, end: number, { quote, indent }: Item): number {
  let last = end;
  while (last < text.length) {
    const line = text.slice(last + 1, findLineEnd(text, last + 1));
    const inner = line.startsWith(quote) ? line.slice(quote.length) : null;
    if (inner === null || inner.trim() === '' || getLeadingSpace(inner).length <= indent.length) break;
    last = findLineEnd(text, last + 1);
  }
  return last;
}

function shift(line: string, quote: string, width: number): string {
  if (!line.startsWith(quote)) return line;
  const inner = line.slice(quote.length);
  if (width > 0) return inner === '' ? line : quote + ' '.repeat(width) + inner;
  return quote + inner.slice(Math.min(getLeadingSpace(inner).length, -width));
}

/** Renumbers an item for its position: a numbered list that does not start with 1 would not be one. */
function renumber(line: string, above: readonly Item[]): string {
  const item = parseItem(line);
  if (item === null || item.number === null) return line;
  const before = above.find(({ indent }) => indent.length <= item.indent.length);
  const isSibling = before?.indent.length === item.indent.length && before.number !== null;
  const number = isSibling ? (before.number ?? 0) + 1 : 1;
  const at = item.quote.length + item.indent.length;
  return line.slice(0, at) + line.slice(at).replace(/^\d+/u, String(number));
}

function insertAt(at: number, insert: string): TextEdit {
  return { from: at, to: at, insert };
}

function replaceLine(start: number, line: string, insert: string): TextEdit {
  return { from: start, to: start + line.length, insert };
}

function getLeadingSpace(line: string): string {
  return /^[ \t]*/u.exec(line)?.[0] ?? '';
}
