import { describe, expect, it } from 'vitest';
import { eventually } from '#tests/support/eventually.ts';
import type { ImportSummary } from './stack-exchange-import.ts';
import { formatImportReport } from './stack-exchange-report.ts';
import {
  answerRow,
  commentRow,
  createTestCommunity,
  setupTestDatabase,
  type TestCommunity,
  questionRow,
  userRow,
  versionRow,
  voteRow,
  writeArchive,
} from '#tests/support/stack-exchange-archive.ts';

setupTestDatabase();

const later = '2016-01-01T00:00:00.000';

const first = {
  Users: [userRow(1), userRow(2)],
  Posts: [
    questionRow(1, { AcceptedAnswerId: 2 }),
    answerRow(2, 1),
    answerRow(3, 1),
    questionRow(4),
    answerRow(5, 4),
  ],
  Comments: [commentRow(1, 1)],
  Votes: [voteRow(1, 1, 2), voteRow(2, 2, 1), voteRow(3, 1, 5, { UserId: 2 })],
  PostHistory: [
    versionRow(1, 1, 'First.'),
    versionRow(2, 1, 'Question 1', { PostHistoryTypeId: 5, CreationDate: '2015-01-01T11:00:00.000' }),
    // Renaming a tag for all questions does not count as an edit of the question.
    versionRow(9, 4, '<beer>', { PostHistoryTypeId: 6, CreationDate: '2015-06-01T00:00:00.000' }),
  ],
};
first.Posts[0] = questionRow(1, { AcceptedAnswerId: 2, LastEditDate: '2015-01-01T11:00:00.000' });

/** Returns the outcomes per file: rows imported, rows imported before, and rows skipped by reason. */
function accounts({ files }: ImportSummary) {
  return Object.fromEntries(
    files.map(({ file, imported, alreadyImported, skipped }) => [
      file,
      [imported, alreadyImported, Object.fromEntries(skipped.map(({ reason, rows }) => [reason, rows]))],
    ]),
  );
}

describe('the report of an import of existing posts', () => {
  it('says that the same archive exists, version by version', async () => {
    const community = await createTestCommunity();
    const directory = await writeArchive(first);
    await community.import(directory);
    const again = await community.import(directory);
    expect(accounts(again)).toEqual({
      'Users.xml': [0, 2, {}],
      'PostHistory.xml': [0, 3, {}],
      'Posts.xml': [0, 5, {}],
      'Comments.xml': [0, 1, {}],
      'Votes.xml': [0, 3, {}],
    });
    expect(formatImportReport(again).at(-1)).toBe(
      'Nothing to add: all of this archive of beer.stackexchange.com was imported before. Nothing was changed.',
    );
  });

  it('counts newer votes, edits, scores and profiles as not taken over with addOnly', async () => {
    const community = await createTestCommunity();
    await community.import(await writeArchive(first));
    const before = await community.everything();
    const newer = await community.import(
      await writeArchive({
        ...first,
        Users: [userRow(1), userRow(2, { Reputation: 500 })],
        Posts: [
          questionRow(1, {
            AcceptedAnswerId: 3,
            LastEditDate: later,
            ViewCount: 70,
            Body: '<p>Question one</p>',
          }),
          ...first.Posts.slice(1),
        ],
        Comments: [commentRow(1, 1, { Score: 2 })],
        Votes: [
          ...first.Votes.filter((row) => row['Id'] !== 2),
          voteRow(4, 1, 2),
          voteRow(5, 1, 3),
          voteRow(6, 3, 1),
        ],
        PostHistory: [
          ...first.PostHistory,
          versionRow(3, 1, 'Question one', { PostHistoryTypeId: 5, CreationDate: later }),
          versionRow(4, 1, 'A new title', { PostHistoryTypeId: 4, CreationDate: later }),
          versionRow(5, 1, 'Title of 1', { PostHistoryTypeId: 4, CreationDate: '2015-01-01T10:30:00.000' }),
        ],
      }),
      { addOnly: true },
    );
    expect(await community.everything()).toEqual(before);
    expect(newer.isUnchanged).toBe(true);
    expect(accounts(newer)).toEqual({
      'Users.xml': [0, 1, { 'profiles that changed since: not taken over': 1 }],
      'PostHistory.xml': [0, 4, { 'newer edits: not taken over': 2 }],
      'Posts.xml': [0, 4, { 'posts that changed since: not taken over': 1 }],
      'Comments.xml': [0, 0, { 'comments that changed since: not taken over': 1 }],
      'Votes.xml': [0, 2, { 'newer votes: not taken over': 2, 'newer acceptances: not taken over': 1 }],
    });
    expect(newer.remarks).toEqual([]);
    expect(formatImportReport(newer).at(-1)).toBe(
      'Nothing to add: this archive of beer.stackexchange.com has no new posts. ' +
        'What changed on the site since is not taken over. Nothing was changed.',
    );
  });

  it('counts a newly accepted answer, publishes an event for open pages, and does not say that nothing changed', async () => {
    const community = await createTestCommunity();
    await community.import(await writeArchive(first));
    await community.rows('delete from event');
    const newer = await community.import(
      await writeArchive({
        ...first,
        Posts: [...first.Posts.slice(0, 3), questionRow(4, { AcceptedAnswerId: 5 }), answerRow(5, 4)],
        Votes: [...first.Votes, voteRow(4, 5, 1)],
      }),
    );
    expect(newer).toMatchObject({ isUnchanged: false, added: { accepted: 1, answers: 0 } });
    expect(accounts(newer)['Votes.xml']).toEqual([1, 3, {}]);
    const [fourth] = await community.rows(
      `select question.id, accepted_answer_id as accepted from question where source_key = '4'`,
    );
    expect(await community.rows(`select topic, event from event where topic like 'question:%'`)).toEqual([
      {
        topic: `question:${String(fourth?.['id'])}`,
        event: { kind: 'accepted', acceptedAnswerId: Number(fourth?.['accepted']), imported: true },
      },
    ]);
    expect(await community.rows(`select from event where event ->> 'kind' = 'imported'`)).not.toEqual([]);
  });

  it('counts members that get their name, and does not say that nothing changed', async () => {
    const community = await createTestCommunity();
    const { Users: _, ...nameless } = first;
    await community.import(await writeArchive(nameless));
    const named = await community.import(await writeArchive(first));
    expect(named).toMatchObject({ isUnchanged: false, added: { renamedMembers: 2, members: 0 } });
    expect(accounts(named)['Users.xml']).toEqual([2, 0, {}]);
  });

  it('takes over closings, and distinguishes them from other events', async () => {
    const community = await createTestCommunity();
    const summary = await community.import(
      await writeArchive({
        Posts: [questionRow(1, { ClosedDate: later }), questionRow(2)],
        PostHistory: [10, 11, 12, 15, 50].map((kind) => versionRow(kind, 1, '', { PostHistoryTypeId: kind })),
      }),
    );
    expect(accounts(summary)['PostHistory.xml']).toEqual([
      1,
      0,
      { reopenings: 1, 'deletions and undeletions': 1, 'locks that ended': 1, 'other events': 1 },
    ]);
    expect(await community.rows('select reason from question_closing')).toEqual([{ reason: 'other' }]);
  });
});

describe('a newer archive', () => {
  it('does not restore follows that members with an account removed', async () => {
    const community = await createTestCommunity();
    const favourite = (id: number, post: number, user: number) => voteRow(id, post, 5, { UserId: user });
    const archive = {
      Users: [userRow(1), userRow(2)],
      Posts: [questionRow(1)],
      Votes: [favourite(1, 1, 1), favourite(2, 1, 2)],
    };
    await community.import(await writeArchive(archive));
    // The second one has claimed the profile.
    await community.rows(`
      with account as (insert into member (display_name, email) values ('Ann', 'ann@example.org') returning id)
      insert into account_merge (member_id, into_id, moderator_id, posts, votes)
      select member.id, account.id, account.id, 0, 0 from member, account where source_key = '2'`);
    await community.rows('delete from question_follow');
    const newer = {
      ...archive,
      Posts: [questionRow(1), questionRow(4)],
      Votes: [...archive.Votes, favourite(3, 4, 2)],
    };
    for (const addOnly of [true, false]) await community.import(await writeArchive(newer), { addOnly });
    expect(
      await community.rows(`
        select question.source_key as question, display_name from question_follow
        join question on question.id = question_id join member on member.id = member_id order by 1`),
    ).toEqual([
      { question: '1', display_name: 'Member 1' },
      { question: '4', display_name: 'Ann' },
    ]);
  });

  const users = Array.from({ length: 150 }, (_, index) => userRow(index + 1));
  const Posts = [questionRow(1)];
  const countNames = async ({ rows }: TestCommunity) =>
    rows(`select count(*)::int as named from member where display_name like 'Member %'`);

  it('is refused if it lacks many members, unless that is allowed', async () => {
    const community = await createTestCommunity();
    await community.import(await writeArchive({ Users: users, Posts }));
    const directory = await writeArchive({ Users: [userRow(1)], Posts });
    await expect(community.import(directory)).rejects.toThrow(
      '149 of 150 imported members are missing in this archive, so it looks incomplete.',
    );
    expect(await countNames(community)).toEqual([{ named: 150 }]);
    await community.import(directory, { allowRemovals: true });
    expect(await countNames(community)).toEqual([{ named: 1 }]);
  });

  it('without users empties no profiles', async () => {
    const community = await createTestCommunity();
    await community.import(await writeArchive({ Users: users, Posts }));
    await community.import(await writeArchive({ Users: [], Posts }));
    expect(await countNames(community)).toEqual([{ named: 150 }]);
  });
});

it('counts a question that is asked with a tag while the import waits for the lock of the tag', async () => {
  const community = await createTestCommunity();
  await community.import(await writeArchive(first));
  const asking = await community.connect();
  await asking.query('begin');
  await asking.query(`select from tag where name = 'beer' for no key update`);
  const Posts = [...first.Posts, questionRow(6)];
  const importing = community.import(await writeArchive({ ...first, Posts }));
  await eventually(async () => {
    const waiting = await community.rows(`
      select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`);
    return waiting.length > 0;
  });
  await asking.query(`
    with asked as (
      insert into question (imported_author_name, title, content, excerpt, excerpt_cut, tag_text)
      values ('Ann', 'Which beer?', 'Any.', 'Any.', false, 'beer') returning id, created_at
    )
    insert into question_tag (question_id, question_created_at, tag_id, position)
    select asked.id, asked.created_at, tag.id, 0 from asked, tag where tag.name = 'beer'`);
  await asking.query(`update tag set questions_count = questions_count + 1 where name = 'beer'`);
  await asking.query('commit');
  await importing;
  expect(
    await community.rows(`
      select questions_count::int, (select count(*) from question_tag where tag_id = tag.id)::int as questions
      from tag where name = 'beer'`),
  ).toEqual([{ questions_count: 4, questions: 4 }]);
});
