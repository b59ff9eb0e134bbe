import { toHtml } from 'hast-util-to-html';
import { describe, expect, test } from 'vitest';
import { parseToTree } from './markdown-tree.ts';
import { parseMarkdown, renderMarkdown } from './markdown.ts';

function show(text: string, breaks = false): string | null {
  const tree = parseToTree(text, { breaks, idPrefix: 'note-', hiddenClass: 'hidden' });
  return tree === null ? null : toHtml(tree);
}

describe('Markdown', () => {
  test.for([
    ['*a* __b__ ~~c~~ `d*`', '<p><em>a</em> <strong>b</strong> <del>c</del> <code>d*</code></p>'],
    ['about ~5 or ~10', '<p>about ~5 or ~10</p>'],
    ['# Head\n\n> quoted\n\n---', '<h1>Head</h1><blockquote><p>quoted</p></blockquote><hr>'],
    ['- a\n- b\n  1. c', '<ul><li>a</li><li>b<ol><li>c</li></ol></li></ul>'],
    ['3. a\n\n4. b', '<ol start="3"><li><p>a</p></li><li><p>b</p></li></ol>'],
    ['```c++ title\na < b\n```', '<pre><code class="language-c++">a &#x3C; b\n</code></pre>'],
    ['    indented', '<pre><code>indented\n</code></pre>'],
    ['a  \nb\\\nc\nd', '<p>a<br>b<br>c\nd</p>'],
    ['![a *b*](/c "d")', '<p><img src="/c" alt="a b" title="d"></p>'],
    ['[a]\n\n[A]: /b "c"', '<p><a href="/b" title="c">a</a></p>'],
    ['&copy; \\* \\\\', '<p>© * \\</p>'],
  ] as const)('shows %j', ([text, html]) => {
    expect(show(text)).toBe(html);
  });

  test('keeps each line break of a member', () => {
    expect(show('a\nb', true)).toBe('<p>a<br>b</p>');
  });

  test.for([
    ['http://localhost:3000/a_(b).', 'http://localhost:3000/a_(b)', 'http://localhost:3000/a_(b)'],
    ['(HTTPS://EXAMPLE.COM)', 'HTTPS://EXAMPLE.COM', 'HTTPS://EXAMPLE.COM'],
    ['www.example.com/a,', 'http://www.example.com/a', 'www.example.com/a'],
    ['ann@example.org', 'mailto:ann@example.org', 'ann@example.org'],
    ['https://例え.jp/ü', 'https://xn--r8jz45g.jp/%C3%BC', 'https://例え.jp/ü'],
    ['<https://example.com/>', 'https://example.com/', 'https://example.com/'],
    ['看https://a.example/x。谢谢', 'https://a.example/x', 'https://a.example/x'],
    ['~~https://a.example/x~~', 'https://a.example/x', 'https://a.example/x'],
    ['_https://a.example/_', 'https://a.example/', 'https://a.example/'],
    ['**http://a.b/c**', 'http://a.b/c', 'http://a.b/c'],
    ['**See https://a.example/x.**', 'https://a.example/x', 'https://a.example/x'],
    ['~~https://a.example/z,~~', 'https://a.example/z', 'https://a.example/z'],
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

  test('has no links in links', () => {
    expect(show('[a <https://b.example> c](https://d.example)')).toBe(
      '<p><a href="https://d.example">a https://b.example c</a></p>',
    );
    expect(show('[a[^1]](/b)\n\n[^1]: c')).toContain(
      '<p><a href="/b">a<sup id="note-fnref-1">1</sup></a></p>',
    );
  });

  test('decodes the language of code', () => {
    expect(show('```c\\+&#43;\na\n```')).toBe('<pre><code class="language-c++">a\n</code></pre>');
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

  test('has footnotes with several blocks, in quotes and in other footnotes', () => {
    const shown = (text: string) =>
      show(text)
        ?.replaceAll(/ <a [^>]*backref[^>]*>↩<\/a>/gu, '')
        .replaceAll(/<sup>.*?<\/sup>/gu, '*')
        .replace(/<h2.*<\/h2>/u, '');
    const section = (...notes: string[]) =>
      `<section data-footnotes class="footnotes"><ol>${notes.map((note, at) => `<li id="note-fn-${at + 1}">${note}</li>`).join('')}</ol></section>`;
    expect(shown('a[^N] b[^o]\n\n[^n]: One\n    two\n\n    - three\n[^O]: four\n\nfive')).toBe(
      `<p>a* b*</p><p>five</p>${section('<p>One\ntwo</p><ul><li>three</li></ul>', '<p>four</p>')}`,
    );
    expect(shown('a\n\n[^a]: > [^b]: text\n\nb [^a] [^b]\n\nc')).toBe(
      `<p>a</p><p>b * *</p><p>c</p>${section('<blockquote></blockquote>', '<p>text</p>')}`,
    );
    expect(shown('[^a]: one\n\n    [^b]: two\n\n    three\n\nx[^a]')).toBe(
      `<p>x*</p>${section('<p>one</p><p>three</p>')}`,
    );
  });

  test('takes the first definition of a footnote, also if the second is an address', () => {
    const html = show('See[^1] here.\n\n[^1]: The first note.\n\n[^1]: https://example.com');
    expect(html).toContain('<li id="note-fn-1"><p>The first note.');
    expect(html).not.toContain('example.com');
  });

  test('numbers footnotes by their references in the text, and then in footnotes', () => {
    const html = show(
      '[^a]: see [^b]\n\ntext [^c] [^a]\n\n[^b]: second\n[^c]: first\n[^d]: unused [^e]\n[^e]: unused',
    );
    expect(html?.match(/fnref-[\d-]+"/gu)).toEqual(
      ['1', '2', '1', '3', '2', '3'].map((number) => `fnref-${number}"`),
    );
    expect(html).toMatch(/first.*see.*second/u);
    expect(html).not.toContain('unused');
  });
});

/** Texts that would take long, make too many elements or lose text. */
const traps: Record<string, string> = {
  'emphasis in emphasis': '*a '.repeat(3500) + 'a* '.repeat(3500),
  'quotes in quotes': '>'.repeat(30_000),
  'lists in lists on one line': '1. '.repeat(10_000),
  'lists in lists on many lines': Array.from({ length: 52 }, (_, at) => `${'  '.repeat(at)}- a`).join('\n'),
  'a wide table below a fence in a list': `- a\n  \`\`\`\n${'|a'.repeat(200)}|\n${'|-'.repeat(200)}|\n${'|\n'.repeat(320)}`,
  'thousands of lines': 'a\n'.repeat(15_000),
  'a footnote with lists in lists': `[^x]: ${'- '.repeat(55)}a\n\nb`,
  'footnotes in footnotes': `${Array.from({ length: 101 }, (_, at) => `[^${at}]: `).join('')}a\n\nb`,
  'thousands of references to a footnote': `${'[^a]\n\n'.repeat(5000)}[^a]: b`,
};

test.for(Object.entries(traps))('shows %s as typed', ([, text]) => {
  expect(parseMarkdown(text)).toBeNull();
  expect(show(text)).toBeNull();
  expect(renderMarkdown(text)).toBeNull();
});

test('shows 30 lists in each other', () => {
  const html = show(Array.from({ length: 30 }, (_, at) => `${'  '.repeat(at)}- a${at}`).join('\n'));
  expect(html).toContain('a29');
});
