import type { Element, ElementContent } from 'hast';

/** A Word paragraph that is a list item: `style="mso-list:l0 level2 lfo1"`. Its bullet is part of the text. */
type Item = { level: number; ordered: boolean; children: ElementContent[] };

/** Turns consecutive Word paragraphs that are list items into a list. */
export function convertWordLists(children: readonly ElementContent[]): ElementContent[] {
  const result: ElementContent[] = [];
  let items: Item[] = [];
  const finish = () => {
    if (items.length > 0) result.push(...buildLists(items, Math.min(...items.map(({ level }) => level))));
    items = [];
  };
  for (const child of children) {
    const item = child.type === 'element' ? parseWordItem(child) : null;
    if (item !== null) {
      items.push(item);
      continue;
    }
    if (items.length > 0 && child.type === 'text' && child.value.trim() === '') continue;
    finish();
    result.push(child);
  }
  finish();
  return result;
}

function parseWordItem(element: Element): Item | null {
  const level = /\blevel(\d)/u.exec(getStyle(element)['mso-list'] ?? '')?.[1];
  if (element.tagName !== 'p' || level === undefined) return null;
  const { bullet, rest } = withoutBullet(element.children);
  return { level: Number(level), ordered: /^\s*[\da-z]{1,4}[.)]/iu.test(bullet), children: rest };
}

function withoutBullet(children: readonly ElementContent[]): { bullet: string; rest: ElementContent[] } {
  let bullet = '';
  const rest = children.flatMap((child): ElementContent[] => {
    if (child.type !== 'element') return [child];
    if (getStyle(child)['mso-list'] === 'ignore') {
      bullet += getText(child);
      return [];
    }
    const inner = withoutBullet(child.children);
    bullet += inner.bullet;
    return [{ ...child, children: inner.rest }];
  });
  return { bullet, rest };
}

function buildLists(items: readonly Item[], level: number): ElementContent[] {
  const lists: Element[] = [];
  for (let at = 0; at < items.length;) {
    const item = items[at];
    if (item === undefined) break;
    const behind = items.slice(at + 1);
    const end = behind.findIndex((other) => other.level <= level);
    const below = end === -1 ? behind : behind.slice(0, end);
    const inner = below.length === 0 ? [] : buildLists(below, Math.min(...below.map((other) => other.level)));
    const tagName = item.ordered ? 'ol' : 'ul';
    let list = lists.at(-1);
    if (list?.tagName !== tagName) {
      list = { type: 'element', tagName, properties: {}, children: [] };
      lists.push(list);
    }
    list.children.push({
      type: 'element',
      tagName: 'li',
      properties: {},
      children: [...item.children, ...inner],
    });
    at += 1 + below.length;
  }
  return lists;
}

/** The declarations of the style attribute, in lower case. */
export function getStyle(element: Element): Record<string, string> {
  const style = element.properties['style'];
  if (typeof style !== 'string') return {};
  return Object.fromEntries(
    style.split(';').map((rule): [string, string] => {
      const [name = '', ...value] = rule.split(':');
      return [name.trim().toLowerCase(), value.join(':').trim().toLowerCase()];
    }),
  );
}

export function getText(node: ElementContent): string {
  if (node.type === 'text') return node.value;
  return node.type === 'element' ? node.children.map(getText).join('') : '';
}
