import type { Root } from 'hast';
import { toMdast } from 'hast-util-to-mdast';
import { gfmToMarkdown } from 'mdast-util-gfm';
import { toMarkdown } from 'mdast-util-to-markdown';
import { cleanUpHast } from './paste-cleanup.ts';
import '#web/core/csp.ts';
import { fromDom } from 'hast-util-from-dom';

/** A piece of a page, of Word or of Google Docs, as the Markdown that shows the same. */
export function convertHastToMarkdown(tree: Root): string {
  return toMarkdown(toMdast(cleanUpHast(tree), { handlers: { comment: () => undefined } }), {
    bullet: '-',
    emphasis: '_',
    rule: '-',
    fences: true,
    listItemIndent: 'one',
    extensions: [gfmToMarkdown({ tablePipeAlign: false })],
    handlers: {
      // Line breaks stay as typed; where a line cannot break, a space is what is left of it.
      break: (_node, _parent, { stack }) =>
        stack.includes('tableCell') || stack.includes('headingAtx') ? ' ' : '\n',
    },
  }).trim();
}

/** The one place where foreign markup is parsed: into a document apart, of which only the text and its structure are taken. */
const policy = globalThis.trustedTypes?.createPolicy('paste', { createHTML: (html: string) => html });

/** HTML as the clipboard has it, as Markdown. The document it is read into runs and loads nothing. */
export function convertHtmlToMarkdown(html: string): string {
  const tree = fromDom(new DOMParser().parseFromString(policy?.createHTML(html) ?? html, 'text/html').body);
  if (tree.type !== 'element') throw new Error('A document without a body');
  return convertHastToMarkdown({ type: 'root', children: tree.children });
}
