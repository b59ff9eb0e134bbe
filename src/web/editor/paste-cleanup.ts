import type { Element, ElementContent, Root, RootContent } from 'hast';
import { convertWordLists, getStyle, getText } from './paste-word-lists.ts';

/**
 * Turns styles into HTML elements: Google Docs writes bold as a style and wraps everything in a meaningless `<b>`, Word
 * writes lists as paragraphs. Removes what does not work elsewhere: scripts, images from a disk, links within the
 * copied page.
 */
export function cleanUpHast(tree: Root): Root {
  return { type: 'root', children: cleanUpBlocks(tree.children, { inHeading: false, inCode: false }) };
}

type Context = { inHeading: boolean; inCode: boolean };

const droppedTags = new Set([
  'button',
  'head',
  'link',
  'meta',
  'noscript',
  'o:p',
  'script',
  'select',
  'style',
  'svg',
  'template',
  'title',
  'xml',
]);

function cleanUpBlocks(children: readonly RootContent[], around: Context): ElementContent[] {
  const visible = children.filter((child) => child.type === 'text' || child.type === 'element');
  return convertWordLists(visible).flatMap((child): ElementContent[] => {
    if (child.type === 'text') return [{ ...child, value: child.value.replaceAll('\u00A0', ' ') }];
    return child.type === 'element' ? cleanUpElement(child, around) : [];
  });
}

function cleanUpElement(element: Element, around: Context): ElementContent[] {
  const { tagName } = element;
  const style = getStyle(element);
  if (droppedTags.has(tagName) || style['display'] === 'none') return [];
  const inHeading = around.inHeading || /^(?:h[1-6]|th)$/u.test(tagName);
  const inCode = around.inCode || tagName === 'pre' || tagName === 'code';
  const children = cleanUpBlocks(element.children, { inHeading, inCode });
  const self = { ...element, children };
  switch (tagName) {
    case 'a':
      return isFollowable(element) && getText(self).trim() !== '' ? [self] : children;
    case 'img':
      return /^https?:/iu.test(String(element.properties['src'])) ? [self] : [];
    case 'b':
    case 'strong':
      return inHeading || isLight(style) ? children : moveSpaceOutside(self);
    case 'em':
    case 'i':
    case 'del':
    case 's':
      return moveSpaceOutside(self);
    case 'li':
      return [{ ...self, children: withoutParagraph(children) }];
    case 'ul':
    case 'ol':
      return [{ ...self, children: listsInItems(children) }];
    case 'table':
      return listCells(self).length === 1 ? (listCells(self)[0]?.children ?? []) : [self];
    case 'span':
    case 'font':
      return getText(self).trim() === '' ? children : styled(children, style, { inHeading, inCode });
    default:
      return [self];
  }
}

function styled(
  children: ElementContent[],
  style: Record<string, string>,
  around: Context,
): ElementContent[] {
  if (around.inCode) return children;
  let inner = children;
  const wrap = (tagName: string) => {
    inner = inner.flatMap((child) => {
      const isSpace = child.type === 'text' && child.value.trim() === '';
      return isSpace
        ? [child]
        : moveSpaceOutside({ type: 'element', tagName, properties: {}, children: [child] });
    });
  };
  if (/courier|consolas|menlo|monaco|mono\b/iu.test(style['font-family'] ?? '')) wrap('code');
  if (/line-through/u.test(style['text-decoration'] ?? style['text-decoration-line'] ?? '')) wrap('del');
  if (style['font-style'] === 'italic') wrap('em');
  if (!around.inHeading && /^(?:bold|[6-9]00)$/u.test(style['font-weight'] ?? '')) wrap('strong');
  return inner;
}

/** Markdown marks must touch a word: `**bold **` is not bold. */
function moveSpaceOutside(element: Element): ElementContent[] {
  const [first, last] = [element.children[0], element.children.at(-1)];
  const result: ElementContent[] = [element];
  if (first?.type === 'text' && /^\s/u.test(first.value)) {
    first.value = first.value.trimStart();
    result.unshift({ type: 'text', value: ' ' });
  }
  if (last?.type === 'text' && /\s$/u.test(last.value)) {
    last.value = last.value.trimEnd();
    result.push({ type: 'text', value: ' ' });
  }
  return result;
}

/** Unwraps the only paragraph of an item. */
function withoutParagraph(children: readonly ElementContent[]): ElementContent[] {
  const isParagraph = (child: ElementContent) => child.type === 'element' && child.tagName === 'p';
  if (children.filter(isParagraph).length !== 1) return [...children];
  return children.flatMap((child) =>
    child.type === 'element' && child.tagName === 'p' ? child.children : [child],
  );
}

function isLight(style: Record<string, string>): boolean {
  return /^(?:normal|[1-4]00)$/u.test(style['font-weight'] ?? '');
}

function isFollowable({ properties }: Element): boolean {
  return /^(?:https?|mailto):/iu.test(String(properties['href']));
}

/** Google Docs puts a nested list next to its item, not into it. */
function listsInItems(children: readonly ElementContent[]): ElementContent[] {
  const items: ElementContent[] = [];
  for (const child of children) {
    const last = items.findLast((item) => item.type === 'element' && item.tagName === 'li');
    const isList = child.type === 'element' && /^[uo]l$/u.test(child.tagName);
    if (isList && last?.type === 'element') last.children.push(child);
    else items.push(child);
  }
  return items;
}

function listCells(element: Element): Element[] {
  return element.children.flatMap((child) => {
    if (child.type !== 'element') return [];
    return /^t[dh]$/u.test(child.tagName) ? [child] : listCells(child);
  });
}
