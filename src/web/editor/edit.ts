import { insertTextIntoField } from 'text-field-edit';

/** What a field holds and what of it is selected, in UTF-16 units. */
export type Written = { text: string; from: number; to: number };

/** Puts `insert` in place of what stands between two positions, and selects what `select` says in the result. */
export type Edit = { from: number; to: number; insert: string; select?: readonly [number, number] };

export function writtenIn(field: HTMLTextAreaElement): Written {
  return { text: field.value, from: field.selectionStart, to: field.selectionEnd };
}

/** Changes the field as if by typing: the browser's own undo takes it back, and React hears of it. */
export function applyEdit(field: HTMLTextAreaElement, { from, to, insert, select }: Edit): void {
  if (document.activeElement !== field) field.focus({ preventScroll: true });
  field.setSelectionRange(from, to);
  // Nothing in place of nothing would delete the character before it.
  if (insert !== '' || from !== to) put(field, insert);
  if (select !== undefined) field.setSelectionRange(...select);
}

/** Chromium takes time by the square of the lines that are inserted as text: seconds for a thousand. */
const manyLines = 100;

function put(field: HTMLTextAreaElement, text: string): void {
  const { text: before, from, to } = writtenIn(field);
  const expected = edited(before, { from, to, insert: text });
  if (text.split('\n').length > manyLines && putLines(field, text, expected)) return;
  insertTextIntoField(field, text);
  if (field.value !== before || before === expected) return;
  // A browser that refuses to do it as if by typing does it all the same, without its undo.
  field.setRangeText(text, from, to, 'end');
  field.dispatchEvent(new Event('input', { bubbles: true }));
}

/** As HTML lines are inserted at once, in a text field as the text they are; not by every browser. */
function putLines(field: HTMLTextAreaElement, text: string, expected: string): boolean {
  const { from, to } = writtenIn(field);
  const html = asLines?.createHTML(text) ?? escaped(text);
  if (!document.execCommand('insertHTML', false, html)) return false;
  if (field.value === expected) return true;
  document.execCommand('undo');
  field.setSelectionRange(from, to);
  return false;
}

const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** Lets what is escaped be inserted as HTML, where only trusted types may be (platform/trusted-types.ts). */
const asLines = globalThis.trustedTypes?.createPolicy('lines', { createHTML: escaped });

/** The text after an edit. */
export function edited(text: string, { from, to, insert }: Edit): string {
  return text.slice(0, from) + insert + text.slice(to);
}

export function lineStart(text: string, at: number): number {
  return text.lastIndexOf('\n', at - 1) + 1;
}

export function lineEnd(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end === -1 ? text.length : end;
}
