import { describe, expect, it, test } from 'vitest';
import { findPostLinks, getLinkedPosts, replacePostLinks } from './stack-exchange-links.ts';
import { formatImportReport } from './stack-exchange-report.ts';
import {
  answerRow,
  commentRow,
  createTestCommunity,
  questionRow,
  setupTestDatabase,
  type TestCommunity,
  userRow,
  versionRow,
  writeArchive,
} from '#tests/support/stack-exchange-archive.ts';

setupTestDatabase();

const site = 'https://beer.stackexchange.com';

describe('the posts that an address leads to', () => {
  test.each([
    [`${site}/questions/12`, [12]],
    [`${site}/questions/12/`, [12]],
    [`${site}/questions/12/why-is-it-bitter`, [12]],
    [`http://www.beer.stackexchange.com/questions/12/why?lq=1`, [12]],
    [`//beer.stackexchange.com/q/12`, [12]],
    ['/q/12/345', [12]],
    ['/questions/12/why-is-it-bitter', [12]],
    [`${site}/a/34`, [34]],
    [`${site}/a/34/345`, [34]],
    [`${site}/questions/12/why/34#34`, [34, 12]],
    [`${site}/questions/12/why#34`, [34, 12]],
    [`${site}/questions/12/why#comment7_34`, [34, 12]],
    [`${site}/questions/12/why?answertab=votes#tab-top`, [12]],
  ])('of %s are %j', (address, posts) => {
    expect(getLinkedPosts(address, ['beer.stackexchange.com'])).toEqual(posts);
  });

  test.each([
    'https://wine.stackexchange.com/questions/12/why',
    'https://meta.beer.stackexchange.com/questions/12',
    `${site}:8443/questions/12`,
    'ftp://beer.stackexchange.com/questions/12',
    `${site}/questions/tagged/12`,
    `${site}/users/12`,
    `${site}/posts/12/edit`,
    `${site}/questions/12/why/34/56`,
    `${site}/`,
    'https://',
  ])('are none for %s', (address) => {
    expect(getLinkedPosts(address, ['beer.stackexchange.com'])).toEqual([]);
  });
});

describe('links in Markdown', () => {
  const rewrite = (markdown: string) =>
    replacePostLinks(
      markdown,
      findPostLinks(markdown, ['beer.stackexchange.com']),
      ([post]) => `/question/${post}00`,
    ).content;

  test.each([
    [`See [this](${site}/q/1 "A title") too.`, 'See [this](/question/100 "A title") too.'],
    [`See [this](<${site}/q/1>).`, 'See [this](</question/100>).'],
    [`See [this][1].\n\n  [1]: ${site}/q/1 "Title"`, 'See [this][1].\n\n  [1]: /question/100 "Title"'],
    [
      `A list:\n\n- \tone [1](${site}/q/1)\n- [2](/a/2)`,
      'A list:\n\n- \tone [1](/question/100)\n- [2](/question/200)',
    ],
    [`See ${site}/q/1.`, `See [${site}/q/1](/question/100).`],
    [`See <${site}/q/1#comment2_3>`, `See [${site}/q/1#comment2\\_3](/question/300)`],
    [
      `| a |\n| - |\n| [x](${site}/q/1) 🍺 [y](/q/2) |`,
      '| a |\n| - |\n| [x](/question/100) 🍺 [y](/question/200) |',
    ],
    [
      `[![a pump](https://i.example/x.png)](${site}/q/1)`,
      '[![a pump](https://i.example/x.png)](/question/100)',
    ],
  ])('change in %j', (markdown, rewritten) => {
    expect(rewrite(markdown)).toBe(rewritten);
  });

  test.each([
    `\`${site}/q/1\``,
    `\`\`\`\n[x](${site}/q/1)\n\`\`\``,
    `    ${site}/q/1`,
    `![x](${site}/q/1)`,
    `\\[x](about /q/1)`,
    `[x](https://wine.stackexchange.com/q/1)`,
  ])('do not change in %j', (markdown) => {
    expect(rewrite(markdown)).toBe(markdown);
  });

  it('do not change in a text that the browser does not parse', () => {
    const text = `${'> '.repeat(2000)}[x](${site}/q/1)`;
    expect(rewrite(text)).toBe(text);
  });
});

/** Returns the texts of all posts, with `Q1` and `A2` for the paths of the posts with these numbers in the archive. */
async function contents({ rows }: TestCommunity): Promise<string[]> {
  const texts = await rows(
    `select content from (
       select 1 as kind, content, source_key from question union all select 2, content, source_key from answer
       union all select 3, content, source_key from reply) post
     order by kind, source_key`,
  );
  const ids = await rows(`
    select '/question/' || question_id || '#answer-' || id as path, 'A' || source_key as name from answer
    union all select '/question/' || id, 'Q' || source_key from question`);
  return texts.map(({ content }) =>
    ids.reduce(
      (text, { path, name }) => text.replaceAll(new RegExp(`${String(path)}(?![\\d#])`, 'gu'), String(name)),
      String(content),
    ),
  );
}

describe('an import', () => {
  const linking = `<p><a href="/questions/1/title">Own</a>, <a href="${site}/a/2">answer</a>, <a href="${site}/q/9">later</a></p>`;
  const archive = {
    Posts: [
      questionRow(1, { Body: linking }),
      answerRow(2, 1, {
        Body: '<p>See <a href="https://beer.stackexchange.com/questions/1/x/3#3">this</a>.</p>',
      }),
      answerRow(3, 1, {
        Body: `<p><a href="${site}/questions/1/x">${site}/questions/1/x</a></p>`,
      }),
    ],
    PostHistory: [versionRow(1, 3, `${site}/questions/1/x`)],
    Comments: [
      commentRow(1, 2, { Text: `Duplicate of [Title](http://beer.stackexchange.com/q/9), see #9 and /q/1` }),
    ],
  };

  it('turns links to posts of the archive into links to their pages, and leaves others', async () => {
    const community = await createTestCommunity();
    const summary = await community.import(await writeArchive(archive));
    expect(await contents(community)).toEqual([
      `[Own](Q1), [answer](A2), [later](${site}/q/9)`,
      'See [this](A3).',
      `[${site}/questions/1/x](Q1)`,
      'Duplicate of [Title](http://beer.stackexchange.com/q/9), see #9 and /q/1',
    ]);
    expect(summary.added.links).toBe(4);
    expect(formatImportReport(summary)).toContain(
      'Note: 4 links now lead to the imported questions and answers.',
    );
  });

  it('leads from a relative link of a profile to the site', async () => {
    const community = await createTestCommunity();
    const users = [userRow(1, { AboutMe: '<p>Ask <a href="/users/2">him</a>.</p>' })];
    const directory = await writeArchive({ Users: users, Posts: [questionRow(1)] });
    await community.import(directory);
    expect(await community.rows('select bio from member')).toEqual([{ bio: `Ask [him](${site}/users/2).` }]);
    expect((await community.import(directory)).files[0]).toMatchObject({ alreadyImported: 1, skipped: [] });
  });

  it('changes nothing if it is repeated', async () => {
    const community = await createTestCommunity();
    const directory = await writeArchive(archive);
    await community.import(directory);
    const before = await community.everything();
    expect(await community.import(directory)).toMatchObject({ isUnchanged: true, added: { links: 0 } });
    expect(await community.everything()).toEqual(before);
  });

  it('rewrites links of earlier imports to posts that it adds, and tells open pages', async () => {
    const community = await createTestCommunity();
    await community.import(await writeArchive(archive));
    await community.rows('delete from event');
    const newer = await writeArchive({ ...archive, Posts: [...archive.Posts, questionRow(9)] });
    expect(await community.import(newer)).toMatchObject({ added: { questions: 1, links: 2 } });
    expect(await contents(community)).toEqual(
      expect.arrayContaining([
        '[Own](Q1), [answer](A2), [later](Q9)',
        'Duplicate of [Title](Q9), see #9 and /q/1',
      ]),
    );
    expect(await community.rows(`select topic from event where event ->> 'kind' = 'edited'`)).toEqual([
      {
        topic: `question:${String((await community.rows(`select id from question where source_key = '1'`))[0]?.['id'])}`,
      },
    ]);
  });

  it('leaves links to posts that were deleted here', async () => {
    const community = await createTestCommunity();
    await community.import(await writeArchive({ Posts: [questionRow(9)] }));
    await community.rows('delete from question');
    const newer = await writeArchive({ ...archive, Posts: [...archive.Posts, questionRow(9)] });
    await community.import(newer);
    expect((await contents(community))[0]).toBe(`[Own](Q1), [answer](A2), [later](${site}/q/9)`);
  });

  it('leaves the texts of locked questions', async () => {
    const community = await createTestCommunity();
    await community.import(await writeArchive(archive));
    await community.rows(`update question set lock_reason = 'Enough.'`);
    const newer = await writeArchive({ ...archive, Posts: [...archive.Posts, questionRow(9)] });
    expect(await community.import(newer)).toMatchObject({ added: { questions: 1, links: 0 } });
  });

  it('knows an old name of the site by links with the number and title of questions', async () => {
    const community = await createTestCommunity();
    const old = (id: number) =>
      `<a href="https://ale.stackexchange.com/questions/${id}/title-of-${id}">${id}</a>`;
    const directory = await writeArchive({
      Posts: [
        questionRow(1, {
          Body: `<p>${old(2)} ${old(3)} <a href="https://ale.stackexchange.com/q/4">4</a></p>`,
        }),
        questionRow(2, {
          Body: `<p>${old(1)} <a href="https://wine.stackexchange.com/questions/1/red">red</a></p>`,
        }),
        questionRow(3),
        questionRow(4, { Body: `<p><a href="${site}/questions/1/title-of-1">1</a></p>` }),
      ],
    });
    await community.import(directory);
    expect(await contents(community)).toEqual([
      '[2](Q2) [3](Q3) [4](Q4)',
      '[1](Q1) [red](https://wine.stackexchange.com/questions/1/red)',
      'Question 3',
      '[1](Q1)',
    ]);
  });
});
