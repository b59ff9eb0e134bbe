import { t } from '@lingui/core/macro';
import type { TextEdit, FieldText } from './text-edits.ts';

const closingMarks: ReadonlyMap<string, string> = new Map([
  ['*', '*'],
  ['_', '_'],
  ['~', '~'],
  ['`', '`'],
  ['"', '"'],
  ['(', ')'],
  ['[', ']'],
  ['{', '}'],
]);

/** Marks that have no effect next to a space. */
const inlineMarks = new Set(['*', '_', '~']);

/**
 * Wraps the selection with a typed character; twice makes `**bold**`. Backticks around several lines make a code block.
 * Null for other characters and without a selection.
 */
export function wrapSelection({ text, from, to }: FieldText, typed: string): TextEdit | null {
  const close = closingMarks.get(typed);
  const selected = text.slice(from, to);
  if (close === undefined || selected.trim() === '') return null;
  if (typed === '`' && selected.includes('\n')) return wrapInFence({ text, from, to });
  const inner = inlineMarks.has(typed) ? selected.trim() : selected;
  const start = from + selected.indexOf(inner);
  return {
    from: start,
    to: start + inner.length,
    insert: typed + inner + close,
    select: [start + 1, start + 1 + inner.length],
  };
}

/** Turns the selected lines, or an empty one, into a code block. The caret is placed where the language goes. */
export function wrapInFence({ text, from, to }: FieldText): TextEdit {
  const code = text.slice(from, to).replace(/^\n+|\n+$/gu, '');
  const mark = '`'.repeat(Math.max(3, longestRun(code) + 1));
  const before = from === 0 || text[from - 1] === '\n' ? '' : '\n';
  const after = to === text.length || text[to] === '\n' ? '' : '\n';
  const caret = from + before.length + mark.length;
  return {
    from,
    to,
    insert: `${before}${mark}\n${code}\n${mark}${after}`,
    select: [caret, caret],
  };
}

/** Inserts an empty table and selects its first heading. */
export function insertEmptyTable({ text, from, to }: FieldText): TextEdit {
  const before =
    from === 0 ? '' : text.slice(0, from).endsWith('\n\n') ? '' : text[from - 1] === '\n' ? '\n' : '\n\n';
  const after = text.slice(to).startsWith('\n') || to === text.length ? '\n' : '\n\n';
  const [heading, second] = [t`Column 1`, t`Column 2`];
  const at = from + before.length + 2;
  return {
    from,
    to,
    insert: `${before}| ${heading} | ${second} |\n| --- | --- |\n|  |  |${after}`,
    select: [at, at + heading.length],
  };
}

function longestRun(code: string): number {
  return Math.max(0, ...Array.from(code.matchAll(/`+/gu), ([run]) => run.length));
}
