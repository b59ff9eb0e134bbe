import { expect, it } from 'vitest';
import { writeJsonLines } from '#tests/support/json-lines.ts';
import {
  expectCountsToEqualRows,
  exportTo,
  importByHand,
  importFrom,
} from '#tests/support/jsonl-community.ts';
import {
  answerRow,
  type ArchiveContent,
  createTestCommunity,
  questionRow,
  setupTestDatabase,
  type TestCommunity,
  userRow,
  writeArchive,
} from '#tests/support/stack-exchange-archive.ts';
import { undoImport } from './import-undo.ts';

setupTestDatabase();

it('gives new posts and badges of a claimed profile to the member, and none to one who deleted the account', async () => {
  const community = await createTestCommunity();
  const own = { questions: [{ id: 1, title: 'Here', content: 'C' }] };
  await importFrom(community, await writeJsonLines(own), { site: 'old.example.org' });
  const first = {
    members: [
      { id: 1, name: 'Ann of the forum' },
      { id: 2, name: 'Ben of the forum' },
    ],
    questions: [{ id: 1, title: 'First', content: 'C' }],
  };
  await importByHand(community, await writeJsonLines(first));
  // As after two claims, and the deletion of an account.
  await community.rows(`
    insert into member (display_name, email) values ('Ann', 'ann@example.org'), ('Ben', 'ben@example.org');
    insert into account_merge (member_id, into_id, posts, votes, finished_at)
      select profile.id, member.id, 0, 0, now() from member profile join member on profile.display_name = member.display_name || ' of the forum';
    update member set deleted_at = now() where display_name like '%of the forum';
    update member set deleted_at = now(), email = null where display_name = 'Ben'`);
  const badge = { class: 'gold', firstAt: '2020-01-01' };
  const newer = {
    ...first,
    questions: [
      ...first.questions,
      { id: 2, title: 'Of Ann', content: 'C', authorId: 1 },
      { id: 3, title: 'Of Ben', content: 'C', authorId: 2 },
    ],
    badges: [
      { memberId: 1, name: 'Of Ann', ...badge },
      { memberId: 2, name: 'Of Ben', ...badge },
    ],
  };
  const { files } = await importByHand(community, await writeJsonLines(newer));
  expect(
    await community.rows(`
      select title, display_name, imported_author_name from question left join member on member.id = author_id
      where title like 'Of%' order by title`),
  ).toEqual([
    { title: 'Of Ann', display_name: 'Ann', imported_author_name: null },
    { title: 'Of Ben', display_name: null, imported_author_name: 'Former member' },
  ]);
  expect(
    await community.rows(
      'select display_name, name from imported_badge join member on member.id = member_id',
    ),
  ).toEqual([{ display_name: 'Ann', name: 'Of Ann' }]);
  expect(files.find(({ file }) => file === 'members.jsonl')).toMatchObject({
    alreadyImported: 1,
    skipped: [{ reason: 'deleted here', rows: 1 }],
  });
  await expectCountsToEqualRows(community);
});

const archive = {
  Users: [userRow(1), userRow(2)],
  Posts: [questionRow(1, { OwnerUserId: 2 }), answerRow(2, 1)],
} satisfies ArchiveContent;
const forum = { members: [{ id: 7, name: 'Member 7', url: 'https://forum.example.org/u/7' }] };

/** Ann has claimed a profile of the archive and one of the forum. */
async function createWithClaims(): Promise<TestCommunity> {
  const community = await createTestCommunity();
  await community.import(await writeArchive(archive));
  await importByHand(community, await writeJsonLines({ ...forum, questions: [] }));
  await community.rows(`
    insert into member (display_name, email) values ('Ann', 'ann@example.org');
    insert into account_merge (member_id, into_id, posts, votes, finished_at)
      select profile.id, member.id, 0, 0, now() from member profile, member
      where profile.display_name in ('Member 1', 'Member 7') and member.display_name = 'Ann';
    update member set display_name = 'Former member', reputation = 0, imported_reputation = 0, deleted_at = now()
      where display_name in ('Member 1', 'Member 7')`);
  return community;
}

it('keeps claims in a move with private data, so that newer archives and files give new posts to the member', async () => {
  const directory = await exportTo(await createWithClaims(), true);

  const other = await createTestCommunity();
  expect(await importFrom(other, directory)).toMatchObject({ isMove: true });
  const members = () =>
    other.rows(
      'select display_name, deleted_at is null as living from member order by display_name, source_key',
    );
  const before = await members();
  expect(before).toEqual([
    { display_name: 'Ann', living: true },
    { display_name: 'Former member', living: false },
    { display_name: 'Former member', living: false },
    { display_name: 'Member 2', living: true },
  ]);
  await other.import(
    await writeArchive({
      ...archive,
      Posts: [...archive.Posts, questionRow(3, { Title: 'Of the archive' })],
    }),
  );
  await importByHand(
    other,
    await writeJsonLines({
      ...forum,
      questions: [{ id: 1, title: 'Of the forum', content: 'C', authorId: 7 }],
    }),
  );
  expect(
    await other.rows(`
      select title, display_name from question join member on member.id = author_id
      where title like 'Of%' order by title`),
  ).toEqual([
    { title: 'Of the archive', display_name: 'Ann' },
    { title: 'Of the forum', display_name: 'Ann' },
  ]);
  expect(await members()).toEqual(before);
  await expectCountsToEqualRows(other);
});

it('adds to the reputation of a member what a claimed profile gets between two archives after a move', async () => {
  const directory = await exportTo(await createWithClaims(), true);
  const community = await createTestCommunity();
  await importFrom(community, directory);
  const importWith = async (reputation: number) => {
    await community.import(
      await writeArchive({ ...archive, Users: [userRow(1, { Reputation: reputation }), userRow(2)] }),
    );
    const [ann] = await community.rows(
      `select reputation::int as points from member where display_name = 'Ann'`,
    );
    return ann?.['points'];
  };
  const before = await importWith(201);
  expect(await importWith(201)).toBe(before);
  expect(await importWith(501)).toBe(Number(before) + 300);
  expect(await importWith(601)).toBe(Number(before) + 400);
});

it('removes members with claims and followed topics when their move is undone', async () => {
  const from = await createWithClaims();
  await from.rows(`
    insert into tag (name, key) values ('beer', 'beer') on conflict do nothing;
    insert into tag_follow (tag_id, member_id)
      select tag.id, member.id from tag, member where key = 'beer' and display_name = 'Ann'`);
  const directory = await exportTo(from, true);
  const community = await createTestCommunity();
  await community.rows(`insert into tag (name, key) values ('beer', 'beer')`);
  await importFrom(community, directory);
  const counts = () =>
    community.rows(`
      select (select count(*) from member)::int as members, (select count(*) from account_merge)::int as merges,
        (select followers_count from tag where key = 'beer')::int as followers`);
  expect(await counts()).toEqual([{ members: 4, merges: 2, followers: 1 }]);
  const [run] = await community.rows('select id from import_run');
  await undoImport(community.client, Number(run?.['id']));
  expect(await counts()).toEqual([{ members: 0, merges: 0, followers: 0 }]);
});
