import { expect, it } from 'vitest';
import { exportTo, importFrom } from '#tests/support/jsonl-community.ts';
import { readMovedTables } from '#tests/support/moved-tables.ts';
import {
  answerRow,
  commentRow,
  createTestCommunity,
  questionRow,
  setupTestDatabase,
  tagTextRow,
  userRow,
  versionRow,
  voteRow,
  writeArchive,
} from '#tests/support/stack-exchange-archive.ts';

setupTestDatabase();

it('imports an archive whose texts are longer than those of its site, so that its export can be read back', async () => {
  const community = await createTestCommunity();
  const { DisplayName: _, ...nameless } = userRow(2);
  const many = '🍺'.repeat(5000);
  await community.import(
    await writeArchive({
      Users: [userRow(1, { DisplayName: many, Location: many }), nameless],
      Badges: [
        { Id: 1, UserId: 1, Name: many, Date: '2015-01-01T00:00:00.000', Class: 1, TagBased: 'False' },
      ],
      Tags: [{ Id: 1, TagName: 'beer', ExcerptPostId: 10, WikiPostId: 11 }],
      Posts: [
        questionRow(1, { Title: 'T'.repeat(5000), ContentLicense: 'L'.repeat(300) }),
        answerRow(2, 1, { ContentLicense: '' }),
        questionRow(3, { Title: many, ContentLicense: many }),
        tagTextRow(10, 4, many, { ContentLicense: 'L'.repeat(300) }),
        tagTextRow(11, 5, `<p>${many}</p>`, { ContentLicense: ' ' }),
      ],
      PostHistory: [
        versionRow(1, 1, '', { PostHistoryTypeId: 1, RevisionGUID: 'a' }),
        versionRow(2, 1, 'First', { RevisionGUID: 'a' }),
        versionRow(3, 1, 'Question 1', { PostHistoryTypeId: 5, RevisionGUID: 'b', Comment: many }),
      ],
      Comments: [commentRow(1, 2, { ContentLicense: 'L'.repeat(300), UserDisplayName: many, UserId: '' })],
      Votes: Array.from({ length: 120 }, (__, index) => voteRow(index, 1, 8, { BountyAmount: 50 + index })),
    }),
  );
  expect(
    await community.rows(
      'select char_length(title) as title, char_length(source_license) as license from question order by id',
    ),
  ).toEqual([
    { title: 1000, license: 200 },
    { title: 1000, license: 200 },
  ]);
  expect(await community.rows('select source_license from answer')).toEqual([
    { source_license: 'CC BY-SA 3.0' },
  ]);
  const before = await readMovedTables(community);
  const directory = await exportTo(community, true);
  const other = await createTestCommunity();
  expect(await importFrom(other, directory)).toMatchObject({ isMove: true });
  expect(await readMovedTables(other)).toEqual(before);
});
