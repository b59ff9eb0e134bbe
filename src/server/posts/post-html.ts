import type { Element } from 'hast';
import { defaultSchema, sanitize, type Schema } from 'hast-util-sanitize';
import { toHtml } from 'hast-util-to-html';
import type { Nodes, Root } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { newlineToBreak } from 'mdast-util-newline-to-break';
import { toHast } from 'mdast-util-to-hast';
import { LRUCache } from 'lru-cache';
import { gfm } from 'micromark-extension-gfm';
import { visit } from 'unist-util-visit';
import { escapeMarkup } from '#server/core/markup.ts';
import { isCheapToParse } from '#shared/core/markdown-cost.ts';

/** A member's text, and where it is shown. */
export type PostText = {
  markdown: string;
  /** Whether the text was imported. Then line breaks do not stay as typed. */
  imported: boolean;
};

/**
 * The text as HTML for readers outside of the web app, as its page shows it: raw HTML is text, pictures are links, and only
 * http, https and mailto addresses become links.
 * @param origin of the site, for links to its own pages
 */
export function renderPostHtml(text: PostText, origin: string): string {
  const tree = parse(text);
  if (tree === null) return `<p>${escapeMarkup(text.markdown)}</p>`;
  try {
    const hast = toHast(tree);
    visit(hast, 'element', (element) => prepareElement(element, origin));
    const safe = sanitize(hast, schema);
    visit(safe, 'element', (element) => {
      if (element.tagName === 'a') element.properties['rel'] = linkRelation;
    });
    return toHtml(safe);
  } catch {
    // A nesting deeper than the call stack.
    return `<p>${escapeMarkup(text.markdown)}</p>`;
  }
}

/** Search engines must not follow links of members' texts. */
const linkRelation = ['nofollow', 'ugc', 'noopener'];

const schema: Schema = {
  ...defaultSchema,
  attributes: { a: ['href', 'title'], ol: ['start'], td: ['align'], th: ['align'] },
  protocols: { href: ['http', 'https', 'mailto'] },
  clobber: [],
  tagNames: (defaultSchema.tagNames ?? []).filter((name) => !['img', 'input', 'span'].includes(name)),
};

function prepareElement(element: Element, origin: string): void {
  const { properties } = element;
  if (element.tagName === 'img') {
    const { src, alt } = properties;
    element.tagName = 'a';
    element.properties = { href: typeof src === 'string' ? src : '' };
    element.children = [{ type: 'text', value: typeof alt === 'string' && alt !== '' ? alt : 'Image' }];
  }
  if (element.tagName === 'input') {
    element.tagName = 'span';
    element.children = [{ type: 'text', value: properties['checked'] === true ? '☑' : '☐' }];
  }
  const { href } = element.properties;
  if (element.tagName !== 'a' || typeof href !== 'string') return;
  const target = toAbsolute(href, origin);
  if (target === null) delete element.properties['href'];
  else element.properties['href'] = target;
}

/** Imports, mentions and uploads write paths. Other relative addresses lead nowhere, as in the web app. */
const ownPage = /^\/(?:(?:question|profile)\/\d|uploads\/)/u;

function toAbsolute(href: string, origin: string): string | null {
  if (ownPage.test(href)) return origin + href;
  return URL.canParse(href) ? href : null;
}

/** The text of each post, by its Markdown and whether it is imported: a change of one answer parses that answer only. */
const plainTexts = new LRUCache<string, string>({
  maxSize: 4 * 1024 * 1024,
  sizeCalculation: (plain, key) => plain.length + key.length + 100,
});

/** The whole visible text without Markdown, with its line breaks. */
export function renderPostText({ markdown, imported }: PostText): string {
  // Line breaks differ.
  const key = `${imported ? 1 : 0}${markdown}`;
  const known = plainTexts.get(key);
  if (known !== undefined) return known;
  const tree = parse({ markdown, imported });
  const plain = tree === null ? markdown.trim() : readText(tree);
  plainTexts.set(key, plain);
  return plain;
}

function readText(tree: Root): string {
  const parts: string[] = [];
  // An explicit stack: hostile nesting is deeper than the call stack.
  const open: Nodes[] = [tree];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    parts.push(separators[node.type] ?? '');
    if (node.type === 'image' || node.type === 'imageReference') parts.push(node.alt ?? '');
    else if ('value' in node) parts.push(node.value);
    if ('children' in node) open.push(...node.children.toReversed());
  }
  return parts
    .join('')
    .replaceAll(/\n{3,}/gu, '\n\n')
    .trim();
}

/** What precedes an element in plain text. */
const separators: Readonly<Partial<Record<Nodes['type'], string>>> = {
  paragraph: '\n\n',
  heading: '\n\n',
  code: '\n\n',
  listItem: '\n',
  tableRow: '\n',
  tableCell: ' ',
  break: '\n',
};

const extensions = [gfm()];
const mdastExtensions = [gfmFromMarkdown()];

/** Null if the text would take too long, or nests too deeply. */
function parse({ markdown, imported }: PostText): Root | null {
  if (!isCheapToParse(markdown)) return null;
  try {
    const tree = fromMarkdown(markdown, { extensions, mdastExtensions });
    if (!imported) newlineToBreak(tree);
    visit(tree, 'html', (node: Nodes) => void Object.assign(node, { type: 'text' }));
    return tree;
  } catch {
    return null;
  }
}
