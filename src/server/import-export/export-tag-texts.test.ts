import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { exportAs } from '#tests/support/export-and-convert.ts';
import {
  answerRow,
  createTestCommunity,
  questionRow,
  setupTestDatabase,
  tagTextRow,
  type TestCommunity,
  userRow,
  versionRow,
  writeArchive,
} from '#tests/support/stack-exchange-archive.ts';

setupTestDatabase();

const site = 'ask.example.org';
const about = [
  'Brewed, see [this](https://example.org/a?b=1&c=2).',
  '',
  '* `<b>` & "quotes"',
  '* [a question](/question/7)',
  '',
  '```',
  'code  with   spaces',
  '```',
].join('\n');

/** Tags with texts of members, of an import, of an import and changed, and with none. */
async function createTaggedCommunity(): Promise<TestCommunity> {
  const community = await createTestCommunity();
  await community.import(
    await writeArchive({
      Users: [userRow(1), userRow(2)],
      Tags: [
        { Id: 1, TagName: 'hops', ExcerptPostId: 10, WikiPostId: 11 },
        { Id: 2, TagName: 'malt', ExcerptPostId: 12, WikiPostId: 13 },
      ],
      Posts: [
        questionRow(1, { Tags: '|beer|hops|c#|', AcceptedAnswerId: 2 }),
        answerRow(2, 1),
        questionRow(3, { Tags: '|malt|plain|' }),
        tagTextRow(10, 4, 'Flowers of the hop.'),
        tagTextRow(11, 5, '<p>Some <em>bitter</em> words.</p>'),
        tagTextRow(12, 4, 'Sprouted grain.'),
        tagTextRow(13, 5, '<p>Dried.</p>'),
      ],
      PostHistory: [versionRow(1, 11, 'Some _bitter_ words.')],
    }),
  );
  await community.client.query(
    `update tag set description = 'All  <kinds> & "more" – 日本語', about = $1 where name = 'beer'`,
    [about],
  );
  await community.rows(`
    update tag set about = 'Only a text.' where name = 'c#';
    update tag set description = 'Dried grain.' where name = 'malt';
    insert into tag (name, key, description) values ('unused', 'unused', 'Of no question.')`);
  return community;
}

const readTexts = (community: TestCommunity) =>
  community.rows(`select name, description, about from tag where name <> 'unused' order by name`);
const readSources = (community: TestCommunity) =>
  community.rows(`
    select name, imported.kind, site, path, imported.license from imported_tag_text imported
    join tag on tag.id = tag_id join import_source on import_source.id = source_id order by name, kind desc`);

test('the import reads descriptions and texts of tags back, with their licences', async () => {
  const community = await createTaggedCommunity();
  const texts = await readTexts(community);
  const directory = await exportAs(community.client, 'stackexchange');
  const other = await createTestCommunity();
  const { added, files } = await other.import(directory, { site });
  expect(await readTexts(other)).toEqual(
    texts.map((tag) =>
      tag['name'] === 'beer' ? { ...tag, about: about.replace('(/', `(https://${site}/`) } : tag,
    ),
  );
  const source = (tag: string) => ({ site, path: `tags/${tag}/info` });
  expect(await readSources(other)).toEqual([
    { ...source('beer'), name: 'beer', kind: 'description', license: 'CC BY-SA 4.0' },
    { ...source('beer'), name: 'beer', kind: 'about', license: 'CC BY-SA 4.0' },
    { ...source('c%23'), name: 'c#', kind: 'about', license: 'CC BY-SA 4.0' },
    { ...source('hops'), name: 'hops', kind: 'description', license: 'CC BY-SA 3.0' },
    { ...source('hops'), name: 'hops', kind: 'about', license: 'CC BY-SA 3.0' },
    { ...source('malt'), name: 'malt', kind: 'description', license: 'CC BY-SA 3.0' },
    { ...source('malt'), name: 'malt', kind: 'about', license: 'CC BY-SA 3.0' },
  ]);
  expect(added).toMatchObject({ tagTexts: 7, questions: 2, answers: 1 });
  expect(files.find(({ file }) => file === 'Posts.xml')).toMatchObject({
    read: 10,
    imported: 10,
    skipped: [],
  });
});

test('a text of a tag keeps its number, so that a later export updates it', async () => {
  const community = await createTaggedCommunity();
  const readIds = async (directory: string, file: string, attribute: string) =>
    [
      ...(await readFile(path.join(directory, file), 'utf8')).matchAll(
        new RegExp(` ${attribute}="(-?\\d+)"`, 'gu'),
      ),
    ].map(([, id]) => id);
  const first = await exportAs(community.client, 'stackexchange');
  await community.rows(`
    update tag set about = 'Changed.' where name = 'beer';
    update tag set about = null where name = 'c#';
    update tag set description = 'New.' where name = 'plain'`);
  const second = await exportAs(community.client, 'stackexchange');
  const numbers = await readIds(first, 'Posts.xml', 'Id');
  expect(new Set(numbers).size).toBe(numbers.length);
  const other = await createTestCommunity();
  await other.import(first, { site });
  const { changes, added } = await other.import(second, { site });
  expect(added).toMatchObject({ tagTexts: 1, questions: 0, answers: 0 });
  expect(changes.counts).toEqual({ tagTexts: 2 });
  expect(await readTexts(other)).toMatchObject([
    { name: 'beer', about: 'Changed.' },
    { name: 'c#', about: null },
    { name: 'hops' },
    { name: 'malt' },
    { name: 'plain', description: 'New.' },
  ]);
});
