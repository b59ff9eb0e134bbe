import { html as bbcodeToTags } from '@bbob/html';
import preset from '@bbob/preset-html5';
import { decodeCharacterReferences } from './stack-exchange-characters.ts';

export const textFormats = ['markdown', 'html', 'bbcode', 'plain'] as const;
export type TextFormat = (typeof textFormats)[number];

/** A text in one of the formats of JSON lines. */
export type LineText = { content: string; format: 'markdown' | 'html' };

export function convertText(text: string, format: TextFormat): LineText {
  switch (format) {
    case 'markdown':
    case 'html':
      return { content: text, format };
    case 'bbcode':
      return { content: bbcodeToHtml(text), format: 'html' };
    case 'plain':
      return { content: breakLines(escapeHtml(text.trim())), format: 'html' };
  }
}

/** Others stay in the text as they were typed. */
const bbcodeTags = [
  'b',
  'i',
  'u',
  's',
  'url',
  'img',
  'quote',
  'code',
  'list',
  '*',
  'color',
  'size',
  'center',
  'email',
];

/** The preset makes spans with styles of these, which Markdown does not have. */
const forumPreset = preset.extend((tags) => ({
  ...tags,
  b: (node) => ({ ...node, tag: 'strong', attrs: {} }),
  i: (node) => ({ ...node, tag: 'em', attrs: {} }),
  s: (node) => ({ ...node, tag: 'del', attrs: {} }),
}));

function bbcodeToHtml(text: string): string {
  const source = escapeTags(readStoredBbcode(text).trim().replaceAll('\r\n', '\n'))
    // phpBB up to 3.1 marks its tags with random letters: [b:3fa2]…[/b:3fa2].
    .replaceAll(/\[(\/?(?:\w+|\*)(?:=[^\]\n]*)?):(?:[a-z]:)?[\da-z]{5,10}\]/gu, '[$1]');
  const html = bbcodeToTags(source, forumPreset(), { onlyAllowTags: bbcodeTags, contextFreeTags: ['code'] });
  return html
    .split(/(<pre>[\s\S]*?<\/pre>)/u)
    .map((part, index) => (index % 2 === 1 ? part : breakLines(part)))
    .join('');
}

/** phpBB from 3.2 stores the tags in XML: `<r><B><s>[b]</s>bold<e>[/b]</e></B></r>`. Without the XML, it is BBCode. */
function readStoredBbcode(text: string): string {
  return /^<([rt])>[\s\S]*<\/\1>$/u.test(text)
    ? decodeCharacterReferences(text.replaceAll(/<br\/>\n?/gu, '\n').replaceAll(/<[^>]*>/gu, ''))
    : text;
}

const escapeTags = (text: string) => text.replaceAll('<', '&lt;').replaceAll('>', '&gt;');
const escapeHtml = (text: string) => escapeTags(text.replaceAll('&', '&amp;'));

/** Empty lines separate paragraphs; other ends of lines are kept, except next to blocks. */
function breakLines(html: string): string {
  return html
    .replaceAll(/\s*(<\/?(?:blockquote|ul|ol|li|pre|p)>)\s*/gu, '$1')
    .split(/\n(?:[\t ]*\n)+/u)
    .map((paragraph) => paragraph.trim().replaceAll('\n', '<br>\n'))
    .join('\n<p>');
}
