import { findLineEnd, findLineStart } from './text-edits.ts';

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
