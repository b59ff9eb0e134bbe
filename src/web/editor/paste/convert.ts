import type { Root } from 'hast';
import { toMdast } from 'hast-util-to-mdast';
import { gfmToMarkdown } from 'mdast-util-gfm';
import { toMarkdown } from 'mdast-util-to-markdown';
import { cleanUpHast } from './tidy.ts';

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
