import type { Element } from 'hast';
import { defaultSchema, sanitize, type Schema } from 'hast-util-sanitize';
import { toHtml } from 'hast-util-to-html';
import { LRUCache } from 'lru-cache';
import { visit } from 'unist-util-visit';
import { escapeMarkup } from '#server/core/markup.ts';
import { getPictureText, parseMarkdown, type Token } from '#shared/core/markdown.ts';
import { parseToTree } from '#shared/core/markdown-tree.ts';

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
export function renderPostHtml({ markdown, imported }: PostText, origin: string): string {
  const tree = parseToTree(markdown, { breaks: !imported, idPrefix: '', hiddenClass: '' });
  if (tree === null) return `<p>${escapeMarkup(markdown)}</p>`;
  visit(tree, 'element', (element) => {
    // HTML has no links in links.
    if (element.tagName === 'a')
      visit(element, { tagName: 'img' }, (picture: Element) => showDescription(picture, 'span'));
    prepareElement(element, origin);
  });
  const safe = sanitize(tree, schema);
  visit(safe, 'element', (element) => {
    if (element.tagName === 'a') element.properties['rel'] = linkRelation;
  });
  return toHtml(safe);
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
  if (element.tagName === 'img') showDescription(element, 'a');
  if (element.tagName === 'input') {
    element.tagName = 'span';
    element.children = [{ type: 'text', value: element.properties['checked'] === true ? '☑' : '☐' }];
  }
  const { href } = element.properties;
  if (element.tagName !== 'a' || typeof href !== 'string') return;
  const target = toAbsolute(href, origin);
  if (target === null) delete element.properties['href'];
  else element.properties['href'] = target;
}

/** A picture becomes its description, as a link to its file or without one. */
function showDescription(picture: Element, tagName: 'a' | 'span'): void {
  const { src, alt } = picture.properties;
  picture.tagName = tagName;
  picture.properties = { href: typeof src === 'string' ? src : '' };
  picture.children = [{ type: 'text', value: typeof alt === 'string' && alt !== '' ? alt : 'Image' }];
}

/** Imports, mentions and uploads write paths. Other relative addresses lead nowhere, as in the web app. */
const ownPage = /^\/(?:(?:question|profile)\/\d|uploads\/)/u;

function toAbsolute(href: string, origin: string): string | null {
  if (ownPage.test(href)) return origin + href;
  return URL.parse(href)?.href ?? null;
}

/** The text of each post by its Markdown, because each request of a page needs those of all its answers. */
const plainTexts = new LRUCache<string, string>({
  maxSize: 4 * 1024 * 1024,
  sizeCalculation: (plain, markdown) => plain.length + markdown.length + 100,
});

/** The whole visible text without Markdown, with its line breaks. */
export function renderPostText(markdown: string): string {
  const known = plainTexts.get(markdown);
  if (known !== undefined) return known;
  const tokens = parseMarkdown(markdown);
  const plain = tokens === null ? markdown.trim() : readText(tokens);
  plainTexts.set(markdown, plain);
  return plain;
}

function readText(tokens: readonly Token[]): string {
  return tokens
    .flatMap((block) => [separators[block.type] ?? '', ...readContent(block)])
    .join('')
    .replaceAll(/\n{3,}/gu, '\n\n')
    .trim();
}

function readContent({ type, content, children }: Token): string[] {
  if (type !== 'inline') return [content.trimEnd()];
  return (children ?? []).map((child) => {
    if (child.type === 'image') return getPictureText(child);
    if (child.type === 'softbreak' || child.type === 'hardbreak') return '\n';
    return child.content;
  });
}

/** What precedes a block in plain text. */
const separators: Readonly<Record<string, string>> = {
  paragraph_open: '\n\n',
  heading_open: '\n\n',
  fence: '\n\n',
  code_block: '\n\n',
  list_item_open: '\n',
  tr_open: '\n',
  td_open: ' ',
  th_open: ' ',
};
