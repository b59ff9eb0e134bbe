import { micromark } from 'micromark';
import { gfm, gfmHtml } from 'micromark-extension-gfm';
import { cleanText, decodeCharacterReferences } from './stack-exchange-characters.ts';
import { htmlToMarkdown } from './stack-exchange-html.ts';

export interface ConvertedText {
  /** Markdown. Empty if there is no text. */
  content: string;
  /** The source: what the author typed, or the HTML page that Stack Exchange made of it. */
  source: 'markdown' | 'html';
}

/**
 * Returns the text of a post: what its author typed if Parley renders it like the original page, otherwise the
 * converted page. The page is used for raw HTML, for old Stack Exchange syntax that GitHub Flavored Markdown does not
 * have, and for pages changed outside the history.
 * @param typed the newest version in the history, if there is one
 * @param html the page, if there is one
 */
export function chooseContent(typed: string | null, html: string): ConvertedText {
  const page = html.trim();
  if (typed === null) return { content: cleanText(htmlToMarkdown(page)), source: 'html' };
  const markdown = cleanText(typed)
    .trimEnd()
    .replace(/^(?:[ \t]*\n)+/u, '');
  if (page === '' || rendersSame(markdown, page)) return { content: markdown, source: 'markdown' };
  return { content: cleanText(htmlToMarkdown(page)), source: 'html' };
}

/** Longer or deeper texts are not compared, because parsing Markdown can take quadratic time. */
const maxComparedLength = 100_000;
const deepNestingPattern = /^(?:[ \t]{0,3}(?:>|[-+*](?=[ \t])|\d{1,9}[.)](?=[ \t]))){20}/mu;

/** Text without any Markdown syntax: no line starts like a list or code, and no character has a meaning. */
const plain = /^(?! {4}|\t| {0,3}(?:[-+]|\d+[.)])).*$/u;

function rendersSame(markdown: string, page: string): boolean {
  const visible = visibleText(cleanText(page));
  if (isPlain(markdown)) return visible === withoutSpace(markdown);
  if (markdown.length > maxComparedLength || deepNestingPattern.test(markdown)) return false;
  // Pages have relative links into their site, which would lead into this community. The converter makes them absolute.
  if (/\s(?:href|src)="\//u.test(page)) return false;
  return visible === visibleText(micromark(markdown, { extensions: [gfm()], htmlExtensions: [gfmHtml()] }));
}

function isPlain(markdown: string): boolean {
  if (/[<>*_`#&|~[\]\\=@]|:\/\/|www\./u.test(markdown)) return false;
  return markdown.split('\n').every((line) => plain.test(line));
}

/** Elements without text that must be compared too: images, code blocks, tables. */
const placeholders: Readonly<Record<string, string>> = { img: '\u0001', pre: '\u0002', table: '\u0003' };

/** Returns the visible text of HTML, without white space. */
function visibleText(html: string): string {
  const text = html
    .replace(/<!--[\s\S]*?-->/gu, '')
    .replace(/<(\/?)([a-z][a-z\d]*)[^>]*>/giu, (_tag, closing: string, name: string) =>
      closing === '' ? (placeholders[name.toLowerCase()] ?? '') : '',
    );
  return withoutSpace(decodeCharacterReferences(text));
}

function withoutSpace(text: string): string {
  return text.replace(/[\s\u200B\u200C\u00AD]+/gu, '');
}
