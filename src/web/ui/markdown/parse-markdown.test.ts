import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { newlineToBreak } from 'mdast-util-newline-to-break';
import { toHast } from 'mdast-util-to-hast';
import { gfm } from 'micromark-extension-gfm';
import { expect, test } from 'vitest';
import { parseMarkdown } from './parse-markdown.ts';

test.for([
  'plain text\nin two lines',
  'www.example.com and http://example.com, HTTPS://EXAMPLE.COM',
  'www\\.example.com, http\\://example.com and h&#116;tps://example.com',
  'ann@example.org, a&#64;example.org and xmpp:ann@example.org',
  '- [x] done\n- [ ] to do\n- [\n  ] odd',
  '| a | b |\n| - | -: |\n| 1 | 2 |',
  'a\n:-\nb',
  'a\n-:\nb',
  '> a | b\n> -|-\n> 1|2',
  '~one~ and ~~two~~',
  'Noted.[^1]\n\n[^1]: Here, with `code`.',
  '```js\nlet a = 1;\n```\n\n# Heading\n\n* item',
])('parses the parts of GFM that a text has: %s', (text) => {
  const options = { breaks: true, idPrefix: 'note-', hiddenClass: 'hidden', changes: [] };
  const markdown = fromMarkdown(text, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] });
  newlineToBreak(markdown);
  expect(parseMarkdown(text, { ...options, transformUrl: (address) => address })).toEqual(
    toHast(markdown, { clobberPrefix: 'note-', footnoteLabelProperties: { className: ['hidden'] } }),
  );
});

test('shows raw HTML as text, and changes the addresses of links and images', () => {
  const tree = parseMarkdown('<b>a</b> [b](c) ![d](e)', {
    breaks: true,
    idPrefix: '',
    hiddenClass: '',
    changes: [],
    transformUrl: (address, { tagName }) => `${tagName} ${address}`,
  });
  expect(tree).toMatchObject({
    children: [
      {
        tagName: 'p',
        children: [
          { type: 'text', value: '<b>' },
          { type: 'text', value: 'a' },
          { type: 'text', value: '</b>' },
          { type: 'text' },
          { tagName: 'a', properties: { href: 'a c' } },
          { type: 'text' },
          { tagName: 'img', properties: { src: 'img e' } },
        ],
      },
    ],
  });
});
