import { expect, it } from 'vitest';
import { writeJsonLines } from '#tests/support/json-lines.ts';
import { expectCountsToEqualRows, importByHand, importFrom } from '#tests/support/jsonl-community.ts';
import { createTestCommunity, setupTestDatabase } from '#tests/support/stack-exchange-archive.ts';

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
