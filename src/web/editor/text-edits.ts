import { insertTextIntoField } from 'text-field-edit';

/** What a field holds and what of it is selected, in UTF-16 units. */
export type FieldText = { text: string; from: number; to: number };

/** Puts `insert` in place of what stands between two positions, and selects what `select` says in the result. */
export type TextEdit = { from: number; to: number; insert: string; select?: readonly [number, number] };

export function readField(field: HTMLTextAreaElement): FieldText {
  return { text: field.value, from: field.selectionStart, to: field.selectionEnd };
}

/** Changes the field as if by typing: the browser's own undo takes it back, and React hears of it. */
export function applyEdit(field: HTMLTextAreaElement, { from, to, insert, select }: TextEdit): void {
  if (document.activeElement !== field) field.focus({ preventScroll: true });
  field.setSelectionRange(from, to);
  // Nothing in place of nothing would delete the character before it.
  if (insert !== '' || from !== to) insertText(field, insert);
  if (select !== undefined) field.setSelectionRange(...select);
}

/** Chromium takes time by the square of the lines that are inserted as text: seconds for a thousand. */
const maxPlainInsertLines = 100;

function insertText(field: HTMLTextAreaElement, text: string): void {
  const { text: before, from, to } = readField(field);
  const expected = applyEditToText(before, { from, to, insert: text });
  if (text.split('\n').length > maxPlainInsertLines && insertLines(field, text, expected)) return;
  insertTextIntoField(field, text);
  if (field.value !== before || before === expected) return;
  // A browser that refuses to do it as if by typing does it all the same, without its undo.
  field.setRangeText(text, from, to, 'end');
  field.dispatchEvent(new Event('input', { bubbles: true }));
}

/** As HTML lines are inserted at once, in a text field as the text they are; not by every browser. */
function insertLines(field: HTMLTextAreaElement, text: string, expected: string): boolean {
  const { from, to } = readField(field);
  const html = linesPolicy?.createHTML(text) ?? escapeHtml(text);
  if (!document.execCommand('insertHTML', false, html)) return false;
  if (field.value === expected) return true;
  document.execCommand('undo');
  field.setSelectionRange(from, to);
  return false;
}

const escapeHtml = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** Lets what is escaped be inserted as HTML, where only trusted types may be (core/csp.ts). */
const linesPolicy = globalThis.trustedTypes?.createPolicy('lines', { createHTML: escapeHtml });

/** The text after an edit. */
export function applyEditToText(text: string, { from, to, insert }: TextEdit): string {
  return text.slice(0, from) + insert + text.slice(to);
}

export function findLineStart(text: string, at: number): number {
  return text.lastIndexOf('\n', at - 1) + 1;
}

export function findLineEnd(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end === -1 ? text.length : end;
}
