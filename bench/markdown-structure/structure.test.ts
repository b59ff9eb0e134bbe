import { expect, test } from 'vitest';
import { htmlToMarkdown } from '#server/import-export/stack-exchange-html.ts';
import { readMarkdown, readPage } from './structure.ts';

const site = 'https://archive-site.invalid';

test.for([
  [
    'a link with another target',
    '<p><a href="https://example.org/a">x</a></p>',
    '[x](https://example.org/b)',
  ],
  ['a link that is missing', '<p><a href="https://example.org/a">x</a></p>', 'x'],
  ['one quote as two', '<blockquote><p>a</p><p>b</p></blockquote>', '> a\n\n> b'],
  ['a nested list as a flat one', '<ul><li>a<ul><li>b</li></ul></li></ul>', '- a\n- b'],
  ['the first number of a list', '<ol start="3"><li>a</li></ol>', '1. a'],
  ['two paragraphs as one', '<p>a</p><p>b</p>', 'a b'],
  ['emphasis of another word', '<p><em>a</em> b</p>', 'a *b*'],
  ['a tab in code', '<pre><code>a\tb\n</code></pre>', '    a b'],
  ['a heading of another level', '<h2>a</h2>', '### a'],
  [
    'an image with another text',
    '<p><img src="https://example.org/a.png" alt="a"></p>',
    '![b](https://example.org/a.png)',
  ],
  ['a superscript as digits', '<p>10<sup>5</sup></p>', '105'],
  [
    'the address of an ftp link that is missing',
    '<p><a href="ftp://example.org/a">x</a></p>',
    '[x](ftp://example.org/a)',
  ],
  [
    'the alignment of a column',
    '<table><tr><th style="text-align: right">a</th></tr></table>',
    '| a |\n| - |',
  ],
  ['a line break', '<p>a<br>b</p>', 'a\nb'],
])('%s counts as a difference', ([, page = '', markdown = '']) => {
  expect(readMarkdown(markdown)).not.toEqual(readPage(page, site));
});

test.for([
  ['white space and the kind of list', '<ul>\n<li><p>a</p></li>\n<li><p>b\n c</p></li></ul>', '- a\n- b c'],
  ['the order of emphasis', '<p><i><b>a </b></i><del>b</del></p>', '***a*** ~~b~~'],
  ['a relative link', '<p><a href="/q/1">a</a></p>', `[a](${site}/q/1)`],
  ['a superscript', '<p>10<sup>5</sup> x<sup>k</sup> H<sub>2</sub></p>', '10⁵ x^k H₂'],
])('%s counts as equal', ([, page = '', markdown = '']) => {
  expect(readMarkdown(markdown)).toEqual(readPage(page, site));
});

test('nested and split lists, tables in code, quotes and code are converted with the same structure', () => {
  const page =
    '<ol>\n<li><p>one</p>\n<ul>\n<li>inner<ol><li>deep</li></ol></li>\n</ul>\n<pre><code>| a | b |\n|---|---|\n</code></pre></li>\n' +
    '<li>two</li>\n</ol>\n<p>between</p>\n<ol start="3">\n<li>three</li>\n</ol>\n<ul><li>a</li></ul><ul><li>b</li></ul>\n' +
    '<blockquote><p>q</p><blockquote><p>qq</p></blockquote><pre><code>x &lt;- 1\n</code></pre></blockquote>\n' +
    '<h3>Head <code>a`b</code></h3><hr><p><strong>bold<em>both</em></strong> <a href="https://example.org/a_(b)"><img src="https://example.org/c.png" alt="d"></a></p>';
  expect(readMarkdown(htmlToMarkdown(page))).toEqual(readPage(page, site));
});
