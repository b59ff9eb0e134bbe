import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { exportAs } from '#tests/support/export-and-convert.ts';
import {
  type ArchiveContent,
  createTestCommunity,
  questionRow,
  setupTestDatabase,
  type TestCommunity,
  userRow,
  writeArchive,
} from '#tests/support/stack-exchange-archive.ts';
import { previewUndo, undoImport } from './import-undo.ts';
import { importJsonLines } from './jsonl-import.ts';

setupTestDatabase();

const badge = (id: number, user: number, name: string, more: Record<string, string | number> = {}) => ({
  Id: id,
  UserId: user,
  Name: name,
  Date: `2015-03-0${(id % 9) + 1}T10:00:00.000`,
  Class: 3,
  TagBased: 'False',
  ...more,
});

const first = {
  Users: [userRow(1), userRow(2), userRow(3)],
  Posts: [questionRow(1)],
  Badges: [
    badge(1, 1, 'Popular Question'),
    badge(2, 1, 'Popular Question'),
    badge(3, 1, 'Great Question', { Class: 1 }),
    badge(4, 1, 'beer', { Class: 2, TagBased: 'True' }),
    badge(5, 2, 'Student'),
    badge(6, 3, 'Old badge', { Class: '' }),
    badge(7, 99, 'Student'),
    badge(7, 99, 'Student'),
    badge(8, 1, ''),
  ],
} satisfies ArchiveContent;

const readBadges = (community: TestCommunity) =>
  community.rows(`
    select badge.source_key as key, member.source_key as owner, name, class, is_tag_based as tag, awards,
      first_at::date::text as first, last_at::date::text as last
    from imported_badge badge join (select id, source_key from member) member on member.id = member_id
    order by badge.source_key, name`);
const reportOf = (files: readonly { file: string }[]) => files.find(({ file }) => file === 'Badges.xml');

test('an import adds each badge of a profile once, with how often and when it was awarded', async () => {
  const community = await createTestCommunity();
  const { added, files } = await community.import(await writeArchive(first));
  expect(added.badges).toBe(5);
  expect(await readBadges(community)).toMatchObject([
    { key: '1', name: 'Great Question', class: 'gold', tag: false, awards: 1 },
    {
      key: '1',
      name: 'Popular Question',
      class: 'bronze',
      awards: 2,
      first: '2015-03-02',
      last: '2015-03-03',
    },
    { key: '1', name: 'beer', class: 'silver', tag: true, awards: 1 },
    { key: '2', name: 'Student', class: 'bronze', awards: 1 },
    { key: '3', name: 'Old badge', class: null, awards: 1 },
  ]);
  expect(reportOf(files)).toMatchObject({
    read: 9,
    imported: 6,
    skipped: expect.arrayContaining([
      { reason: 'of members who are not in the archive', rows: 1 },
      { reason: 'repeated', rows: 1 },
      { reason: 'incomplete or unreadable', rows: 1 },
    ]),
  });
  const again = await community.import(await writeArchive(first));
  expect(again.isUnchanged).toBe(true);
  expect(reportOf(again.files)).toMatchObject({ imported: 0, alreadyImported: 6 });
});

const newer = {
  ...first,
  Badges: [
    badge(1, 1, 'Popular Question'),
    badge(2, 1, 'Popular Question'),
    badge(11, 1, 'Popular Question', { Date: '2016-01-01T00:00:00.000' }),
    badge(4, 1, 'beer', { Class: 2, TagBased: 'True' }),
    badge(12, 2, 'Teacher'),
    badge(6, 3, 'Old badge', { Class: '' }),
  ],
};

test('a newer archive brings badges up to date, and adding only what is new changes none', async () => {
  const community = await createTestCommunity();
  await community.import(await writeArchive(first));
  const only = await community.import(await writeArchive(newer), { addOnly: true });
  expect(only.added.badges).toBe(1);
  expect(reportOf(only.files)).toMatchObject({
    imported: 1,
    alreadyImported: 4,
    skipped: [{ reason: 'newer badges: not taken over', rows: 1 }],
  });
  const { changes, files } = await community.import(await writeArchive(newer));
  expect(changes.counts).toEqual({ badges: 3 });
  expect(reportOf(files)).toMatchObject({ imported: 1, alreadyImported: 5, removed: 2 });
  expect(await readBadges(community)).toMatchObject([
    { key: '1', name: 'Popular Question', awards: 3, last: '2016-01-01' },
    { key: '1', name: 'beer' },
    { key: '2', name: 'Teacher' },
    { key: '3', name: 'Old badge' },
  ]);
  // An archive without the file says nothing about badges.
  const { Badges: _, ...without } = newer;
  expect((await community.import(await writeArchive(without))).isUnchanged).toBe(true);
  expect(await readBadges(community)).toHaveLength(4);
});

test('the member who claimed a profile gets its newer badges, and one who deleted the account none', async () => {
  const community = await createTestCommunity();
  await community.import(await writeArchive(first));
  // As after a merge, and after the deletion of an account.
  await community.rows(`
    with ada as (insert into member (display_name, email, source_key) values ('Ada', 'ada@example.org', null) returning id),
    merged as (
      insert into account_merge (member_id, into_id, posts, votes, finished_at)
      select member.id, ada.id, 0, 0, now() from ada, member where source_key = '1')
    update imported_badge set member_id = ada.id from ada where source_key = '1'`);
  await community.rows(`
    update member set deleted_at = now() where source_key in ('1', '2');
    delete from imported_badge where source_key = '2'`);
  const { files } = await community.import(await writeArchive(newer));
  expect(await readBadges(community)).toMatchObject([
    { key: '1', owner: null, name: 'Popular Question', awards: 3 },
    { key: '1', owner: null, name: 'beer' },
    { key: '3', owner: '3' },
  ]);
  expect(reportOf(files)).toMatchObject({
    skipped: [{ reason: 'of members who deleted their account here', rows: 1 }],
  });
});

test('the undoing of an import removes the badges that it added', async () => {
  const community = await createTestCommunity();
  await community.import(await writeArchive(first));
  await community.import(await writeArchive(newer));
  const [latest, earlier] = await community.rows('select id from import_run order by id desc');
  expect((await previewUndo(community.client, Number(latest?.['id']))).added.badges).toBe(1);
  await undoImport(community.client, Number(latest?.['id']));
  expect(await readBadges(community)).toMatchObject([
    { name: 'Popular Question' },
    { name: 'beer' },
    { name: 'Old badge' },
  ]);
  await undoImport(community.client, Number(earlier?.['id']));
  expect(await readBadges(community)).toEqual([]);
  expect(await community.rows('select from import_source')).toEqual([]);
});

test('exports have badges, and reading them back gives the same', async () => {
  const community = await createTestCommunity();
  await community.import(await writeArchive(first));
  const before = (await readBadges(community)).map((each) => ({ ...each, owner: null }));
  const lines = await exportAs(community.client, 'jsonl');
  const archive = await exportAs(community.client, 'stackexchange');
  expect(await readFile(path.join(archive, 'Badges.xml'), 'utf8')).toMatch(
    /Name="Great Question" Date="2015-03-04T10:00:00.000" Class="1" TagBased="False"/u,
  );
  const other = await createTestCommunity();
  const moved = await importJsonLines({ directory: lines, client: other.client });
  expect(moved.added.badges).toBe(5);
  expect((await readBadges(other)).map((each) => ({ ...each, owner: null }))).toEqual(before);
  expect(
    await other.rows(
      'select distinct site from imported_badge join import_source on import_source.id = source_id',
    ),
  ).toEqual([{ site: 'beer.stackexchange.com' }]);
  // The archive of the old site still recognises them.
  await other.import(await writeArchive(newer));
  expect(await readBadges(other)).toHaveLength(4);
  expect((await importJsonLines({ directory: lines, client: other.client })).files).toMatchObject(
    expect.arrayContaining([expect.objectContaining({ file: 'badges.jsonl', read: 5 })]),
  );
  const third = await createTestCommunity();
  await third.import(archive, { site: 'ask.example.org' });
  expect((await readBadges(third)).map((each) => ({ ...each, key: null, owner: null }))).toEqual(
    before.map((each) => ({ ...each, key: null })),
  );
});

test('a badge of another forum belongs to the site of the files', async () => {
  const community = await createTestCommunity();
  await community.import(await writeArchive({ Posts: [questionRow(1)] }));
  const parent = await writeArchive({});
  const write = (file: string, rows: object[]) =>
    writeFile(path.join(parent, file), rows.map((row) => JSON.stringify(row)).join('\n'));
  await write('questions.jsonl', [{ id: 1, title: 'How?', content: 'So.', authorId: 7 }]);
  await write('members.jsonl', [{ id: 7, name: 'Eve' }]);
  await write('badges.jsonl', [{ memberId: 7, name: 'Regular', class: 'silver', firstAt: '2020-01-01' }]);
  const options = {
    directory: parent,
    client: community.client,
    site: 'forum.example.org',
    license: 'CC BY 4.0',
  };
  expect((await importJsonLines(options)).added.badges).toBe(1);
  expect(
    await community.rows(`
      select site, name, class, awards, display_name from imported_badge
      join import_source on import_source.id = imported_badge.source_id join member on member.id = member_id`),
  ).toEqual([
    { site: 'forum.example.org', name: 'Regular', class: 'silver', awards: 1, display_name: 'Eve' },
  ]);
  await write('badges.jsonl', [
    { memberId: 7, name: 'Regular', firstAt: '2020-01-02', lastAt: '2020-01-01' },
  ]);
  await expect(importJsonLines(options)).rejects.toThrow('badges.jsonl, line 1: lastAt is before firstAt.');
});
