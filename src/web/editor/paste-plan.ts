import { isInCode } from './code-blocks.ts';
import type { FieldText } from './text-edits.ts';

/** What a clipboard offers. `types` names all of it; editors of code leave one of their own. */
export type ClipboardContent = { plain: string; html: string; types: readonly string[] };

/**
 * What becomes of a paste: an address around the selected text, a table, or the Markdown of a piece of a page, which
 * takes a converter that is loaded when needed. Null where the plain text is right as it is.
 */
export type PastePlan = { kind: 'text'; insert: string } | { kind: 'html'; html: string } | null;

/** UTF-16 units of HTML that are converted; beyond, the plain text is taken. */
const maxHtmlLength = 500_000;

/** What plain text cannot show: without any of it, there is nothing to convert. */
const formattedHtml =
  /<(?:a|b|strong|i|em|s|del|strike|h[1-6]|ul|ol|li|table|pre|code|blockquote|img|hr)[\s>/]|font-weight:\s*(?:bold|[6-9]00)|font-style:\s*italic|line-through|mso-list/iu;

export function planPaste({ plain, html, types }: ClipboardContent, written: FieldText): PastePlan {
  if (isInCode(written.text, written.from)) return null;
  const link = createLinkOverSelection(plain.trim(), written);
  if (link !== null) return { kind: 'text', insert: link };
  if (isFromCodeEditor(html, types)) return null;
  if (html !== '' && html.length <= maxHtmlLength && formattedHtml.test(html)) return { kind: 'html', html };
  const rows = parseRows(plain);
  return rows === null ? null : { kind: 'text', insert: formatTable(rows) };
}

/** `[selected](address)`; null where the address is to stand by itself. */
function createLinkOverSelection(address: string, { text, from, to }: FieldText): string | null {
  const selected = text.slice(from, to);
  if (selected.trim() === '' || selected.includes('\n') || !isAddress(address) || isAddress(selected.trim()))
    return null;
  // In `[text](url)` the address takes the place of another one.
  if (text.slice(0, from).endsWith('](')) return null;
  const label = /[[\]]/u.test(selected) ? selected.replaceAll(/(?<!\\)[[\]]/gu, String.raw`\$&`) : selected;
  const target = address.replaceAll('(', '%28').replaceAll(')', '%29');
  return `[${label}](${target})`;
}

function isAddress(text: string): boolean {
  return /^(?:https?:\/\/|mailto:)\S+$/iu.test(text) && URL.canParse(text);
}

/** Its colours are no marks of the text. */
function isFromCodeEditor(html: string, types: readonly string[]): boolean {
  return (
    types.includes('vscode-editor-data') ||
    /^[^<]*(?:<meta[^>]*>)?\s*<div[^>]*white-space:\s*pre/iu.test(html)
  );
}

/**
 * The cells of a spreadsheet as plain text has them, by tabs; a cell of several lines is quoted. Null where it is none:
 * rows of one length, at least two of them with two cells each, and none indented, as code would be.
 */
function parseRows(plain: string): string[][] | null {
  const text = plain.replaceAll(/\r\n?/gu, '\n').replace(/\n+$/u, '');
  if (!text.includes('\t') || !text.includes('\n')) return null;
  const rows = [];
  let row: string[] = [];
  for (const [, quoted, bare = '', end] of text.matchAll(
    /(?:"((?:[^"]|"")*)"(?=\t|\n|$)|([^\t\n]*))(\t|\n|$)/gu,
  )) {
    row.push(quoted === undefined ? bare : quoted.replaceAll('""', '"'));
    if (end === '\t') continue;
    rows.push(row);
    row = [];
    if (end === '') break;
  }
  const width = rows[0]?.length ?? 0;
  const isTable = rows.length > 1 && width > 1 && rows.every((cells) => cells.length === width);
  return isTable && rows.some(([first]) => first !== '') ? rows : null;
}

function formatTable([head = [], ...body]: string[][]): string {
  const line = (cells: readonly string[]) => `| ${cells.map(formatCell).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...body.map(line), ''].join('\n');
}

function formatCell(text: string): string {
  return text
    .trim()
    .replaceAll(/\s+/gu, ' ')
    .replaceAll('|', String.raw`\|`);
}
