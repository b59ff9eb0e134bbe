import { fromDom } from 'hast-util-from-dom';
import { hastToMarkdown } from './convert.ts';

/** HTML as the clipboard has it, as Markdown. The document it is read into runs and loads nothing. */
export function htmlToMarkdown(html: string): string {
  const tree = fromDom(new DOMParser().parseFromString(html, 'text/html').body);
  if (tree.type !== 'element') throw new Error('A document without a body');
  return hastToMarkdown({ type: 'root', children: tree.children });
}
