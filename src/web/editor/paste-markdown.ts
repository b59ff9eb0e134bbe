import type { Root } from 'hast';
import { toMdast } from 'hast-util-to-mdast';
import { gfmToMarkdown } from 'mdast-util-gfm';
import { toMarkdown } from 'mdast-util-to-markdown';
import { cleanUpHast } from './paste-cleanup.ts';
import '#web/core/csp.ts';
import { fromDom } from 'hast-util-from-dom';

/** Converts part of a web page, of Word or of Google Docs into equivalent Markdown. */
export function convertHastToMarkdown(tree: Root): string {
  return toMarkdown(toMdast(cleanUpHast(tree), { handlers: { comment: () => undefined } }), {
    bullet: '-',
    emphasis: '_',
    rule: '-',
    fences: true,
    listItemIndent: 'one',
    extensions: [gfmToMarkdown({ tablePipeAlign: false })],
    handlers: {
      // Line breaks stay as typed. Where a line cannot break, a space replaces them.
      break: (_node, _parent, { stack }) =>
        stack.includes('tableCell') || stack.includes('headingAtx') ? ' ' : '\n',
    },
  }).trim();
}

/**
 * The only place that parses foreign markup. It is parsed into a separate document, of which only text and structure
 * are used.
 */
const policy = globalThis.trustedTypes?.createPolicy('paste', { createHTML: (html: string) => html });

/** Converts HTML from the clipboard into Markdown. The separate document runs no scripts and loads nothing. */
export function convertHtmlToMarkdown(html: string): string {
  const tree = fromDom(new DOMParser().parseFromString(policy?.createHTML(html) ?? html, 'text/html').body);
  if (tree.type !== 'element') throw new Error('The document has no body.');
  return convertHastToMarkdown({ type: 'root', children: tree.children });
}
