import { toHtml } from 'hast-util-to-html';
import { describe, expect, test } from 'vitest';
import { parseToTree } from './markdown-tree.ts';
import { renderMarkdown } from './markdown.ts';

const show = (text: string, breaks = false) =>
  toHtml(parseToTree(text, { breaks, idPrefix: 'note-', hiddenClass: 'hidden' }));

describe('Markdown', () => {
  test.for([
    ['*a* __b__ ~~c~~ `d*`', '<p><em>a</em> <strong>b</strong> <del>c</del> <code>d*</code></p>'],
    ['about ~5 or ~10', '<p>about ~5 or ~10</p>'],
    ['# Head\n\n> quoted\n\n---', '<h1>Head</h1><blockquote><p>quoted</p></blockquote><hr>'],
    ['- a\n- b\n  1. c', '<ul><li>a</li><li>b<ol><li>c</li></ol></li></ul>'],
    ['3. a\n\n4. b', '<ol start="3"><li><p>a</p></li><li><p>b</p></li></ol>'],
    ['```c++ title\na < b\n```', '<pre><code class="language-c++">a &#x3C; b\n</code></pre>'],
    ['    indented', '<pre><code>indented\n</code></pre>'],
    ['a  \nb\\\nc\nd', '<p>a<br>\nb<br>\nc\nd</p>'],
    ['![a *b*](/c "d")', '<p><img src="/c" alt="a b" title="d"></p>'],
    ['[a]\n\n[A]: /b "c"', '<p><a href="/b" title="c">a</a></p>'],
    ['&copy; \\* \\\\', '<p>© * \\</p>'],
  ] as const)('shows %j', ([text, html]) => {
    expect(show(text)).toBe(html);
  });

  test('keeps each line break of a member', () => {
    expect(show('a\nb', true)).toBe('<p>a<br>\nb</p>');
  });

  test.for([
    ['http://localhost:3000/a_(b).', 'http://localhost:3000/a_(b)', 'http://localhost:3000/a_(b)'],
    ['(HTTPS://EXAMPLE.COM)', 'HTTPS://EXAMPLE.COM', 'HTTPS://EXAMPLE.COM'],
    ['www.example.com/a,', 'http://www.example.com/a', 'www.example.com/a'],
    ['ann@example.org', 'mailto:ann@example.org', 'ann@example.org'],
    ['https://例え.jp/ü', 'https://xn--r8jz45g.jp/%C3%BC', 'https://例え.jp/ü'],
    ['<https://example.com/>', 'https://example.com/', 'https://example.com/'],
  ] as const)('links the address in %s', ([text, address, label]) => {
    expect(show(text)).toContain(`<a href="${address}">${label}</a>`);
  });

  test.for([
    'example.com',
    'ftp://example.com',
    '//example.com',
    'www.',
    'a.www.example',
    '`www.example.com`',
  ])('does not link %s', (text) => {
    expect(show(text)).not.toContain('<a');
  });

  test.for([
    '[a](javascript:alert(1))',
    '[a](JaVaScript&colon;alert(1))',
    '![a](data:image/png;base64,AA)',
    '<vbscript:a>',
    '[a](ftp://example.com)',
    '[a]\n\n[a]: file:///b',
  ])('shows %s as it was typed', (text) => {
    for (const html of [show(text), renderMarkdown(text)]) expect(html).not.toMatch(/<(?:a|img)\b/u);
  });

  test('shows raw HTML as text', () => {
    const text = '<b onclick="x">*a*</b>\n\n<script>\n\n<!-- b -->';
    expect(show(text)).toBe(
      '<p>&#x3C;b onclick="x"><em>a</em>&#x3C;/b></p><p>&#x3C;script></p><p>&#x3C;!-- b --></p>',
    );
  });

  test('aligns the columns of tables', () => {
    expect(show('| a | b |\n| - | -: |\n| 1 |')).toBe(
      '<table><thead><tr><th>a</th><th align="right">b</th></tr></thead>' +
        '<tbody><tr><td>1</td><td align="right"></td></tr></tbody></table>',
    );
  });

  test('shows boxes for tasks', () => {
    expect(show('- [x] a\n- [ ] b\n- [c](/d)\n- [x]')).toBe(
      '<ul class="contains-task-list">' +
        '<li class="task-list-item"><input type="checkbox" checked disabled> a</li>' +
        '<li class="task-list-item"><input type="checkbox" disabled> b</li>' +
        '<li><a href="/d">c</a></li><li>[x]</li></ul>',
    );
    expect(renderMarkdown('- [x] a')).toContain('<input type="checkbox" disabled checked> a');
  });

  test('puts footnotes at the end, with links back from each', () => {
    expect(show('a[^1] b[^1] c[^2]\n\n[^1]: One.')).toBe(
      '<p>a<sup><a href="#note-fn-1" id="note-fnref-1" data-footnote-ref aria-describedby="note-footnotes">1</a></sup> ' +
        'b<sup><a href="#note-fn-1" id="note-fnref-1-2" data-footnote-ref aria-describedby="note-footnotes">1</a></sup> c[^2]</p>' +
        '<section data-footnotes class="footnotes"><h2 class="hidden" id="note-footnotes">Footnotes</h2><ol><li id="note-fn-1"><p>One. ' +
        '<a href="#note-fnref-1" data-footnote-backref="" aria-label="Back to reference 1" class="data-footnote-backref">↩</a> ' +
        '<a href="#note-fnref-1-2" data-footnote-backref="" aria-label="Back to reference 1-2" class="data-footnote-backref">↩</a>' +
        '</p></li></ol></section>',
    );
  });
});
