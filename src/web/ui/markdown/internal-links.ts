import type { ExtraProps } from 'react-markdown';
import { profilePath, questionPath } from '#web/core/paths.ts';

type Element = NonNullable<ExtraProps['node']>;
type Child = Element['children'][number];
type Parent = { children: (Child | { type: 'doctype' })[] };

/** '#123' with nothing before or behind it that makes it a part of a word, an address or an entity. */
const questionReference = /(?<![\p{L}\p{N}_#&/\\])#([1-9]\d{0,14})(?![\p{L}\p{N}_])/gu;

/** So many questions are linked in one text; more is no prose. */
const maxReferences = 50;

/** The numbers of the questions that a text may name, each once. */
export function findQuestionReferences(text: string): number[] {
  const found = new Set<number>();
  for (const [, number] of text.matchAll(questionReference)) {
    found.add(Number(number));
    if (found.size === maxReferences) break;
  }
  return [...found];
}

/**
 * Links into this community. '#123' becomes a link to a question that there is, with its title; a link to a profile whose
 * text begins with '@' is a mention. Neither in code.
 * @param titles of the questions that there are, by their numbers.
 * @param origin where this community is.
 */
export function linkInternally({ titles, origin }: { titles: ReadonlyMap<number, string>; origin: string }) {
  return (tree: Parent) => walk(tree, titles, origin);
}

/** Where a link made by `linkInside` leads; null for every other. */
export function getInternalTarget({ properties }: Element): string | null {
  const target = properties['dataInside'];
  return typeof target === 'string' ? target : null;
}

function walk(parent: Parent, titles: ReadonlyMap<number, string>, origin: string): void {
  parent.children = parent.children.flatMap((child): Parent['children'] => {
    if (child.type === 'text') return titles.size === 0 ? [child] : linkReferences(child.value, titles);
    if (child.type !== 'element' || child.tagName === 'code' || child.tagName === 'pre') return [child];
    if (child.tagName === 'a') markMention(child, origin);
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
    const href = questionPath(Number(number));
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
