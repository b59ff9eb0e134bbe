import { renderMarkdown } from '#shared/core/markdown.ts';
import { cleanText, decodeCharacterReferences, isPlain } from './stack-exchange-characters.ts';
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
  const markdown = withSecureImages(cleanText(typed), page)
    .trimEnd()
    .replace(/^(?:[ \t]*\n)+/u, '');
  if (page === '' || rendersSame(markdown, page)) return { content: markdown, source: 'markdown' };
  return { content: cleanText(htmlToMarkdown(page)), source: 'html' };
}

/** Stack Exchange moved its pictures to https, in pages only. */
function withSecureImages(typed: string, page: string): string {
  return page.includes('https://i.stack.imgur.com/')
    ? typed.replaceAll('http://i.stack.imgur.com/', 'https://i.stack.imgur.com/')
    : typed;
}

function rendersSame(markdown: string, page: string): boolean {
  if (isPlain(markdown)) return plainStructureOf(markdown) === structureOf(cleanText(page));
  // Pages have relative links into their site, which would lead into this community. The converter makes them absolute.
  if (/\s(?:href|src)="\//u.test(page)) return false;
  const shown = renderMarkdown(markdown);
  return shown !== null && structureOf(cleanText(page)) === structureOf(shown);
}

/** The structure of paragraphs and their line breaks. */
function plainStructureOf(markdown: string): string {
  return structureOf(
    markdown
      .split(/\n(?:[ \t]*\n)+/u)
      .map((paragraph) => `<p>${paragraph.replace(/ {2,}\n/gu, '<br>')}</p>`)
      .join(''),
  );
}

/** Elements that readers see, by the names that mean the same. Of others, such as p, only the place counts. */
const comparedElements: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    'a blockquote br code del em h1 h2 h3 h4 h5 h6 hr img li ol pre strong table td th tr ul'
      .split(' ')
      .map((name) => [name, name]),
  ),
  b: 'strong',
  i: 'em',
  s: 'del',
  strike: 'del',
};
const blocks = new Set('blockquote h1 h2 h3 h4 h5 h6 hr li ol pre table td th tr ul'.split(' '));

const htmlParts = /<!--[\s\S]*?-->|<(\/?)([a-z][a-z\d]*)((?:[^>"']|"[^"]*"|'[^']*')*)>|[^<]+|</giu;

/**
 * The text of HTML without white space, with what readers see of its elements: lists, quotes, code blocks with each
 * character, emphasis, links and images with their addresses. Not whether a list is loose.
 */
function structureOf(html: string): string {
  let structure = '';
  let isBetweenTexts = false;
  let isInCode = false;
  for (const [part, closing = '', name = '', attributes = ''] of html.matchAll(htmlParts)) {
    if (name === '') {
      if (part.startsWith('<!--')) continue;
      const text = decodeCharacterReferences(part);
      const visible = isInCode ? text : withoutSpace(text);
      if (visible === '') continue;
      structure += (isBetweenTexts ? '\u0003' : '') + visible;
      isBetweenTexts = false;
      continue;
    }
    const element = comparedElements[name.toLowerCase()];
    if (element === undefined) {
      // A paragraph separates two texts; beside a block it makes no difference.
      if (name.toLowerCase() === 'p' && !structure.endsWith('\u0002')) isBetweenTexts = true;
      continue;
    }
    const isBlock = blocks.has(element);
    if (element === 'pre') isInCode = closing === '';
    if (element === 'pre' && closing !== '') structure = structure.trimEnd();
    if (isBlock) isBetweenTexts = false;
    else if (isBetweenTexts && closing === '') {
      structure += '\u0003';
      isBetweenTexts = false;
    }
    structure += `\u0001${closing}${element}${closing === '' ? readAttributes(element, attributes) : ''}`;
    structure += isBlock ? '\u0002' : '\u0001';
  }
  return structure;
}

function readAttributes(element: string, attributes: string): string {
  const get = (name: string) => {
    const [, value] = new RegExp(`\\s${name}="([^"]*)"`, 'iu').exec(attributes) ?? [];
    return value === undefined ? '' : decodeCharacterReferences(value);
  };
  if (element === 'a') return `${toComparedAddress(get('href'))} ${get('title')}`;
  if (element === 'img') return `${toComparedAddress(get('src'))} ${get('alt')}`;
  if (element === 'ol') return get('start');
  if (element === 'pre' || element === 'code')
    return /\blang(?:uage)?-([\w+#-]+)/u.exec(get('class'))?.[1] ?? '';
  return '';
}

/** As browsers normalize it, with the characters that Markdown always encodes. */
function toComparedAddress(address: string): string {
  const url = URL.parse(address)?.href ?? address;
  return url.replace(/[[\]{}|^`\\]/gu, encodeURIComponent);
}

function withoutSpace(text: string): string {
  return text.replace(/[\s\u200B\u200C\u00AD]+/gu, '');
}
