import { escapeMarkup } from '#server/core/markup.ts';
import { renderMarkdown } from '#shared/core/markdown.ts';

/** The attributes of a row. Those without a value are left out. */
export type Cells = Readonly<Record<string, string | number | undefined>>;

/** White space in attributes needs references, or XML readers turn it into spaces. */
const whiteSpace: Readonly<Record<string, string>> = { '\n': '&#xA;', '\r': '&#xD;', '\t': '&#x9;' };

export function row(cells: Cells): string {
  const attributes = Object.entries(cells).flatMap(([name, value]) =>
    value === undefined
      ? []
      : [
          ` ${name}="${escapeMarkup(String(value)).replaceAll(/[\n\r\t]/gu, (sign) => whiteSpace[sign] ?? sign)}"`,
        ],
  );
  return `  <row${attributes.join('')} />\n`;
}

/** Archives have times in UTC without a zone. */
export const toTime = (time: string) => new Date(time).toISOString().slice(0, 23);

export const writeTags = (tags: readonly string[]) => `|${tags.join('|')}|`;

/** The page of a text. Raw HTML in it is shown as text. */
export function toHtml(markdown: string): string {
  return renderMarkdown(markdown) ?? `<p>${escapeMarkup(markdown)}</p>`;
}

/** Links to pages of the community become links to its address, since the archive is read elsewhere. */
export function createLinkWriter(origin: string) {
  return {
    inHtml: (html: string) => html.replaceAll(/(\s(?:href|src)=")(\/(?!\/))/gu, `$1${origin}$2`),
    inMarkdown: (markdown: string) =>
      markdown.replaceAll(/(\]\()(\/(?:question|profile|topics|uploads)\/)/gu, `$1${origin}$2`),
  };
}
