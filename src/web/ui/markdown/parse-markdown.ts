import type { Element, Root } from 'hast';
import { fromMarkdown, type Extension } from 'mdast-util-from-markdown';
import { gfmAutolinkLiteralFromMarkdown } from 'mdast-util-gfm-autolink-literal';
import { gfmFootnoteFromMarkdown } from 'mdast-util-gfm-footnote';
import { gfmStrikethroughFromMarkdown } from 'mdast-util-gfm-strikethrough';
import { gfmTableFromMarkdown } from 'mdast-util-gfm-table';
import { gfmTaskListItemFromMarkdown } from 'mdast-util-gfm-task-list-item';
import { newlineToBreak } from 'mdast-util-newline-to-break';
import { toHast } from 'mdast-util-to-hast';
import { gfmAutolinkLiteral } from 'micromark-extension-gfm-autolink-literal';
import { gfmFootnote } from 'micromark-extension-gfm-footnote';
import { gfmStrikethrough } from 'micromark-extension-gfm-strikethrough';
import { gfmTable } from 'micromark-extension-gfm-table';
import { gfmTaskListItem } from 'micromark-extension-gfm-task-list-item';
import { visitElements } from './fit-blocks.ts';

/** Changes the elements of a text. */
export type TreeChange = (tree: Root) => void;

export type ParseOptions = {
  /** Whether each line break of a paragraph stays. */
  breaks: boolean;
  /** The start of the ids of footnotes. */
  idPrefix: string;
  /** The class that hides an element from view. */
  hiddenClass: string;
  changes: readonly TreeChange[];
  /** The address of a link or an image, or '' if it is not allowed. */
  transformUrl: (address: string, element: Element) => string;
};

/** Parses Markdown (CommonMark and GFM) to the elements of HTML. Raw HTML becomes text. */
export function parseMarkdown(
  text: string,
  { breaks, idPrefix, hiddenClass, changes, transformUrl }: ParseOptions,
): Root {
  const used = extensions.filter(({ mark }) => mark.test(text));
  const markdown = fromMarkdown(text, {
    extensions: used.map(({ syntax }) => syntax),
    mdastExtensions: used.map(({ nodes }) => nodes),
  });
  if (breaks) newlineToBreak(markdown);
  const tree = toHast(markdown, {
    allowDangerousHtml: true,
    clobberPrefix: idPrefix,
    footnoteLabelProperties: { className: [hiddenClass] },
  }) as Root;
  for (const change of changes) change(tree);
  showRawAsText(tree);
  visitElements(tree, (element) => {
    const { properties } = element;
    for (const name of ['href', 'src'])
      if (name in properties) properties[name] = transformUrl(String(properties[name] ?? ''), element);
  });
  return tree;
}

function showRawAsText(parent: Root | Element): void {
  for (const [index, child] of parent.children.entries()) {
    if (child.type === 'element') showRawAsText(child);
    else if (child.type === 'raw') parent.children[index] = { type: 'text', value: child.value };
  }
}

/**
 * The parts of GFM, each with what a text that uses it contains. The others are left out: a third of the time of a text
 * without links went into the search for them.
 */
const extensions: readonly { mark: RegExp; syntax: ReturnType<typeof gfmTable>; nodes: Extension }[] = [
  // Also addresses with escapes and character references become links.
  { mark: /@|www|http|&/iu, syntax: gfmAutolinkLiteral(), nodes: gfmAutolinkLiteralFromMarkdown() },
  { mark: /\[\^/u, syntax: gfmFootnote(), nodes: gfmFootnoteFromMarkdown() },
  { mark: /~/u, syntax: gfmStrikethrough(), nodes: gfmStrikethroughFromMarkdown() },
  // A part of the line below the head of a table.
  { mark: /[|:][ \t]*-|-[ \t]*[|:]/u, syntax: gfmTable(), nodes: gfmTableFromMarkdown() },
  { mark: /\[/u, syntax: gfmTaskListItem(), nodes: gfmTaskListItemFromMarkdown() },
];
