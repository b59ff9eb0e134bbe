import { describe, expect, it } from 'vitest';
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
