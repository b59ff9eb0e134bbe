import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import {
  type ArchiveContent,
  createTestCommunity,
  questionRow,
  setupTestDatabase,
  tagTextRow,
  type TestCommunity,
  userRow,
  versionRow,
  writeArchive,
} from '#tests/support/stack-exchange-archive.ts';
import { importJsonLines } from './jsonl-import.ts';
import { exportAs } from '#tests/support/export-and-convert.ts';
import { previewUndo, undoImport } from './import-undo.ts';
import { formatImportReport } from './stack-exchange-report.ts';

setupTestDatabase();

const tags = [
  { Id: 1, TagName: 'beer', Count: 1, ExcerptPostId: 10, WikiPostId: 11 },
  { Id: 2, TagName: 'c#', Count: 1, ExcerptPostId: 12, WikiPostId: 13 },
  { Id: 3, TagName: 'unused', Count: 0, ExcerptPostId: 14, WikiPostId: 15 },
];

const first = {
  Users: [userRow(1)],
  Tags: tags,
  Posts: [
    questionRow(1),
    questionRow(2, { Tags: '<c#><hops>' }),
    tagTextRow(10, 4, 'Questions about beer.\r\n\r\nNot about wine. '),
    tagTextRow(11, 5, '<p>Brewed, see <a href="https://beer.stackexchange.com/questions/2/x">this</a>.</p>'),
    tagTextRow(12, 4, `Sharp ${'word '.repeat(50)}`, { ContentLicense: 'CC BY-SA 3.0' }),
    tagTextRow(13, 5, ''),
    tagTextRow(14, 4, 'Of no question.'),
    tagTextRow(15, 5, `<p>Of no question.</p>`),
    tagTextRow(16, 4, 'Of a tag that is gone.'),
  ],
} satisfies ArchiveContent;

const readTexts = (community: TestCommunity) =>
  community.rows('select name, description, about from tag order by name');
const readSources = (community: TestCommunity) =>
  community.rows(`
    select name, kind, source_key as key, path, license, is_removed as removed from imported_tag_text
    join tag on tag.id = tag_id order by name, kind desc`);
const reportOf = (files: readonly { file: string }[]) => files.find(({ file }) => file === 'Posts.xml');
const setText = (community: TestCommunity, tag: string, column: string, value: string) =>
  community.rows(`update tag set ${column} = '${value}' where name = '${tag}' returning 1`);

test('tags get the excerpt as description and the wiki as text, with the source of each', async () => {
  const community = await createTestCommunity();
  const { added, files } = await community.import(await writeArchive(first));
  const [question] = await community.rows(`select id from question where source_key = '2'`);
  expect(await readTexts(community)).toEqual([
    {
      name: 'beer',
      description: 'Questions about beer. Not about wine.',
      about: `Brewed, see [this](/question/${String(question?.['id'])}).`,
    },
    { name: 'c#', description: `Sharp${' word'.repeat(38)}…`, about: null },
    { name: 'hops', description: null, about: null },
  ]);
  const source = { license: 'CC BY-SA 3.0', removed: false };
  expect(await readSources(community)).toEqual([
    { ...source, name: 'beer', kind: 'description', key: '10', path: 'tags/beer/info' },
    { ...source, name: 'beer', kind: 'about', key: '11', path: 'tags/beer/info' },
    { ...source, name: 'c#', kind: 'description', key: '12', path: 'tags/c%23/info' },
  ]);
  expect(added.tagTexts).toBe(3);
  expect(reportOf(files)).toMatchObject({
    read: 9,
    imported: 5,
    skipped: expect.arrayContaining([
      { reason: 'excerpts and tag wikis without text', rows: 1 },
      { reason: 'of tags that no question here has', rows: 2 },
      { reason: 'of tags that are not in the archive', rows: 1 },
    ]),
  });
  const again = await community.import(await writeArchive(first));
  expect(again.isUnchanged).toBe(true);
  expect(reportOf(again.files)).toMatchObject({ imported: 0, alreadyImported: 5 });
});

test('the wiki is as its author typed it, if that gives the same page', async () => {
  const community = await createTestCommunity();
  const { files } = await community.import(
    await writeArchive({
      Tags: tags,
      Posts: [questionRow(1), tagTextRow(11, 5, '<p>Some <em>brewed</em> words.</p>')],
      PostHistory: [versionRow(1, 11, 'Some _brewed_ words.')],
    }),
  );
  expect(await readTexts(community)).toMatchObject([{ about: 'Some _brewed_ words.' }]);
  expect(files.find(({ file }) => file === 'PostHistory.xml')?.skipped).toEqual([
    { reason: 'of texts of tags, which have no history here', rows: 1 },
  ]);
});

test('links of a wiki lead to imported posts, also if its number is negative, as in exports of Parley', async () => {
  const community = await createTestCommunity();
  await community.import(
    await writeArchive({
      Tags: [{ Id: 1, TagName: 'beer', WikiPostId: -3 }],
      Posts: [
        questionRow(1),
        tagTextRow(-3, 5, '<p><a href="https://beer.stackexchange.com/questions/1/x">First</a></p>'),
      ],
    }),
  );
  const [question] = await community.rows('select id from question');
  expect(await readTexts(community)).toMatchObject([
    { about: `[First](/question/${String(question?.['id'])})` },
  ]);
});

test('a tag that has a text here keeps it, and a synonym describes its tag only if nothing else does', async () => {
  const community = await createTestCommunity();
  await community.rows(`
    with ale as (insert into tag (name, key, about) values ('ale', 'ale', 'Ours') returning id)
    insert into tag (name, key, synonym_of) select 'beer', 'beer', id from ale`);
  const { files } = await community.import(await writeArchive(first));
  expect(await readTexts(community)).toMatchObject([
    { name: 'ale', description: 'Questions about beer. Not about wine.', about: 'Ours' },
    { name: 'beer', description: null, about: null },
    { name: 'c#' },
    { name: 'hops' },
  ]);
  expect(reportOf(files)).toMatchObject({
    skipped: expect.arrayContaining([{ reason: 'of tags that have another text here', rows: 1 }]),
  });
  const other = await createTestCommunity();
  await other.rows(`
    with beer as (insert into tag (name, key) values ('beer', 'beer') returning id)
    insert into tag (name, key, synonym_of) select 'c#', 'c#', id from beer`);
  await other.import(await writeArchive(first));
  expect(await readTexts(other)).toMatchObject([
    { name: 'beer', description: 'Questions about beer. Not about wine.' },
    { name: 'c#', description: null },
    { name: 'hops' },
  ]);
});

test('a wiki that is longer than texts of tags is left out', async () => {
  const community = await createTestCommunity();
  const { files } = await community.import(
    await writeArchive({
      Tags: tags,
      Posts: [questionRow(1), tagTextRow(11, 5, `<p>${'a'.repeat(10_001)}</p>`)],
    }),
  );
  expect(await readTexts(community)).toMatchObject([{ about: null }]);
  expect(reportOf(files)).toMatchObject({
    skipped: [{ reason: 'tag wikis with more than 10,000 characters', rows: 1 }],
  });
});

const newer = {
  ...first,
  Posts: [
    questionRow(1),
    questionRow(2, { Tags: '<c#><hops>' }),
    tagTextRow(10, 4, 'All about beer.'),
    tagTextRow(12, 4, 'Sharper.', { ContentLicense: 'CC BY-SA 4.0' }),
    tagTextRow(13, 5, '<p>New.</p>'),
  ],
};

test('a newer archive updates, adds and removes texts that nothing here changed', async () => {
  const community = await createTestCommunity();
  await community.import(await writeArchive(first));
  const only = await community.import(await writeArchive(newer), { addOnly: true });
  expect(only.added.tagTexts).toBe(1);
  expect(reportOf(only.files)).toMatchObject({
    skipped: [{ reason: 'texts of tags that changed since: not taken over', rows: 2 }],
  });
  const before = await readTexts(community);
  const dry = await community.import(await writeArchive(newer), { dryRun: true });
  expect(dry.changes).toMatchObject({
    counts: { tagTexts: 3 },
    examples: [
      '/topics/beer description',
      '/topics/beer text: deleted on the site',
      '/topics/c%23 description',
    ],
  });
  expect(formatImportReport(dry)).toContain('Would change: 3 texts of tags.');
  expect(await readTexts(community)).toEqual(before);
  await community.rows('delete from event');
  const { changes, files } = await community.import(await writeArchive(newer));
  expect(changes.counts).toEqual({ tagTexts: 3 });
  expect(reportOf(files)).toMatchObject({ imported: 0, updated: 2, alreadyImported: 3, removed: 1 });
  expect(await readTexts(community)).toEqual([
    { name: 'beer', description: 'All about beer.', about: null },
    { name: 'c#', description: 'Sharper.', about: 'New.' },
    { name: 'hops', description: null, about: null },
  ]);
  expect(await readSources(community)).toMatchObject([
    { name: 'beer', kind: 'description' },
    { name: 'c#', kind: 'description', license: 'CC BY-SA 4.0' },
    { name: 'c#', kind: 'about' },
  ]);
  expect(
    await community.rows(`select event ->> 'tag' as tag from event where event ->> 'kind' = 'tag-changed'`),
  ).toEqual([{ tag: 'beer' }, { tag: 'c#' }]);
  // An archive without the file says nothing about tags.
  const { Tags: _, ...without } = newer;
  expect((await community.import(await writeArchive(without))).isUnchanged).toBe(true);
  expect(await readTexts(community)).toMatchObject([
    { description: 'All about beer.' },
    { about: 'New.' },
    {},
  ]);
});

test('a newer archive keeps texts that were changed or removed here', async () => {
  const community = await createTestCommunity();
  await community.import(await writeArchive(first));
  await setText(community, 'beer', 'description', 'Ours');
  await setText(community, 'beer', 'about', 'Ours too');
  await community.rows(`
    update tag set description = null where name = 'c#';
    update imported_tag_text set is_removed = true where source_key = '12'`);
  expect((await community.import(await writeArchive(first))).changes.conflicts.total).toBe(0);
  const { changes, files } = await community.import(await writeArchive(newer));
  expect(changes.conflicts).toEqual({
    total: 2,
    lines: ['/topics/beer description changed here', '/topics/c%23 description removed here'],
  });
  expect(reportOf(files)).toMatchObject({
    imported: 1,
    removed: 0,
    skipped: expect.arrayContaining([
      { reason: 'kept: changed here', rows: 1 },
      { reason: 'kept: removed here', rows: 1 },
    ]),
  });
  expect(await readTexts(community)).toMatchObject([
    { name: 'beer', description: 'Ours', about: 'Ours too' },
    { name: 'c#', description: null, about: 'New.' },
    { name: 'hops' },
  ]);
  // The text that the site deleted is still the source of the changed one.
  expect(await readSources(community)).toMatchObject([
    { name: 'beer', kind: 'description' },
    { name: 'beer', kind: 'about' },
    { name: 'c#', kind: 'description', removed: true },
    { name: 'c#', kind: 'about' },
  ]);
});

test('a renamed tag is still described by the tag of the site', async () => {
  const community = await createTestCommunity();
  await community.import(await writeArchive(first));
  await community.rows(`
    with old as (update tag set name = 'ale', key = 'ale' where key = 'beer' returning id)
    insert into tag (name, key, synonym_of) select 'beer', 'beer', id from old`);
  await community.import(await writeArchive(newer));
  expect(await readTexts(community)).toMatchObject([
    { name: 'ale', description: 'All about beer.', about: null },
    { name: 'beer', description: null },
    { name: 'c#' },
    { name: 'hops' },
  ]);
});

test('the undoing of an import removes the texts that it added and nothing changed', async () => {
  const community = await createTestCommunity();
  await community.import(await writeArchive(first));
  await setText(community, 'beer', 'about', 'Ours');
  await community.rows(`
    insert into member (display_name, email) values ('Reader', 'reader@example.org');
    insert into tag_follow (tag_id, member_id)
    select tag.id, member.id from tag, member where tag.name in ('beer', 'c#') and display_name = 'Reader';
    update tag set followers_count = (select count(*) from tag_follow where tag_id = tag.id)`);
  const [run] = await community.rows('select id from import_run');
  const id = Number(run?.['id']);
  expect((await previewUndo(community.client, id)).added.tagTexts).toBe(2);
  await undoImport(community.client, id);
  expect(await readTexts(community)).toEqual([
    { name: 'beer', description: null, about: 'Ours' },
    { name: 'c#', description: null, about: null },
  ]);
  expect(await readSources(community)).toMatchObject([{ name: 'beer', kind: 'about' }]);
  // Deleting a tag deletes where its texts are from.
  await community.rows(`delete from tag_follow; delete from tag`);
  expect(await readSources(community)).toEqual([]);
});

test('an export has the sources of texts, and another community shows and refreshes them', async () => {
  const community = await createTestCommunity();
  await community.import(await writeArchive(first));
  await setText(community, 'beer', 'about', 'Ours');
  const lines = await exportAs(community.client, 'jsonl');
  const [texts, sources] = [await readTexts(community), await readSources(community)];
  const exported = (await readFile(path.join(lines, 'tags.jsonl'), 'utf8')).split('\n');
  const source = { site: 'beer.stackexchange.com', license: 'CC BY-SA 3.0' };
  const url = 'https://beer.stackexchange.com/tags/beer/info';
  expect(JSON.parse(exported.find((line) => line.includes('"beer"')) ?? '')).toMatchObject({
    descriptionSource: { ...source, id: '10', url },
    aboutSource: { ...source, id: '11', url, adapted: true },
  });
  const other = await createTestCommunity();
  await importJsonLines({ directory: lines, client: other.client });
  expect((await readTexts(other)).map(({ name, description }) => ({ name, description }))).toEqual(
    texts.map(({ name, description }) => ({ name, description })),
  );
  expect(await readSources(other)).toEqual(sources);
  await other.import(await writeArchive(newer));
  expect(await readTexts(other)).toMatchObject([
    { name: 'beer', description: 'All about beer.', about: 'Ours' },
    { name: 'c#', description: 'Sharper.', about: 'New.' },
    { name: 'hops' },
  ]);
  await writeFile(
    path.join(lines, 'tags.jsonl'),
    JSON.stringify({
      name: 'x',
      about: 'y',
      aboutSource: { ...source, id: '1', url: 'https://example.org/tags/x/info' },
    }),
  );
  await expect(importJsonLines({ directory: lines, client: other.client })).rejects.toThrow(
    'tags.jsonl, line 1: aboutSource.url: is not a page of beer.stackexchange.com',
  );
});
