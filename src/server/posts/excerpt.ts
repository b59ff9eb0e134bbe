import { getPictureText, parseMarkdown } from '#shared/core/markdown.ts';
import { truncate } from '#shared/core/text.ts';

/** The beginning of a text without Markdown syntax, on one line. `cut`: the text has more to show. */
export interface Excerpt {
  excerpt: string;
  cut: boolean;
}

/** The length of a question card's text in code points (docs/product.md 10.3). */
const excerptLength = 200;

/**
 * The text is parsed up to the first empty line after `enough`, and never beyond `most` (UTF-16 units), so that a long
 * or hostile text costs no more than a short one. Inline syntax never spans an empty line, so none is cut there.
 */
const parsed = { minChars: 600, maxChars: 3000 };

/** The maximum number of link definitions that are read from the end of the text. */
const definitionsMax = 100;
const definitionLine = /^ {0,3}(\[[^[\]\n]{1,100}\]):[ \t]*\S/gmu;

/** What the editor of Stack Exchange inserts as the description of an image. Many imported posts have it. */
const stackExchangePlaceholder = 'enter image description here';

const graphemes = new Intl.Segmenter();

/**
 * The first 200 code points of the visible text, with white space folded. Code blocks and tables are omitted if there
 * is prose. Images are shown as their description. Never cuts a character or a joined emoji.
 */
export function createExcerpt(markdown: string): Excerpt {
  const text = markdown.trimEnd();
  const head = beginning(text);
  const parts = read(head + definitions(text, head));
  parts.unseen ||= head.length < text.length;

  const prose = fold(parts.prose);
  const blocks = fold(parts.blocks);
  const plain = prose === '' ? blocks : prose;
  const visible = firstCodePoints(plain);
  return { excerpt: visible, cut: parts.unseen || visible !== plain || (prose !== '' && blocks !== '') };
}

/**
 * The visible text of a piece of Markdown, each part on one line: `prose`, and the text of its code blocks and tables.
 * Reads only the first few thousand characters.
 */
export function toPlainText(piece: string): { prose: string; blocks: string } {
  const parts = read(piece.slice(0, parsed.maxChars).toWellFormed());
  return { prose: fold(parts.prose), blocks: fold(parts.blocks) };
}

interface TextParts {
  prose: string[];
  /** The text of code blocks and tables, shown only if a post has nothing else. */
  blocks: string[];
  /** There is visible content without text, such as an image, or a part that was not parsed. */
  unseen: boolean;
}

const comments = /^(?:<!--(?:(?!-->).)*-->\s*)+$/su;

function read(markdown: string): TextParts {
  const parts: TextParts = { prose: [], blocks: [], unseen: false };
  const tokens = parseMarkdown(markdown);
  if (tokens === null) parts.prose.push(markdown);
  let inTable = false;
  for (const { type, content, children } of tokens ?? []) {
    if (type === 'footnotes_open') break;
    if (type === 'table_open' || type === 'table_close') inTable = type === 'table_open';
    const target = inTable || type === 'fence' || type === 'code_block' ? parts.blocks : parts.prose;
    if (type !== 'inline') target.push(content);
    // Raw HTML is shown as text, but a comment that is a paragraph is an instruction to a renderer.
    if (type === 'inline' && comments.test(content)) continue;
    // Words in a block may touch adjacent elements.
    for (const child of children ?? []) {
      if (child.type === 'image') {
        const text = getPictureText(child);
        if (text !== stackExchangePlaceholder) target.push(text);
        parts.unseen = true;
      } else target.push(/^(?:soft|hard)break$/u.test(child.type) ? ' ' : child.content);
    }
    target.push(' ');
  }
  return parts;
}

function beginning(text: string): string {
  if (text.length <= parsed.minChars) return text;
  const prefix = text.slice(0, parsed.maxChars);
  const emptyLine = /\n[ \t\r]*\n/gu;
  emptyLine.lastIndex = parsed.minChars;
  const end = emptyLine.exec(prefix)?.index ?? parsed.maxChars;
  return text.slice(0, end).replace(/[\uD800-\uDBFF]$/u, '');
}

/** The link definitions after `head` that links in `head` use. */
function definitions(text: string, head: string): string {
  const mentioned = head.toLowerCase();
  const used: string[] = [];
  definitionLine.lastIndex = head.length;
  for (let count = 0; count < definitionsMax; count++) {
    const label = definitionLine.exec(text)?.[1];
    if (label === undefined) break;
    if (mentioned.includes(label.toLowerCase())) used.push(`${label}: #`);
  }
  definitionLine.lastIndex = 0;
  return used.length === 0 ? '' : `\n\n${used.join('\n')}`;
}

/** Replaces white space and control characters by single spaces. */
function fold(parts: readonly string[]): string {
  return parts
    .join('')
    .toWellFormed()
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim();
}

function firstCodePoints(text: string): string {
  const end = truncate(text, excerptLength).length;
  if (end === text.length) return text;
  // A single character that is longer than the whole excerpt (stacked accents) is cut anyway.
  const start = graphemes.segment(text.slice(0, 4 * excerptLength)).containing(end)?.index ?? end;
  return text.slice(0, start === 0 ? end : start).trim();
}
