import { fromHtml } from 'hast-util-from-html';
import { describe, expect, test } from 'vitest';
import { convertHastToMarkdown } from './paste-markdown.ts';
import { planPaste, type ClipboardContent } from './paste-plan.ts';

const convert = (html: string) => convertHastToMarkdown(fromHtml(html, { fragment: true }));

/** The plan for a paste into `marked`, with '|' at the ends of the selection. */
function paste(marked: string, pasted: Partial<ClipboardContent>) {
  const from = marked.indexOf('|');
  const to = marked.lastIndexOf('|') - (marked.lastIndexOf('|') === from ? 0 : 1);
  return planPaste(
    { plain: '', html: '', types: [], ...pasted },
    { text: marked.replaceAll('|', ''), from, to },
  );
}

describe('pasting an address over a selection', () => {
  const plain = 'https://example.org/a_(b)';

  test('creates a link', () => {
    expect(paste('read |this| now', { plain, html: `<a href="${plain}">x</a>` })).toEqual({
      kind: 'text',
      insert: '[this](https://example.org/a_%28b%29)',
    });
    expect(paste('|a [b]|', { plain: 'https://example.org' })).toEqual({
      kind: 'text',
      insert: String.raw`[a \[b\]](https://example.org)`,
    });
  });

  test.each([
    ['pastes the plain text without a selection', 'read |', plain],
    ['replaces another address', 'read |https://example.com|', plain],
    ['replaces the address of a link', '[this](|url|)', plain],
    ['pastes the plain text in code', '`|this|`', plain],
    ['ignores addresses that are not http or https', 'read |this|', 'javascript:alert(1)'],
    ['ignores text with several addresses', 'read |this|', 'https://a.example https://b.example'],
  ])('%s', (_, marked, plain) => {
    expect(paste(marked, { plain })).toBeNull();
  });
});

describe('pasting cells of a spreadsheet', () => {
  test('creates a table', () => {
    expect(paste('|', { plain: 'Bread\tPrice\r\nRye\t4|5\r\n"two\nlines"\t"say ""hi"""\r\n' })).toEqual({
      kind: 'text',
      insert: '| Bread | Price |\n| --- | --- |\n| Rye | 4\\|5 |\n| two lines | say "hi" |\n',
    });
  });

  test.each([
    ['one line', 'a\tb'],
    ['lines of different lengths', 'a\tb\nc'],
    ['indented code', '\tif x:\n\ty()'],
    ['text without tabs', 'a\nb'],
  ])('does not detect a table in %s', (_, plain) => {
    expect(paste('|', { plain })).toBeNull();
  });

  test('leaves them unchanged in a code block', () => {
    expect(paste('```\n|\n```', { plain: 'a\tb\nc\td' })).toBeNull();
  });
});

test('converts HTML only if it has more than the plain text', () => {
  expect(paste('|', { plain: 'a', html: '<p>a <b>b</b></p>' })?.kind).toBe('html');
  expect(paste('|', { plain: 'a', html: '<meta charset="utf-8"><span>a</span>' })).toBeNull();
  expect(paste('|', { plain: 'a', html: `<b>${'a'.repeat(600_000)}</b>` })).toBeNull();
  expect(paste('|', { plain: 'a', html: '<b>a</b>', types: ['vscode-editor-data'] })).toBeNull();
});

describe('convertHastToMarkdown', () => {
  test.each([
    [
      '<p>a <b>b</b> <em>c</em> <a href="https://example.org">d</a></p>',
      'a **b** _c_ [d](https://example.org)',
    ],
    ['<h2><b>Title</b></h2><p>one<br>two</p>', '## Title\n\none\ntwo'],
    ['<ul><li>a<ul><li>b</li></ul></li></ul><ol><li>c</li></ol>', '- a\n  - b\n\n1. c'],
    ['<blockquote><p>said</p></blockquote>', '> said'],
    ['<pre><code class="language-js">let a;\n</code></pre>', '```js\nlet a;\n```'],
    ['<p>x<code>a_b</code></p>', 'x`a_b`'],
    [
      '<table><tr><th>A</th><th>B</th></tr><tr><td>1<br>2</td><td>x|y</td></tr></table>',
      '| A | B |\n| - | - |\n| 1 2 | x\\|y |',
    ],
    ['<table><tr><td><p>only</p></td></tr></table>', 'only'],
    ['<p>a<script>alert(1)</script><style>b{}</style></p>', 'a'],
    ['<a href="javascript:alert(1)">a</a> <a href="#x">b</a>', 'a b'],
    ['<p>a <img src="data:image/png;base64,x" alt="b"></p>', 'a'],
    ['<p>2&nbsp;*&nbsp;3</p>', String.raw`2 \* 3`],
  ])('%s', (html, markdown) => {
    expect(convert(html)).toBe(markdown);
  });

  test('converts text from Google Docs, which writes formatting as styles', () => {
    const html = `<meta charset="utf-8"><b style="font-weight:normal;" id="docs-internal-guid-1"><h1 dir="ltr"><span style="font-weight:700">Head</span></h1><p dir="ltr"><span style="font-weight:400">plain </span><span style="font-weight:700;font-style:normal">bold</span><span style="font-weight:400;font-style:italic"> slanted</span> <span style="text-decoration:line-through">gone</span> <span style="font-family:'Courier New'">code</span></p><ul><li dir="ltr" aria-level="1"><p dir="ltr" role="presentation"><span>one</span></p></li><ul><li dir="ltr" aria-level="2"><p role="presentation"><span>inner</span></p></li></ul><li><p role="presentation"><span>two</span></p></li></ul></b>`;
    expect(convert(html)).toBe(
      '# Head\n\nplain **bold** _slanted_ ~~gone~~ `code`\n\n- one\n  - inner\n- two',
    );
  });

  test('converts text from Word, which writes lists as paragraphs', () => {
    const item = (level: number, bullet: string, text: string) =>
      `<p class=MsoListParagraph style='text-indent:-.25in;mso-list:l0 level${level} lfo1'><![if !supportLists]><span style='mso-fareast-font-family:Calibri'><span style='mso-list:Ignore'>${bullet}<span style='font:7.0pt "Times New Roman"'>&nbsp;&nbsp; </span></span></span><![endif]>${text}<o:p></o:p></p>`;
    const html = `<p class=MsoNormal>Before <b>it</b><o:p></o:p></p>\n${item(1, '·', 'one')}\n${item(2, 'o', 'inner')}\n${item(1, '·', 'two')}\n<p class=MsoNormal>Between</p>\n${item(1, '1.', 'first')}${item(1, '2.', 'second')}`;
    expect(convert(html)).toBe('Before **it**\n\n- one\n  - inner\n- two\n\nBetween\n\n1. first\n2. second');
  });
});
