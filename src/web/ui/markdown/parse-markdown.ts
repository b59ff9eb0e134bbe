import type { Element, Root } from 'hast';
import { parseMarkdown as parseTokens } from '#shared/core/markdown.ts';
import { parseToTree, type TreeOptions } from '#shared/core/markdown-tree.ts';
import { visitElements } from './fit-blocks.ts';

/** Changes the elements of a text. */
export type TreeChange = (tree: Root) => void;

export type ParseOptions = TreeOptions & {
  /** The text with placeholders for its formulas; undefined if it has none. */
  withPlaceholders?: string | undefined;
  changes: readonly TreeChange[];
  /** The address of a link or an image, or '' if it is not allowed. */
  transformUrl: (address: string, element: Element) => string;
};

/** Parses Markdown to the elements of HTML that the page shows; null for a text that is shown as it was typed. */
export function parseMarkdown(
  text: string,
  { withPlaceholders, changes, transformUrl, ...options }: ParseOptions,
): Root | null {
  // Feeds and excerpts, which have no formulas, decide by the text as it was typed.
  if (withPlaceholders !== undefined && parseTokens(text) === null) return null;
  const tree = parseToTree(withPlaceholders ?? text, options);
  if (tree === null) return null;
  for (const change of changes) change(tree);
  visitElements(tree, (element) => {
    const { properties } = element;
    for (const name of ['href', 'src'])
      if (name in properties) properties[name] = transformUrl(String(properties[name] ?? ''), element);
  });
  return tree;
}
