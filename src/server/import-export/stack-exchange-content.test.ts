import { describe, expect, it } from 'vitest';
import { convert, htmlToMarkdown, readPlainParagraphs } from './stack-exchange-html.ts';
import {
  answerRow,
  createTestCommunity,
  questionRow,
  versionRow,
  writeArchive,
  type Attributes,
  setupTestDatabase,
} from '#tests/support/stack-exchange-archive.ts';

setupTestDatabase();

/** Returns the text of an imported question with this HTML page and these versions in its history. */
async function importedContent(page: string, versions: Attributes[] = []): Promise<unknown> {
  const community = await createTestCommunity();
  await community.import(
    await writeArchive({ Posts: [questionRow(1, { Body: page })], PostHistory: versions }),
  );
  const rows = await community.rows('select content from question');
  return rows[0]?.['content'];
}

describe('the text of an imported post', () => {
  it('is the text that its author typed', async () => {
    const typed = 'Some *beer*:\r\n\r\n1. [one][1]\r\n2. two\r\n\r\n  [1]: https://example.org/';
    const page =
      '<p>Some <em>beer</em>:</p>\n\n<ol>\n<li><a href="https://example.org/">one</a></li>\n<li>two</li>\n</ol>\n';
    expect(await importedContent(page, [versionRow(1, 1, typed)])).toBe(typed.replaceAll('\r\n', '\n'));
  });

  it('is the newest version, by time and then by number, also after a rollback', async () => {
    const versions = [
      versionRow(1, 1, 'First.'),
      versionRow(2, 1, 'Second.', { PostHistoryTypeId: 5, CreationDate: '2015-02-01T00:00:00.000' }),
      versionRow(3, 1, 'A title', { PostHistoryTypeId: 4, CreationDate: '2015-04-01T00:00:00.000' }),
      versionRow(5, 1, '**First**.', { PostHistoryTypeId: 8, CreationDate: '2015-03-01T00:00:00.000' }),
      versionRow(4, 1, 'First.', { PostHistoryTypeId: 5, CreationDate: '2015-03-01T00:00:00.000' }),
    ];
    expect(await importedContent('<p><strong>First</strong>.</p>', versions)).toBe('**First**.');
  });

  it('comes from the page if the page differs from the history', async () => {
    const page = '<blockquote>\n<p><strong>Possible Duplicate:</strong></p>\n</blockquote>\n<p>Why?</p>';
    expect(await importedContent(page, [versionRow(1, 1, 'Why?')])).toBe('> **Possible Duplicate:**\n\nWhy?');
  });

  it('comes from the page if raw HTML was typed, so that readers see no tags', async () => {
    const typed =
      'H<sub>2</sub>O at 10<sup>5</sup> Pa<br>and <kbd>Ctrl</kbd> <strike>old</strike> x<sup>k</sup> <sup>a remark</sup>';
    expect(await importedContent(`<p>${typed}</p>`, [versionRow(1, 1, typed)])).toBe(
      'H₂O at 10⁵ Pa\\\nand `Ctrl` ~~old~~ x^k a remark',
    );
  });

  it('keeps the language of code from an old comment', async () => {
    const typed = '<!-- language: lang-py -->\r\n\r\n    print(1)';
    const page = '<pre class="lang-py prettyprint-override"><code>print(1)\n</code></pre>';
    expect(await importedContent(page, [versionRow(1, 1, typed)])).toBe('```py\nprint(1)\n```');
  });

  it('shows headings, lists and tags as the old Stack Exchange did', async () => {
    const typed = '#Heading\n\n1) no list, [tag:beer]';
    const page =
      '<h1>Heading</h1>\n\n<p>1) no list, <a href="/questions/tagged/beer" class="post-tag">beer</a></p>';
    expect(await importedContent(page, [versionRow(1, 1, typed)])).toBe(
      '# Heading\n\n1\\) no list, [beer](https://beer.stackexchange.com/questions/tagged/beer)',
    );
  });

  it('keeps tables, images, code and quotes of a page without history', async () => {
    const page =
      '<table><thead><tr><th>a</th></tr></thead><tbody><tr><td>1 | 2</td></tr></tbody></table>' +
      '<p><img src="//i.stack.imgur.com/x.png" alt="a pump"> costs *5* &amp; ~£3</p>' +
      '<blockquote class="spoiler"><p>It was the yeast.</p></blockquote>';
    expect(await importedContent(page)).toBe(
      '| a |\n| - |\n| 1 \\| 2 |\n\n![a pump](https://i.stack.imgur.com/x.png) costs \\*5\\* & \\~£3\n\n' +
        '> **Spoiler**\n>\n> It was the yeast.',
    );
  });

  it('comes from the page if the text is the same and the elements differ', async () => {
    const quotes = '<blockquote>\n<p>One.</p>\n<p>Two.</p>\n</blockquote>';
    expect(await importedContent(quotes, [versionRow(1, 1, '> One.\n\n> Two.')])).toBe('> One.\n>\n> Two.');
    const code = '<pre><code>a  b\n</code></pre>';
    expect(await importedContent(code, [versionRow(1, 1, '    a b')])).toBe('```\na  b\n```');
    const link = '<p><a href="https://example.org/new">old</a> and <em>this</em></p>';
    expect(await importedContent(link, [versionRow(1, 1, '[old](https://example.org/old) and *this*')])).toBe(
      '[old](https://example.org/new) and *this*',
    );
    expect(
      await importedContent('<p>some <strong>text</strong></p>', [versionRow(1, 1, '*some* text')]),
    ).toBe('some **text**');
    const list = '<ol>\n<li>a</li>\n</ol>\n<p>b</p>';
    expect(await importedContent(list, [versionRow(1, 1, '- a\n\nb')])).toBe('1. a\n\nb');
  });

  it('is as typed if only the notation, white space or the percent encoding of an address differs', async () => {
    const page =
      '<p><b>One</b> <i>two</i> <a href="https://example.org/a[1]" rel="nofollow">x &amp; y</a></p>\n\n' +
      '<ul>\n<li><p>loose</p></li>\n<li><p>list</p></li>\n</ul>';
    const typed = '**One** *two* [x & y](https://example.org/a%5B1%5D)\n\n- loose\n- list';
    expect(await importedContent(page, [versionRow(1, 1, typed)])).toBe(typed);
    const lines = 'One.\n\nTwo  \nthree, in two\nlines.';
    expect(
      await importedContent('<p>One.</p>\n\n<p>Two<br>three, in two\nlines.</p>', [versionRow(1, 1, lines)]),
    ).toBe(lines);
  });

  it('has the pictures of Stack Exchange by https, as its pages', async () => {
    const page = '<p><img src="https://i.stack.imgur.com/x.png" alt="a pump"></p>';
    const typed = '![a pump][1]\n\n  [1]: http://i.stack.imgur.com/x.png';
    expect(await importedContent(page, [versionRow(1, 1, typed)])).toBe(typed.replace('http:', 'https:'));
  });

  it('shows the address of links that Parley does not have', async () => {
    const page =
      '<p><a href="ftp://example.org/a_b">files</a>, <a href="ftp://example.org">ftp://example.org</a>, ' +
      '<a href="http://Some%20words">broken</a></p>';
    expect(await importedContent(page)).toBe(
      'files (ftp\\://example.org/a_b), ftp\\://example.org, [broken](http://Some%20words)',
    );
  });

  it('of plain paragraphs is converted without a parser to the same Markdown', async () => {
    const pages = [
      '<p>One line.</p>\n\n<p>Two\nlines, \u00A0and  spaces. </p>\n<p> </p>',
      '<p>1. no list</p>',
      '<p>- no list</p>\n<p># no heading</p>',
      '<p>a*b* &amp; c</p>',
      '<p>see www.example.com</p>',
      '<p>one</p> two',
    ];
    expect(pages.map((page) => readPlainParagraphs(page) !== null)).toEqual([
      true,
      false,
      false,
      false,
      false,
      false,
    ]);
    for (const page of pages) expect(htmlToMarkdown(page)).toBe(convert(page));
    expect(await importedContent(pages[0] ?? '')).toBe('One line.\n\nTwo lines, \u00A0and spaces.');
  });

  it('keeps line breaks at the edges of emphasis, text in a list without items, and columns', async () => {
    expect(await importedContent('<p><em>Sen (1997)<br></em>and <b><br>Henrich</b></p>')).toBe(
      '*Sen (1997)*\\\nand\\\n**Henrich**',
    );
    expect(await importedContent('<ol>\nFrom a book.</ol>\n<p>2) Glasses</p>')).toBe(
      'From a book.\n\n2\\) Glasses',
    );
    const table =
      '<table><thead><tr><th>a</th><th style="text-align: right;">b</th></tr></thead>' +
      '<tbody><tr><td>1</td><td style="text-align: right;">2</td></tr></tbody></table>';
    expect(await importedContent(table)).toBe('| a | b |\n| - | -: |\n| 1 | 2 |');
  });

  it('never turns text into markup', async () => {
    expect(
      await importedContent('<p>&lt;script&gt;alert(1)&lt;/script&gt; <script>alert(2)</script></p>'),
    ).toBe('\\<script>alert(1)\\</script>');
  });

  it('drops characters that XML or the database cannot contain', async () => {
    const community = await createTestCommunity();
    const directory = await writeArchive({
      Posts:
        '<posts><row Id="1" PostTypeId="1" CreationDate="2015-01-01T00:00:00" Title="a&#x0;b&#31;c&#xD800;d\u0001e&#xFFFF;f" ' +
        'Body="&lt;p&gt;x&#x1F;y&#11;z &amp;#x1F; &#x1F37A;&lt;/p&gt;" Tags="" /></posts>',
    });
    await community.import(directory);
    expect(await community.rows('select title, content from question')).toEqual([
      { title: 'abcdef', content: 'xyz  🍺' },
    ]);
  });

  it('can be as long as it was', async () => {
    const typed = 'word '.repeat(40_000).trimEnd();
    expect(await importedContent(`<p>${typed}</p>`, [versionRow(1, 1, typed)])).toBe(typed);
  });

  it('survives elements nested by the thousand', async () => {
    const page = `${'<b><i>'.repeat(20_000)}deep${'</i></b>'.repeat(20_000)}`;
    expect(String(await importedContent(page))).toContain('deep');
  });

  it('is converted for answers too', async () => {
    const community = await createTestCommunity();
    await community.import(
      await writeArchive({
        Posts: [questionRow(1), answerRow(2, 1, { Body: '<p>It <em>is</em>.</p>' })],
        PostHistory: [versionRow(1, 2, 'It _is_.')],
      }),
    );
    expect(await community.rows('select content from answer')).toEqual([{ content: 'It _is_.' }]);
  });
});
