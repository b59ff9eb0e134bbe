import { describe, expect, it } from 'vitest';
import {
  answerRow,
  commentRow,
  createTestCommunity,
  setupTestDatabase,
  questionRow,
  userRow,
  versionRow,
  voteRow,
  writeArchive,
} from '#tests/support/stack-exchange-archive.ts';

setupTestDatabase();

describe('odd rows of archives', () => {
  it('skips posts of other kinds and the rows that belong to them', async () => {
    const community = await createTestCommunity();
    const { files } = await community.import(
      await writeArchive({
        Posts: [
          questionRow(1),
          { ...questionRow(2), PostTypeId: 7 },
          { ...questionRow(3), PostTypeId: 77 },
          answerRow(4, 99),
        ],
        Comments: [commentRow(1, 1), commentRow(2, 2), commentRow(3, 4)],
        PostHistory: [versionRow(1, 2, 'A wiki')],
      }),
    );
    expect(files.map(({ file, imported, skipped }) => [file, imported, skipped])).toEqual([
      ['PostHistory.xml', 0, [{ reason: 'of posts that are not in the archive or were skipped', rows: 1 }]],
      [
        'Posts.xml',
        1,
        [
          { reason: 'wiki placeholders (type 7)', rows: 1 },
          { reason: 'posts of an unknown type (type 77)', rows: 1 },
          { reason: 'answers to questions that are not in the archive', rows: 1 },
        ],
      ],
      ['Comments.xml', 1, [{ reason: 'on posts that are not in the archive or were skipped', rows: 2 }]],
    ]);
  });

  it('skips rows that were written in the future, and edits in the future', async () => {
    const community = await createTestCommunity();
    const future = '9999-01-01T00:00:00.000';
    const { files } = await community.import(
      await writeArchive({
        Posts: [questionRow(1, { LastEditDate: future }), questionRow(2, { CreationDate: future })],
      }),
    );
    expect(await community.rows('select source_key as key, edited_at from question')).toEqual([
      { key: '1', edited_at: null },
    ]);
    expect(files[0]?.skipped).toEqual([{ reason: 'incomplete or unreadable', rows: 1 }]);
  });

  it('names authors without an account by their name, those without an entry by their number, and others as anonymous', async () => {
    const community = await createTestCommunity();
    const { OwnerUserId: _, ...row } = questionRow(3);
    await community.import(
      await writeArchive({
        Users: [userRow(1)],
        Posts: [
          questionRow(1),
          { ...row, Id: 2, OwnerDisplayName: 'Left  \u0007long ago' },
          row,
          questionRow(4, { OwnerUserId: 7 }),
        ],
      }),
    );
    expect(
      await community.rows(`
        select q.source_key, display_name, m.source_key as profile, imported_author_name
        from question q left join member m on m.id = author_id order by q.id`),
    ).toEqual([
      { source_key: '1', display_name: 'Member 1', profile: '1', imported_author_name: null },
      { source_key: '2', display_name: null, profile: null, imported_author_name: 'Left long ago' },
      { source_key: '3', display_name: null, profile: null, imported_author_name: 'Anonymous' },
      { source_key: '4', display_name: 'user7', profile: '7', imported_author_name: null },
    ]);
  });

  it('names members by a fuller archive that were known by number only', async () => {
    const community = await createTestCommunity();
    await community.import(await writeArchive({ Posts: [questionRow(1)] }));
    expect(await community.rows('select display_name, reputation from member')).toEqual([
      { display_name: 'user1', reputation: '0' },
    ]);
    await community.import(await writeArchive({ Posts: [questionRow(1)], Users: [userRow(1)] }));
    expect(await community.rows('select display_name, reputation from member')).toEqual([
      { display_name: 'Member 1', reputation: '101' },
    ]);
  });

  it('shortens, completes or numbers names that repeat, are empty or very long', async () => {
    const community = await createTestCommunity();
    await community.import(
      await writeArchive({
        Posts: [questionRow(1)],
        Users: [
          userRow(1, { DisplayName: 'Same' }),
          userRow(2, { DisplayName: 'Same' }),
          userRow(3, { DisplayName: ' ' }),
          userRow(4, { DisplayName: '🍺'.repeat(90) }),
        ],
      }),
    );
    const names = await community.rows('select display_name from member order by id');
    expect(names.map((row) => row['display_name'])).toEqual(['Same', 'Same', 'user3', '🍺'.repeat(80)]);
  });

  it('reads tags in both notations, and counts a sixth, duplicate or overlong one as skipped', async () => {
    const community = await createTestCommunity();
    const { remarks } = await community.import(
      await writeArchive({
        Posts: [
          questionRow(1, { Tags: '|c++|.net|C++|' }),
          questionRow(2, { Tags: `<a><b><c><d><e><f>` }),
          questionRow(3, { Tags: `<${'x'.repeat(36)}><ok>` }),
          questionRow(4, { Tags: '' }),
        ],
      }),
    );
    const tags = await community.rows(`
      select q.source_key, array_agg(tag.name order by position) as names
      from question q join question_tag on question_id = q.id join tag on tag.id = tag_id group by q.id, q.source_key order by q.id`);
    expect(tags.map((row) => row['names'])).toEqual([['c++', '.net'], ['a', 'b', 'c', 'd', 'e'], ['ok']]);
    expect(remarks).toContain('2 tags were skipped: more than 5 on a question, or longer than 35 characters');
  });

  it('shows the score if there is no file of votes', async () => {
    const community = await createTestCommunity();
    await community.import(
      await writeArchive({ Posts: [questionRow(1, { Score: 5 }), answerRow(2, 1, { Score: -3 })] }),
    );
    expect(await community.rows('select upvotes, downvotes, imported_upvotes from question')).toEqual([
      { upvotes: '5', downvotes: '0', imported_upvotes: '5' },
    ]);
    expect(await community.rows('select upvotes, downvotes from answer')).toEqual([
      { upvotes: '0', downvotes: '3' },
    ]);
  });

  it('reports missing files and the consequences', async () => {
    const community = await createTestCommunity();
    const text: string[] = [];
    await community.import(await writeArchive({ posts: [questionRow(1)] }), {
      log: (message) => text.push(message),
    });
    expect(text).toEqual([
      'There is no Users.xml: authors are shown by the name or number that their posts have.',
      'There is no PostHistory.xml: texts are converted from HTML.',
      'There is no Comments.xml: there are no comments.',
      'There is no Votes.xml: votes are shown as one score.',
      'Adding the rows…',
    ]);
  });

  it('counts rows that cannot be read or appear twice as skipped', async () => {
    const community = await createTestCommunity();
    const { files } = await community.import(
      await writeArchive({
        Posts: [
          questionRow(1),
          questionRow(1, { Title: 'Again' }),
          { Id: 'x', PostTypeId: 1 },
          questionRow(2, { CreationDate: 'soon' }),
          questionRow(3, { CreationDate: '0000-01-01T00:00:00.000' }),
        ],
        Votes: [
          voteRow(1, 1, 2),
          voteRow(1, 1, 2),
          voteRow(2, 1, 5),
          voteRow(3, 1, 5, { UserId: 1 }),
          voteRow(4, 1, 5, { UserId: 1 }),
        ],
      }),
    );
    expect(files).toEqual([
      {
        file: 'Posts.xml',
        read: 5,
        imported: 1,
        updated: 0,
        alreadyImported: 0,
        removed: 0,
        skipped: [
          { reason: 'incomplete or unreadable', rows: 3 },
          { reason: 'repeated', rows: 1 },
        ],
      },
      {
        file: 'Votes.xml',
        read: 5,
        imported: 2,
        updated: 0,
        alreadyImported: 0,
        removed: 0,
        skipped: [
          { reason: 'repeated', rows: 1 },
          { reason: 'favourites of the same member and question', rows: 1 },
          { reason: 'favourites without a member', rows: 1 },
        ],
      },
    ]);
    expect(await community.rows('select title, upvotes from question')).toEqual([
      { title: 'Title of 1', upvotes: '1' },
    ]);
  });

  it('shows the title for a question without text, and skips an answer without text', async () => {
    const community = await createTestCommunity();
    const { files } = await community.import(
      await writeArchive({ Posts: [questionRow(1, { Body: '<p></p>' }), answerRow(2, 1, { Body: '' })] }),
    );
    expect(await community.rows('select content from question')).toEqual([{ content: 'Title of 1' }]);
    expect(files[0]?.skipped).toEqual([{ reason: 'answers without text', rows: 1 }]);
  });

  it('shows the licence of each post, by its own or by its date', async () => {
    const community = await createTestCommunity();
    await community.import(
      await writeArchive({
        Posts: [
          questionRow(1, { CreationDate: '2011-04-07T23:59:59.000' }),
          questionRow(2, { CreationDate: '2018-05-01T23:59:59.000' }),
          questionRow(3, { CreationDate: '2018-05-02T00:00:00.000' }),
          questionRow(4, { ContentLicense: 'CC0' }),
        ],
      }),
    );
    const licenses = await community.rows('select source_license from question order by source_key');
    expect(licenses.map((row) => row['source_license'])).toEqual([
      'CC BY-SA 2.5',
      'CC BY-SA 3.0',
      'CC BY-SA 4.0',
      'CC0',
    ]);
  });
});
