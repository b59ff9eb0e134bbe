import type { Element, Nodes } from 'hast';
import { fromHtml } from 'hast-util-from-html';
import { parseMarkdown } from '#web/ui/markdown/parse-markdown.ts';
import { sanitizeUrl } from '#web/ui/markdown/sanitize-url.ts';

/**
 * The structure of a text, so that a page of the old site and Parley's page of its Markdown can be compared: a line for
 * each block that begins or ends, for each code block, image and line break, and for each run of text that looks the
 * same, with its marks (emphasis, code, link with its target).
 *
 * These differences do not count, because a reader sees none, or because Markdown has no other notation and
 * docs/importing.md says what it becomes:
 *
 * 1. White space, where HTML collapses it. In code blocks each character counts, except line ends at the end.
 * 2. Whether a list is tight or loose. That an item has two paragraphs counts.
 * 3. The order of inline elements around one text, such as bold in a link; marks of white space; elements without
 *    content; line breaks at the end of a block.
 * 4. Names for the same: b and strong, i and em, s, strike and del, kbd and code; thead, tbody, div, span, font.
 * 5. A relative link leads into the archive's site. Addresses are compared as browsers normalize them, and `[`, `]`, `{`,
 *    `}`, `|`, `^` and backslashes with their percent encodings, which CommonMark writes.
 * 6. A link that Parley does not have (such as ftp) is its text, with the address in parentheses if the text does not
 *    contain it. A link with an address that no browser can open (`http://Some%20words`) is its text.
 * 7. Superscript and subscript become characters such as ² and ₂ where Unicode has them all, else a word of at most four
 *    characters with ^ or _ before it; longer remarks in small type are text.
 * 8. A spoiler is a quote that begins with 'Spoiler' in bold. A list without items is its text.
 */
export type Structure = readonly string[];

export function readPage(html: string, site: string): Structure {
  return describe(fromHtml(html, { fragment: true }), { site });
}

/** The structure of what the web app shows. */
export function readMarkdown(markdown: string): Structure {
  const tree = parseMarkdown(markdown, {
    breaks: false,
    idPrefix: '',
    hiddenClass: '',
    changes: [],
    transformUrl: (address) => sanitizeUrl(address),
  });
  return tree === null ? [markdown] : describe(tree, { site: null });
}

type Marks = { readonly [name: string]: string };

const markOf: Readonly<Record<string, string>> = {
  em: 'em',
  i: 'em',
  strong: 'strong',
  b: 'strong',
  del: 'del',
  s: 'del',
  strike: 'del',
  code: 'code',
  kbd: 'code',
  tt: 'code',
};
const containers = new Set(['ul', 'ol', 'li', 'blockquote', 'table', 'tr', 'td', 'th']);
const paragraphs = new Set(['p', 'div', 'dl', 'dt', 'dd', 'center', 'section', 'address']);
const invisible = new Set(['script', 'style', 'template', 'title', 'iframe', 'object', 'noscript']);
const schemes = new Set(['http:', 'https:', 'mailto:']);

/** @param site the address of the site of a page; null for Parley's own */
function describe(tree: Nodes, { site }: { site: string | null }): Structure {
  const out = new Lines();
  visit(tree, {});
  return out.finish();

  function visit(node: Nodes, marks: Marks): void {
    if (node.type === 'text') out.addText(node.value, marks);
    else if (node.type === 'element') visitElement(node, marks);
    else if (node.type === 'root') visitChildren(node, marks);
  }

  function visitChildren(node: { children: Nodes[] }, marks: Marks): void {
    for (const child of node.children) visit(child, marks);
  }

  function visitElement(element: Element, marks: Marks): void {
    const { tagName: name } = element;
    const mark = markOf[name];
    if (invisible.has(name)) return;
    if (name === 'pre') out.addBlock(describeCode(element));
    else if (name === 'hr') out.addBlock('<hr>');
    else if (name === 'br') out.addBreak();
    else if (name === 'img') addImage(element, marks);
    else if (name === 'input') out.addText(element.properties['checked'] === true ? '[x]' : '[ ]', marks);
    else if (/^h[1-6]$/u.test(name) || (containers.has(name) && !isListWithoutItems(element))) {
      out.addBlock(`<${name}${attributesOf(element)}>`);
      if (site !== null && isSpoiler(element)) {
        out.addText('Spoiler', { strong: '' });
        out.addParagraph();
      }
      visitChildren(element, marks);
      out.addBlock(`</${name}>`);
    } else if (paragraphs.has(name) || isListWithoutItems(element)) {
      out.addParagraph();
      visitChildren(element, marks);
      out.addParagraph();
    } else if (name === 'a') visitLink(element, marks);
    else if ((name === 'sup' || name === 'sub') && site !== null) visitRaised(element, name, marks);
    else visitChildren(element, mark === undefined ? marks : { ...marks, [mark]: '' });
  }

  function visitLink(element: Element, marks: Marks): void {
    const address = element.properties['href'];
    if (typeof address !== 'string' || address.trim() === '') return visitChildren(element, marks);
    const target = resolve(address);
    if (target !== null) return visitChildren(element, { ...marks, link: target + titleOf(element) });
    visitChildren(element, marks);
    if (site !== null && URL.canParse(address.trim()) && !textOf(element).includes(address.trim()))
      out.addText(` (${address.trim()})`, marks);
  }

  function addImage({ properties }: Element, marks: Marks): void {
    const address = typeof properties['src'] === 'string' ? resolve(properties['src']) : null;
    const link = marks['link'] === undefined ? '' : ` in ${marks['link']}`;
    out.addInline(`<img ${address ?? 'none'} "${collapse(properties['alt'] ?? '')}"${link}>`);
  }

  /** Null for an address that Parley makes no link of. */
  function resolve(address: string): string | null {
    const url = URL.parse(address.trim(), site ?? undefined);
    if (url === null || !schemes.has(url.protocol)) return null;
    return url.href.replace(/[[\]{}|^`\\]/gu, encodeURIComponent);
  }

  function visitRaised(element: Element, name: 'sup' | 'sub', marks: Marks): void {
    const text = element.children.every(({ type }) => type === 'text') ? textOf(element).trim() : '';
    if (text === '') visitChildren(element, marks);
    else out.addText(raise(text, name), marks);
  }
}

const superscripts = ['0123456789+-−=()ni', '⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ⁿⁱ'] as const;
const subscripts = ['0123456789+-−=()', '₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎'] as const;

function raise(text: string, name: 'sup' | 'sub'): string {
  const [plain, raised] = (name === 'sup' ? superscripts : subscripts).map((each) => Array.from(each));
  const characters = Array.from(text, (each) => raised?.[plain?.indexOf(each) ?? -1]);
  if (!characters.includes(undefined)) return characters.join('');
  const mark = name === 'sup' ? '^' : '_';
  if (/^[\p{L}\p{N}+-]{1,4}$/u.test(text)) return mark + text.replaceAll('−', '-');
  return text;
}

const titleOf = ({ properties }: Element) =>
  typeof properties['title'] === 'string' && properties['title'] !== ''
    ? ` "${collapse(properties['title'])}"`
    : '';

const collapse = (text: string) => text.replace(/\s+/gu, ' ').trim();

function attributesOf({ tagName, properties }: Element): string {
  if (tagName === 'ol' && Number(properties['start'] ?? 1) !== 1)
    return ` start=${String(properties['start'])}`;
  const align = properties['align'] ?? /text-align:\s*(\w+)/u.exec(properties['style'] ?? '')?.[1];
  return (tagName === 'td' || tagName === 'th') && typeof align === 'string' ? ` align=${align}` : '';
}

const classesOf = ({ properties: { className } }: Element) =>
  Array.isArray(className) ? className.map(String) : [];

const isListWithoutItems = ({ tagName, children }: Element) =>
  (tagName === 'ol' || tagName === 'ul') &&
  !children.some((child) => child.type === 'element' && child.tagName === 'li');

const isSpoiler = (element: Element) =>
  element.tagName === 'blockquote' && classesOf(element).includes('spoiler');

function describeCode(pre: Element): string {
  const inside = pre.children.filter((child) => child.type === 'element');
  const language = [pre, ...inside]
    .flatMap(classesOf)
    .map((name) => /^lang(?:uage)?-([\w+#-]+)$/u.exec(name)?.[1])
    .find((name) => name !== undefined && name !== 'none' && name !== 'default');
  return `<pre ${language ?? ''}>${codeOf(pre).replace(/\n+$/u, '')}`;
}

function textOf(node: Nodes): string {
  if (node.type === 'text') return node.value;
  if (node.type !== 'element') return '';
  if (node.tagName === 'br') return '\n';
  return node.children.map(textOf).join('');
}

/** The text of a code block, in which superscripts can be. */
function codeOf(node: Nodes): string {
  if (node.type !== 'element') return textOf(node);
  const { tagName: name } = node;
  if (name === 'sup' || name === 'sub') return raise(textOf(node), name);
  return name === 'br' ? '\n' : node.children.map(codeOf).join('');
}

/** Collects lines. Adds a paragraph mark only between two texts, and white space only between two characters. */
class Lines {
  readonly #lines: string[] = [];
  /** The text since the last block, break or image: its look, and its characters. */
  #marks = '';
  #text = '';
  #space = false;
  #hasText = false;
  #paragraph = false;

  addText(text: string, marks: Marks): void {
    const look = Object.entries(marks)
      .map(([name, value]) => (value === '' ? name : `${name} ${value}`))
      .toSorted()
      .join(', ');
    for (const part of text.split(/([\t\n\f\r ]+)/u)) {
      if (part === '') continue;
      if (/^[\t\n\f\r ]/u.test(part)) {
        this.#space = true;
        continue;
      }
      this.#beginInline();
      if (look !== this.#marks) {
        const hadSpace = this.#space;
        this.#flush();
        this.#space = hadSpace;
        this.#marks = look;
      }
      this.#text += (this.#space && this.#hasText ? ' ' : '') + part;
      this.#space = false;
      this.#hasText = true;
    }
  }

  addInline(line: string): void {
    this.#beginInline();
    const hadSpace = this.#space && this.#hasText;
    this.#flush();
    this.#lines.push((hadSpace ? ' ' : '') + line);
    this.#hasText = true;
  }

  addBreak(): void {
    if (!this.#hasText) return;
    this.#flush();
    this.#lines.push('<br>');
    this.#hasText = false;
    this.#space = false;
  }

  addParagraph(): void {
    this.#flush();
    this.#dropBreaks();
    this.#paragraph = true;
    this.#hasText = false;
    this.#space = false;
  }

  addBlock(line: string): void {
    this.addParagraph();
    this.#paragraph = false;
    this.#lines.push(line);
  }

  finish(): Structure {
    this.addParagraph();
    return this.#lines;
  }

  #beginInline(): void {
    const last = this.#lines.at(-1);
    if (this.#paragraph && last !== undefined && (!/^<(?!img)/u.test(last) || last === '<br>'))
      this.#lines.push('¶');
    this.#paragraph = false;
  }

  #dropBreaks(): void {
    while (this.#lines.at(-1) === '<br>') this.#lines.pop();
  }

  #flush(): void {
    if (this.#text !== '')
      this.#lines.push(this.#marks === '' ? `"${this.#text}` : `[${this.#marks}] ${this.#text}`);
    this.#text = '';
    this.#marks = '';
    this.#space = false;
  }
}
