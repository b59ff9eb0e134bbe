import type { ExtraProps } from 'hast-util-to-jsx-runtime';
import { parseUploadPath } from '#shared/core/uploads.ts';
import { profilePath } from '#web/core/paths.ts';
import { questionPath } from '#shared/posts/question-paths.ts';

type Element = NonNullable<ExtraProps['node']>;
type Child = Element['children'][number];
type Parent = { children: (Child | { type: 'doctype' })[] };

/** '#123' that is not part of a word, an address or an entity. */
const questionReference = /(?<![\p{L}\p{N}_#&/\\])#([1-9]\d{0,14})(?![\p{L}\p{N}_])/gu;

/** The maximum number of linked questions in one text. A text with more is not prose. */
const maxReferences = 50;

/** The question numbers in a text, each once. */
export function findQuestionReferences(text: string): number[] {
  const ids = new Set<number>();
  for (const [, number] of text.matchAll(questionReference)) {
    ids.add(Number(number));
    if (ids.size === maxReferences) break;
  }
  return [...ids];
}

/**
 * Links within the site. '#123' becomes a link to an existing question, with its title. A link to a profile whose text
 * starts with '@' becomes a mention. The path of a question or an answer, as imports write it, becomes a link. Code is
 * left unchanged.
 * @param titles the titles of existing questions by their ids.
 * @param origin the origin of the site.
 */
export function linkInternally({ titles, origin }: { titles: ReadonlyMap<number, string>; origin: string }) {
  return (tree: Parent) => walk(tree, titles, origin);
}

/** The path of a link created by `linkInternally`; null for other links. */
export function getInternalPath({ properties }: Element): string | null {
  const target = properties['dataInside'];
  return typeof target === 'string' ? target : null;
}

/** The path of an image that was uploaded to this site; null for other elements. */
export function getPicturePath({ tagName, properties }: Element): string | null {
  const { src } = properties;
  return tagName === 'img' && typeof src === 'string' && parseUploadPath(src) !== null ? src : null;
}

function walk(parent: Parent, titles: ReadonlyMap<number, string>, origin: string): void {
  parent.children = parent.children.flatMap((child): Parent['children'] => {
    if (child.type === 'text') return titles.size === 0 ? [child] : linkReferences(child.value, titles);
    if (child.type !== 'element' || child.tagName === 'code' || child.tagName === 'pre') return [child];
    if (child.tagName === 'a') markInternalLink(child, origin);
    else if (child.tagName === 'img') markOwnPicture(child, origin);
    else walk(child, titles, origin);
    return [child];
  });
}

function linkReferences(text: string, titles: ReadonlyMap<number, string>): Child[] {
  const parts: Child[] = [];
  let from = 0;
  for (const { index, 0: name, 1: number } of text.matchAll(questionReference)) {
    const title = titles.get(Number(number));
    if (title === undefined) continue;
    if (index > from) parts.push({ type: 'text', value: text.slice(from, index) });
    const href = questionPath(Number(number), title);
    parts.push({
      type: 'element',
      tagName: 'a',
      properties: { href, title, dataInside: href },
      children: [{ type: 'text', value: name }],
    });
    from = index + name.length;
  }
  if (from < text.length) parts.push({ type: 'text', value: text.slice(from) });
  return parts;
}

const questionLink = /^\/question\/[1-9]\d{0,14}(?:#answer-[1-9]\d{0,14})?$/u;

function markInternalLink(link: Element, origin: string): void {
  const { href } = link.properties;
  if (typeof href === 'string' && questionLink.test(href)) link.properties['dataInside'] = href;
  else markMention(link, origin);
}

/** An image by its whole address on this site is one of this site. */
function markOwnPicture({ properties }: Element, origin: string): void {
  const { src } = properties;
  if (typeof src === 'string' && src.startsWith(`${origin}/uploads/`))
    properties['src'] = src.slice(origin.length);
}

function markMention(link: Element, origin: string): void {
  const { href } = link.properties;
  const [first] = link.children;
  if (typeof href !== 'string' || first?.type !== 'text' || !first.value.startsWith('@')) return;
  const path = href.startsWith(`${origin}/`) ? href.slice(origin.length) : href;
  const id = /^\/profile\/([1-9]\d{0,14})$/u.exec(path)?.[1];
  if (id === undefined) return;
  const target = profilePath(Number(id));
  link.properties = { href: target, dataInside: target, dataMention: '' };
}
