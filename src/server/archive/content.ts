import { micromark } from 'micromark';
import { gfm, gfmHtml } from 'micromark-extension-gfm';
import { cleanText, decodeReferences } from './characters.ts';
import { htmlToMarkdown } from './convert.ts';

export interface Content {
  /** Markdown. Empty where there is nothing to read. */
  content: string;
  /** Where it comes from: what the member typed, or the page that Stack Exchange made of it. */
  from: 'markdown' | 'html';
}

/**
 * The text of a post. What its author typed is kept where Parley shows the same for it as the original page did. It does not
 * where the text holds raw HTML, marks of the old Stack Exchange that GitHub's Markdown does not have, or where the page was
 * changed behind its history; then the page is converted.
 * @param typed the newest version in the history, if there is one
 * @param html the page, if there is one
 */
export function chooseContent(typed: string | null, html: string): Content {
  const page = html.trim();
  if (typed === null) return { content: cleanText(htmlToMarkdown(page)), from: 'html' };
  const markdown = cleanText(typed)
    .trimEnd()
    .replace(/^(?:[ \t]*\n)+/u, '');
  if (page === '' || showsTheSame(markdown, page)) return { content: markdown, from: 'markdown' };
  return { content: cleanText(htmlToMarkdown(page)), from: 'html' };
}

/** Longer or deeper texts are not compared: reading Markdown can take time by the square of these. */
const comparedMax = 100_000;
const deep = /^(?:[ \t]{0,3}(?:>|[-+*](?=[ \t])|\d{1,9}[.)](?=[ \t]))){20}/mu;

/** Nothing in it could be a mark: no line of it begins like a list or code, and no sign stands for anything. */
const plain = /^(?! {4}|\t| {0,3}(?:[-+]|\d+[.)])).*$/u;

function showsTheSame(markdown: string, page: string): boolean {
  const shown = visible(cleanText(page));
  if (isPlain(markdown)) return shown === withoutSpace(markdown);
  if (markdown.length > comparedMax || deep.test(markdown)) return false;
  // Links into the site are relative in pages and would lead into this one: the converter makes them whole.
  if (/\s(?:href|src)="\//u.test(page)) return false;
  return shown === visible(micromark(markdown, { extensions: [gfm()], htmlExtensions: [gfmHtml()] }));
}

function isPlain(markdown: string): boolean {
  if (/[<>*_`#&|~[\]\\=@]|:\/\/|www\./u.test(markdown)) return false;
  return markdown.split('\n').every((line) => plain.test(line));
}

/** What has no letters but must be there: pictures, code blocks, tables. */
const marks: Readonly<Record<string, string>> = { img: '\u0001', pre: '\u0002', table: '\u0003' };

/** What a reader sees of HTML, without white space. */
function visible(html: string): string {
  const text = html
    .replace(/<!--[\s\S]*?-->/gu, '')
    .replace(/<(\/?)([a-z][a-z\d]*)[^>]*>/giu, (_tag, closing: string, name: string) =>
      closing === '' ? (marks[name.toLowerCase()] ?? '') : '',
    );
  return withoutSpace(decodeReferences(text));
}

function withoutSpace(text: string): string {
  return text.replace(/[\s\u200B\u200C\u00AD]+/gu, '');
}
