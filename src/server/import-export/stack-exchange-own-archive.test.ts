import { expect, it } from 'vitest';
import {
  answerRow,
  commentRow,
  createTestCommunity,
  questionRow,
  userRow,
  voteRow,
  writeArchive,
  setupTestDatabase,
} from '#tests/support/stack-exchange-archive.ts';

setupTestDatabase();

const demo = {
  Users: [userRow(1), userRow(2)],
  Posts: [questionRow(1, { Body: '<p><a href="/topics">here</a></p>' }), answerRow(2, 1)],
  Comments: [commentRow(1, 2)],
  Votes: [voteRow(1, 1, 2), voteRow(2, 1, 5, { UserId: 2 })],
};
const newest = new Date('2026-05-01T12:00:00.000Z');

it("shows a community's own archive as if written here, with its newest post at the requested time", async () => {
  const community = await createTestCommunity();
  await community.import(await writeArchive(demo), { ownArchive: { name: 'demo', newest } });
  expect(
    await community.rows(
      'select content, upvotes, source_id, source_key, source_license, created_at from question',
    ),
  ).toEqual([
    {
      content: '[here](/topics)',
      upvotes: '1',
      source_id: null,
      source_key: null,
      source_license: null,
      created_at: new Date('2026-04-29T12:00:00.000Z'),
    },
  ]);
  expect(await community.rows('select created_at, source_id from reply')).toEqual([
    { created_at: newest, source_id: null },
  ]);
  expect(await community.rows('select source_id, source_key, email from member')).toEqual([
    { source_id: null, source_key: null, email: null },
    { source_id: null, source_key: null, email: null },
  ]);
});

it('gives a member of it a way to sign in', async () => {
  const community = await createTestCommunity();
  await community.import(await writeArchive(demo), {
    ownArchive: {
      name: 'demo',
      newest,
      onImported: async (client, memberId) => {
        await client.query(`update member set email = 'demo@example.org' where id = $1`, [await memberId(1)]);
      },
    },
  });
  expect(await community.rows('select display_name from member where email is not null')).toEqual([
    { display_name: 'Member 1' },
  ]);
});

it('stores nothing if the member to sign in as is missing', async () => {
  const community = await createTestCommunity();
  const importing = community.import(await writeArchive(demo), {
    ownArchive: { name: 'demo', newest, onImported: async (_client, memberId) => void (await memberId(9)) },
  });
  await expect(importing).rejects.toThrow('The archive has no user 9.');
  expect(await community.rows('select * from question')).toEqual([]);
});

it('imports it once, also if its posts were deleted since', async () => {
  const community = await createTestCommunity();
  const directory = await writeArchive(demo);
  await community.import(directory, { ownArchive: { name: 'demo', newest } });
  await community.rows('delete from question');
  const again = await community.import(directory, { ownArchive: { name: 'demo', newest } });
  expect(again).toMatchObject({ isUnchanged: true, added: { questions: 0 } });
  expect(await community.rows('select * from question')).toEqual([]);
});
