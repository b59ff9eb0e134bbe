import { styleAttribute } from '#shared/core/protocol.ts';

/**
 * Moves the styles of elements from their attributes into one style sheet, because the content security policy forbids
 * style attributes but can allow one `style` element by its hash. The browser moves them back before hydration
 * (src/web/core/element-styles.ts).
 * @param html of React, which escapes every double quote in texts and attributes.
 */
export function extractStyles(html: string): { html: string; css: string } {
  const rules = new Map<string, number>();
  const moved = html.replaceAll(/ style="([^"]*)"/gu, (_, text: string) => {
    const style = unescape(text);
    // No value of ours has these characters, which could end the rule or the element.
    if (/[{}<>@\\]/u.test(style)) return '';
    const number = rules.get(style) ?? rules.size;
    rules.set(style, number);
    return ` ${styleAttribute}="${number}"`;
  });
  // With an id, so that no rule of a class wins, as with a style attribute.
  const css = [...rules].map(([style, number]) => `#root [${styleAttribute}="${number}"]{${style}}`).join('');
  return { html: moved, css };
}

function unescape(attribute: string): string {
  return attribute
    .replaceAll('&quot;', '"')
    .replaceAll('&#x27;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}
