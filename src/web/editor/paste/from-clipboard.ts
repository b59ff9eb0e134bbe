import '#web/platform/trusted-types.ts';
import { fromDom } from 'hast-util-from-dom';
import { convertHastToMarkdown } from './convert.ts';

/** The one place where foreign markup is parsed: into a document apart, of which only the text and its structure are taken. */
const policy = globalThis.trustedTypes?.createPolicy('paste', { createHTML: (html: string) => html });

/** HTML as the clipboard has it, as Markdown. The document it is read into runs and loads nothing. */
export function convertHtmlToMarkdown(html: string): string {
  const tree = fromDom(new DOMParser().parseFromString(policy?.createHTML(html) ?? html, 'text/html').body);
  if (tree.type !== 'element') throw new Error('A document without a body');
  return convertHastToMarkdown({ type: 'root', children: tree.children });
}
