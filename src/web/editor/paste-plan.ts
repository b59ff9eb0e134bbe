import { isInCode } from './code-blocks.ts';
import type { FieldText } from './text-edits.ts';

/** The content of the clipboard. `types` lists all formats; code editors add their own. */
export type ClipboardContent = { plain: string; html: string; types: readonly string[] };

/**
 * How to paste: a link around the selected text, a table, or HTML that a lazily loaded converter turns into Markdown.
 * Null to paste the plain text.
 */
export type PastePlan = { kind: 'text'; insert: string } | { kind: 'html'; html: string } | null;

/** In UTF-16 units. Longer HTML is not converted; the plain text is pasted. */
const maxHtmlLength = 500_000;

/** Elements that plain text cannot express. Without any, there is nothing to convert. */
const formattedHtml =
  /<(?:a|b|strong|i|em|s|del|strike|h[1-6]|ul|ol|li|table|pre|code|blockquote|img|hr)[\s>/]|font-weight:\s*(?:bold|[6-9]00)|font-style:\s*italic|line-through|mso-list/iu;

export function planPaste({ plain, html, types }: ClipboardContent, field: FieldText): PastePlan {
  if (isInCode(field.text, field.from)) return null;
  const link = createLinkOverSelection(plain.trim(), field);
  if (link !== null) return { kind: 'text', insert: link };
  if (isFromCodeEditor(html, types)) return null;
  if (html !== '' && html.length <= maxHtmlLength && formattedHtml.test(html)) return { kind: 'html', html };
  const rows = parseRows(plain);
  return rows === null ? null : { kind: 'text', insert: formatTable(rows) };
}

/** `[selected](address)`; null to paste the address as it is. */
function createLinkOverSelection(address: string, { text, from, to }: FieldText): string | null {
  const selected = text.slice(from, to);
  if (selected.trim() === '' || selected.includes('\n') || !isAddress(address) || isAddress(selected.trim()))
    return null;
  // In `[text](url)` the pasted address replaces another one.
  if (text.slice(0, from).endsWith('](')) return null;
  const label = /[[\]]/u.test(selected) ? selected.replaceAll(/(?<!\\)[[\]]/gu, String.raw`\$&`) : selected;
  const target = address.replaceAll('(', '%28').replaceAll(')', '%29');
  return `[${label}](${target})`;
}

function isAddress(text: string): boolean {
  return /^(?:https?:\/\/|mailto:)\S+$/iu.test(text) && URL.canParse(text);
}

/** HTML from a code editor has colors but no formatting. */
function isFromCodeEditor(html: string, types: readonly string[]): boolean {
  return (
    types.includes('vscode-editor-data') ||
    /^[^<]*(?:<meta[^>]*>)?\s*<div[^>]*white-space:\s*pre/iu.test(html)
  );
}

/**
 * The cells of a spreadsheet in plain text, separated by tabs; cells with line breaks are quoted. Null for other text:
 * a table has at least two rows of equal length with at least two cells, and no indentation, which would be code.
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
