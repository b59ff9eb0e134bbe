import { micromark } from 'micromark';
import { gfm, gfmHtml } from 'micromark-extension-gfm';
import { cleanText, decodeCharacterReferences } from './stack-exchange-characters.ts';
import { htmlToMarkdown } from './stack-exchange-html.ts';

export interface ConvertedText {
  /** Markdown. Empty where there is nothing to read. */
  content: string;
  /** Where it comes from: what the member typed, or the page that Stack Exchange made of it. */
  source: 'markdown' | 'html';
}

/**
 * The text of a post. What its author typed is kept where Parley shows the same for it as the original page did. It does not
 * where the text holds raw HTML, marks of the old Stack Exchange that GitHub's Markdown does not have, or where the page was
 * changed behind its history; then the page is converted.
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

/** Longer or deeper texts are not compared: reading Markdown can take time by the square of these. */
const maxComparedLength = 100_000;
const deepNestingPattern = /^(?:[ \t]{0,3}(?:>|[-+*](?=[ \t])|\d{1,9}[.)](?=[ \t]))){20}/mu;

/** Nothing in it could be a mark: no line of it begins like a list or code, and no sign stands for anything. */
const plain = /^(?! {4}|\t| {0,3}(?:[-+]|\d+[.)])).*$/u;

function rendersSame(markdown: string, page: string): boolean {
  const shown = visibleText(cleanText(page));
  if (isPlain(markdown)) return shown === withoutSpace(markdown);
  if (markdown.length > maxComparedLength || deepNestingPattern.test(markdown)) return false;
  // Links into the site are relative in pages and would lead into this one: the converter makes them whole.
  if (/\s(?:href|src)="\//u.test(page)) return false;
  return shown === visibleText(micromark(markdown, { extensions: [gfm()], htmlExtensions: [gfmHtml()] }));
}

function isPlain(markdown: string): boolean {
  if (/[<>*_`#&|~[\]\\=@]|:\/\/|www\./u.test(markdown)) return false;
  return markdown.split('\n').every((line) => plain.test(line));
}

/** What has no letters but must be there: pictures, code blocks, tables. */
const placeholders: Readonly<Record<string, string>> = { img: '\u0001', pre: '\u0002', table: '\u0003' };

/** What a reader sees of HTML, without white space. */
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
