import { pageStyleId, styleAttribute } from '#shared/core/protocol.ts';

/**
 * Moves the styles that the server wrote into a style sheet (src/server/core/page-styles.ts) to their elements, where
 * React expects them. Unlike in attributes of HTML, the content security policy allows them there.
 */
export function restoreElementStyles(root: HTMLElement): void {
  const sheet = document.getElementById(pageStyleId);
  if (!(sheet instanceof HTMLStyleElement)) return;
  const rules = [...(sheet.sheet?.cssRules ?? [])].filter((rule) => rule instanceof CSSStyleRule);
  for (const element of root.querySelectorAll<HTMLElement>(`[${styleAttribute}]`)) {
    const rule = rules[Number(element.getAttribute(styleAttribute))];
    if (rule !== undefined) element.style.cssText = rule.style.cssText;
    element.removeAttribute(styleAttribute);
  }
  sheet.remove();
}
