import type { Root } from 'hast';
import { common, createLowlight } from 'lowlight';
import { getNodeText, visitElements } from './fit-blocks.ts';

/** One for all texts: it compiles the grammar of a language when it is first used. */
const lowlight = createLowlight(common);

const plainText = new Set(['text', 'txt', 'plain', 'plaintext']);

/** Marks keywords, strings and so on in the code blocks of a language. */
export function highlight(tree: Root): void {
  visitElements(tree, ({ tagName, children: [code] }) => {
    if (tagName !== 'pre' || code?.type !== 'element' || code.tagName !== 'code') return;
    const names = code.properties['className'];
    if (!Array.isArray(names)) return;
    const language = names
      .map(String)
      .find((name) => name.startsWith('language-'))
      ?.slice('language-'.length);
    if (language === undefined || plainText.has(language)) return;
    code.properties['className'] = ['hljs', ...names];
    if (!lowlight.registered(language)) return;
    const { children } = lowlight.highlight(language, getNodeText(code));
    if (children.length > 0) code.children = children as typeof code.children;
  });
}
