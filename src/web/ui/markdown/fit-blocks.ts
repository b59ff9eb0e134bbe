import type { ExtraProps } from 'hast-util-to-jsx-runtime';
import { splitLongWords } from './long-words.ts';

type Element = NonNullable<ExtraProps['node']>;
type Child = Element['children'][number];
type Parent = { children: (Child | { type: 'doctype' })[] };

/**
 * Adapts the blocks of a text to the page. Headings are shifted so that the highest becomes `highest`: a post that
 * starts with `#` must not look like the page title. Each block gets its own text direction, so that an Arabic
 * paragraph below an English one is right to left. Very long words can break. Long numbers of lists have room.
 */
export function fitBlocks({ highest }: { highest: number }) {
  return (tree: Parent) => {
    const headings: Element[] = [];
    breakWordsInTree(tree);
    visitElements(tree, (element) => {
      if (autoDirectionTags.has(element.tagName)) element.properties['dir'] = 'auto';
      if (element.tagName === 'ol') makeRoomForNumbers(element);
      if (/^h[1-6]$/u.test(element.tagName)) headings.push(element);
    });
    const used = [...new Set(headings.map((heading) => heading.tagName))].toSorted();
    for (const heading of headings) {
      heading.tagName = `h${Math.min(highest + used.indexOf(heading.tagName), 6)}`;
    }
  };
}

/** The style sheet has room for one digit. At 15 pixels, full stop and space are wider in relation to the digits. */
function makeRoomForNumbers(list: Element): void {
  const items = list.children.filter((child) => child.type === 'element').length;
  const digits = String(Number(list.properties['start'] ?? 1) + items - 1).length;
  if (digits > 1) list.properties['style'] = `padding-inline-start: ${(0.58 + 0.55 * digits).toFixed(2)}em`;
}

/** The text of an element and its descendants. */
export function getNodeText(node: Element | Child): string {
  if (node.type === 'text') return node.value;
  return 'children' in node ? node.children.map(getNodeText).join('') : '';
}

/** Not `li` and `blockquote`: a list takes its direction from its items, and a quote contains blocks. */
const autoDirectionTags = new Set(['p', 'ul', 'ol', 'td', 'th', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6']);

/** Calls a function for each element, in the order of the text. */
export function visitElements(parent: Parent, seen: (element: Element) => void): void {
  for (const child of parent.children) {
    if (child.type !== 'element') continue;
    seen(child);
    visitElements(child, seen);
  }
}

/** Not in code blocks, which scroll. */
function breakWordsInTree(parent: Parent): void {
  parent.children = parent.children.flatMap((child): Parent['children'] => {
    if (child.type === 'element' && child.tagName !== 'pre') breakWordsInTree(child);
    if (child.type !== 'text') return [child];
    return splitLongWords(child.value).flatMap(({ from, part }): Child[] => [
      ...(from === 0 ? [] : [{ type: 'element' as const, tagName: 'wbr', properties: {}, children: [] }]),
      { type: 'text', value: part },
    ]);
  });
}
