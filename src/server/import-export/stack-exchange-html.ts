import type { Element, ElementContent, Root, RootContent } from 'hast';
import { fromParse5 } from 'hast-util-from-parse5';
import { toMdast } from 'hast-util-to-mdast';
import type { Nodes } from 'mdast';
import { gfmToMarkdown } from 'mdast-util-gfm';
import { type Options, toMarkdown } from 'mdast-util-to-markdown';
import { parseFragment } from 'parse5';
import { cleanText, decodeCharacterReferences, isPlain } from './stack-exchange-characters.ts';
import { unknownSiteUrl } from './stack-exchange-fields.ts';

/**
 * Converts Stack Exchange's HTML to Markdown that renders the same. Links into the site get `unknownSiteUrl`. HTML that
 * cannot be converted (elements nested by the thousand) becomes plain text.
 */
export function htmlToMarkdown(html: string): string {
  return readPlainParagraphs(html) ?? convert(html);
}

const plainParagraphs = /^(?:<p>[^<>&]*<\/p>\s*)+$/u;

/**
 * The paragraphs of a page that has nothing else, and no character that Markdown needs to escape; null for others. A
 * third of all posts are converted in this way, without a parser.
 */
export function readPlainParagraphs(html: string): string | null {
  if (!plainParagraphs.test(html)) return null;
  const paragraphs = Array.from(html.matchAll(/<p>([^<]*)<\/p>/gu), ([, text = '']) =>
    cleanText(text)
      .replace(/[\t\n\f\r ]+/gu, ' ')
      .replace(/^ | $/gu, ''),
  ).filter((text) => text !== '');
  return paragraphs.every(isPlain) ? paragraphs.join('\n\n').trim() : null;
}

/** As `htmlToMarkdown`, without the shortcut for plain paragraphs. */
export function convert(html: string): string {
  try {
    // Not `fromHtml`, which remembers the position of each element.
    const tree = fromParse5(parseFragment(cleanText(html), { scriptingEnabled: false })) as Root;
    if (isDeep(tree)) return plainTextOf(html);
    adaptElements(tree);
    return render(toMdast(tree, { handlers: { comment: () => undefined } })).trim();
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return plainTextOf(html);
  }
}

/** Elements in each other. Without a bound, the size of the stack would decide, which differs between threads. */
const maxDepth = 200;

function isDeep(tree: Root): boolean {
  let level: (Root | ElementContent | RootContent)[] = [tree];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > maxDepth) return true;
    level = level.flatMap((node) => ('children' in node ? node.children : []));
  }
  return false;
}

const plainTextOf = (html: string): string =>
  render({ type: 'paragraph', children: [{ type: 'text', value: bareText(html) }] }).trim();

/** Created once, because its patterns are compiled when they are first used. */
const markdownOptions: Options = {
  bullet: '-',
  rule: '-',
  fences: true,
  listItemIndent: 'one',
  extensions: [gfmToMarkdown({ tablePipeAlign: false })],
};

const render = (tree: Nodes): string => toMarkdown(tree, markdownOptions);

function bareText(html: string): string {
  return decodeCharacterReferences(html.replace(/<[^>]*>/gu, ' ')).replace(/\s+/gu, ' ');
}

/** Replaces Stack Exchange's own notation with standard HTML for the converter. */
function adaptElements(tree: Root): void {
  const open: (Root | Element)[] = [tree];
  for (let parent = open.pop(); parent !== undefined; parent = open.pop()) {
    const children = [...parent.children];
    for (const child of children) {
      if (child.type !== 'element') continue;
      open.push(child);
      adaptLinks(child);
      adaptAlignment(child);
      if (isListWithoutItems(child)) child.tagName = 'div';
      if (inlineMarks.has(child.tagName)) moveOuterBreaks(parent, child);
      if (child.tagName === 'pre') adaptLanguage(child);
      if (child.tagName === 'sup') adaptSuperscript(child, superscripts, '^');
      if (child.tagName === 'sub') adaptSuperscript(child, subscripts, '_');
      if (child.tagName === 'blockquote' && hasClass(child, 'spoiler')) adaptSpoiler(child);
    }
  }
}

function adaptLinks(element: Element): void {
  for (const name of ['href', 'src'] as const) {
    const target = element.properties[name];
    if (typeof target !== 'string') continue;
    if (target.startsWith('//')) element.properties[name] = `https:${target}`;
    else if (target.startsWith('/')) element.properties[name] = unknownSiteUrl + target;
  }
  if (element.tagName === 'a') showOtherAddress(element);
}

const linkSchemes = new Set(['http:', 'https:', 'mailto:']);

/** Parley makes no links of other schemes, such as ftp. Readers still need the address. */
function showOtherAddress(link: Element): void {
  const { href } = link.properties;
  const url = typeof href === 'string' ? URL.parse(href.trim()) : null;
  if (url === null || linkSchemes.has(url.protocol)) return;
  const address = String(href).trim();
  link.tagName = 'span';
  if (!textOf(link).includes(address)) link.children.push({ type: 'text', value: ` (${address})` });
}

const textOf = (node: ElementContent): string =>
  node.type === 'text' ? node.value : node.type === 'element' ? node.children.map(textOf).join('') : '';

/** Newer pages state the alignment of a table's column as a style. */
function adaptAlignment({ tagName, properties }: Element): void {
  if (tagName !== 'td' && tagName !== 'th') return;
  const [, align] = /text-align:\s*(left|center|right)/u.exec(properties['style'] ?? '') ?? [];
  if (align !== undefined) properties['align'] ??= align;
}

/** Browsers show its text without numbers or bullets. */
const isListWithoutItems = ({ tagName, children }: Element): boolean =>
  (tagName === 'ol' || tagName === 'ul') &&
  !children.some((child) => child.type === 'element' && child.tagName === 'li');

const inlineMarks = new Set(['em', 'i', 'strong', 'b', 'del', 's', 'strike', 'a']);

/** Markdown has no line break at the beginning or the end of emphasis. */
function moveOuterBreaks(parent: Root | Element, element: Element): void {
  const { children } = element;
  const isOuter = (child: ElementContent) =>
    (child.type === 'text' && child.value.trim() === '') ||
    (child.type === 'element' && child.tagName === 'br');
  const from = children.findIndex((child) => !isOuter(child));
  if (from === -1) return;
  const to = children.findLastIndex((child) => !isOuter(child)) + 1;
  const [before, after] = [children.slice(0, from), children.slice(to)];
  if (![...before, ...after].some(({ type }) => type === 'element')) return;
  element.children = children.slice(from, to);
  const at = parent.children.indexOf(element);
  (parent.children as ElementContent[]).splice(at, 1, ...before, element, ...after);
}

/** Turns `<pre class="lang-py prettyprint-override"><code>` into `<pre><code class="language-py">`. */
function adaptLanguage(pre: Element): void {
  const language = classes(pre)
    .find((name) => /^lang-[\w+#-]+$/u.test(name))
    ?.slice('lang-'.length);
  if (language === undefined || language === 'none' || language === 'default') return;
  for (const child of pre.children) {
    if (child.type === 'element' && child.tagName === 'code')
      child.properties['className'] = [`language-${language}`];
  }
}

const superscripts = pairs('0123456789+-=()ni', '⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿⁱ');
const subscripts = pairs('0123456789+-=()', '₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎');

function pairs(plain: string, raised: string): ReadonlyMap<string, string> {
  const characters = Array.from(raised);
  return new Map(Array.from(plain, (character, index) => [character, characters[index] ?? character]));
}

/**
 * Markdown has no superscript, and 10⁵ must not become 105. Longer passages are remarks in small type and stay as they
 * are.
 */
function adaptSuperscript(element: Element, characters: ReadonlyMap<string, string>, mark: string): void {
  const [only, ...others] = element.children;
  if (only?.type !== 'text' || others.length > 0) return;
  const text = only.value.trim().replaceAll('−', '-');
  const raised = Array.from(text, (character) => characters.get(character));
  if (!raised.includes(undefined)) {
    only.value = raised.join('');
  } else if (/^[\p{L}\p{N}+-]{1,4}$/u.test(text)) {
    only.value = mark + text;
  }
}

function adaptSpoiler(quote: Element): void {
  const label: ElementContent = {
    type: 'element',
    tagName: 'p',
    properties: {},
    children: [
      { type: 'element', tagName: 'strong', properties: {}, children: [{ type: 'text', value: 'Spoiler' }] },
    ],
  };
  quote.children.unshift(label);
}

function hasClass(element: Element, name: string): boolean {
  return classes(element).includes(name);
}

function classes(element: Element): string[] {
  const value = element.properties['className'];
  return Array.isArray(value) ? value.map(String) : [];
}
