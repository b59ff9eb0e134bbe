import { type FieldText, findLineEnd, findLineStart, type TextEdit } from './text-edits.ts';

const fenceLine = /^[ \t]*(?:(?:>|[-+*]|\d{1,9}[.)])[ \t]*)*(`{3,}|~{3,})(.*)$/u;

/** The marker ('```') of the fenced code block around a position; null outside, and on its opening line. */
export function findFence(text: string, at: number): string | null {
  const end = findLineStart(text, at);
  let open: string | null = null;
  for (let from = 0; from < end; from = findLineEnd(text, from) + 1) open = afterLine(text, from, open);
  return open;
}

/** Whether a position is in code: in a fenced block or between backticks. */
export function isInCode(text: string, at: number): boolean {
  const start = findLineStart(text, at);
  if (findFence(text, at) !== null) return true;
  const before = text.slice(start, at);
  if (fenceLine.test(before)) return true;
  const after = text.slice(at, findLineEnd(text, at));
  let open: string | null = null;
  for (const [mark] of before.matchAll(/`+/gu)) {
    if (open === null) open = mark;
    else if (open === mark) open = null;
  }
  return open !== null && after.includes(open);
}

/** Fences come in pairs: an opening one is closed if an odd number follows. */
export function isClosed(behind: string, mark: string): boolean {
  const sign = mark.slice(0, 3);
  return behind.split('\n').filter((line) => line.replace(/^[ \t>]+/u, '').startsWith(sign)).length % 2 === 1;
}

/**
 * Handles the last character of a closing fence that is typed right above an existing one, which the list of languages
 * inserted: moves the caret to the end of that one. Null otherwise.
 */
export function reuseClosingFence({ text, from, to }: FieldText, typed: string): TextEdit | null {
  const end = findLineEnd(text, from);
  if ((typed !== '`' && typed !== '~') || from !== to || from !== end || end === text.length) return null;
  const open = findFence(text, from);
  if (open === null) return null;
  const start = findLineStart(text, from);
  const nextEnd = findLineEnd(text, end + 1);
  const fence = text.slice(end + 1, nextEnd);
  const closes = (line: string) => afterLine(line, 0, open) === null;
  if (!closes(text.slice(start, from) + typed) || !closes(fence) || !isClosed(text.slice(end), open))
    return null;
  return { from: start, to: nextEnd, insert: fence };
}

/** The state after a line that may open or close a block. `open` is the marker of the surrounding block. */
function afterLine(text: string, from: number, open: string | null): string | null {
  // Most lines have no marker.
  const end = findLineEnd(text, from);
  const line = text.slice(from, end);
  if (!line.includes('```') && !line.includes('~~~')) return open;
  const [, mark, rest = ''] = fenceLine.exec(line) ?? [];
  if (mark === undefined) return open;
  if (open === null) return mark.startsWith('`') && rest.includes('`') ? null : mark;
  const closes = mark[0] === open[0] && mark.length >= open.length && rest.trim() === '';
  return closes ? null : open;
}
