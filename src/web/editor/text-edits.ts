import { insertTextIntoField } from 'text-field-edit';

/** The text of a field and its selection, in UTF-16 units. */
export type FieldText = { text: string; from: number; to: number };

/** Replaces the text between two positions with `insert`, then selects `select`, if it is set. */
export type TextEdit = { from: number; to: number; insert: string; select?: readonly [number, number] };

export function readField(field: HTMLTextAreaElement): FieldText {
  return { text: field.value, from: field.selectionStart, to: field.selectionEnd };
}

/** Changes the field like typing, so that the browser's undo works and React is notified. */
export function applyEdit(field: HTMLTextAreaElement, { from, to, insert, select }: TextEdit): void {
  if (document.activeElement !== field) field.focus({ preventScroll: true });
  field.setSelectionRange(from, to);
  // Replacing nothing with nothing would delete the previous character.
  if (insert !== '' || from !== to) insertText(field, insert);
  if (select !== undefined) field.setSelectionRange(...select);
}

/** Chromium inserts lines as text in quadratic time: seconds for a thousand. */
const maxPlainInsertLines = 100;

function insertText(field: HTMLTextAreaElement, text: string): void {
  const { text: before, from, to } = readField(field);
  const expected = applyEditToText(before, { from, to, insert: text });
  if (text.split('\n').length > maxPlainInsertLines && insertLines(field, text, expected)) return;
  insertTextIntoField(field, text);
  if (field.value !== before || before === expected) return;
  // The fallback for browsers that refuse `execCommand`; without undo.
  field.setRangeText(text, from, to, 'end');
  field.dispatchEvent(new Event('input', { bubbles: true }));
}

/**
 * Lines inserted as HTML are inserted in one step and become plain text in a text field. Not all browsers support it.
 */
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

/** Allows escaped text to be inserted as HTML where trusted types are required (core/csp.ts). */
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
