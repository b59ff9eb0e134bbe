import type { ElementContent, Element } from 'hast';

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
