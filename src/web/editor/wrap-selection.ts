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

/** Marks that mean nothing beside a space. */
const inlineMarks = new Set(['*', '_', '~']);

/**
 * Typing one of these characters over a selection puts it around; twice makes `**bold**`. Backticks around lines make a
 * block of code. Null for every other character and without a selection.
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

/** The lines of the selection, or an empty one, as a block of code; the caret stands where its language is named. */
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

/** A table to fill in, with the first heading selected. */
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
