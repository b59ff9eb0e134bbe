import { truncate } from '#shared/core/text.ts';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { gfm } from 'micromark-extension-gfm';

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

/** The parser is quadratic in the depth of quotes and lists, and a single line can open thousands. */
const containerMarks = /^(?:[ \t]{0,3}(?:>|[-+*](?=[ \t])|\d{1,9}[.)](?=[ \t])))+/gmu;
const containerMarksMax = 40;

/** The maximum number of link definitions that are read from the end of the text. */
const definitionsMax = 100;
const definitionLine = /^ {0,3}(\[[^[\]\n]{1,100}\]):[ \t]*\S/gmu;

/** What the editor of Stack Exchange inserts as the description of an image. Many imported posts have it. */
const stackExchangePlaceholder = 'enter image description here';

type Node = ReturnType<typeof fromMarkdown> | ReturnType<typeof fromMarkdown>['children'][number];

const graphemes = new Intl.Segmenter();

/**
 * The first 200 code points of the visible text, with white space folded. Code blocks and tables are omitted if there
 * is prose. Images are shown as their description. Never cuts a character or a joined emoji.
 */
export function createExcerpt(markdown: string): Excerpt {
  const text = markdown.trimEnd();
  const head = beginning(text);
  const parts = read(flatten(head) + definitions(text, head));
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
  const parts = read(flatten(piece.slice(0, parsed.maxChars).toWellFormed()));
  return { prose: fold(parts.prose), blocks: fold(parts.blocks) };
}

interface TextParts {
  prose: string[];
  /** The text of code blocks and tables, shown only if a post has nothing else. */
  blocks: string[];
  /** There is visible content without text, such as an image, or a part that was not parsed. */
  unseen: boolean;
}

/**
 * Characters that may be Markdown syntax, anywhere or at the beginning of a line. A text without any is shown unchanged
 * without parsing, which would take a millisecond. URLs that become links show the same text.
 */
const signs = /[\\`*_~[\]<>&|\0]|^[ \t]*(?:[-+=#:]|\d{1,9}[.)])|^(?: {4}| {0,3}\t)/mu;

const extensions = [gfm()];
const mdastExtensions = [gfmFromMarkdown()];

function read(markdown: string): TextParts {
  const parts: TextParts = { prose: [], blocks: [], unseen: false };
  if (signs.test(markdown)) collect(fromMarkdown(markdown, { extensions, mdastExtensions }), parts);
  else parts.prose.push(markdown);
  return parts;
}

/** Uses an explicit stack, because hostile nesting is deeper than the call stack. */
function collect(tree: Node, parts: TextParts): void {
  const open: { node: Node; inBlock: boolean }[] = [{ node: tree, inBlock: false }];
  for (let entry = open.pop(); entry !== undefined; entry = open.pop()) {
    const { node } = entry;
    const inBlock = entry.inBlock || node.type === 'code' || node.type === 'table';
    const target = inBlock ? parts.blocks : parts.prose;
    if (node.type === 'image' || node.type === 'imageReference') {
      if (node.alt !== stackExchangePlaceholder) target.push(node.alt ?? '');
      parts.unseen = true;
    } else if (node.type === 'html') {
      // Raw HTML is shown as text. A comment is an instruction to a renderer.
      if (!node.value.startsWith('<!--')) target.push(node.value);
    } else if (node.type === 'break') {
      target.push(' ');
    } else if ('value' in node) {
      target.push(node.value);
    } else if ('children' in node && node.type !== 'footnoteDefinition') {
      for (let index = node.children.length - 1; index >= 0; index--) {
        const child = node.children[index];
        if (child !== undefined) open.push({ node: child, inBlock });
      }
    }
    // Separates blocks. Words inside a paragraph may touch adjacent elements.
    if (isBlock(node)) target.push(' ');
  }
}

const inline = new Set([
  'text',
  'emphasis',
  'strong',
  'delete',
  'inlineCode',
  'html',
  'break',
  'link',
  'linkReference',
  'image',
  'imageReference',
  'footnoteReference',
]);

function isBlock(node: Node): boolean {
  return !inline.has(node.type);
}

function beginning(text: string): string {
  if (text.length <= parsed.minChars) return text;
  const prefix = text.slice(0, parsed.maxChars);
  const emptyLine = /\n[ \t\r]*\n/gu;
  emptyLine.lastIndex = parsed.minChars;
  const end = emptyLine.exec(prefix)?.index ?? parsed.maxChars;
  return text.slice(0, end).replace(/[\uD800-\uDBFF]$/u, '');
}

function flatten(head: string): string {
  return head.replace(containerMarks, (marks) => marks.slice(0, containerMarksMax));
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
