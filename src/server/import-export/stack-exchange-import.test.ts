import { describe, expect, it } from 'vitest';
import {
  answerRow,
  commentRow,
  createTestCommunity,
  setupTestDatabase,
  questionRow,
  userRow,
  voteRow,
  writeArchive,
} from '#tests/support/stack-exchange-archive.ts';

setupTestDatabase();

const small = {
  Users: [
    userRow(1),
    userRow(2, { AboutMe: '<p>I <b>brew</b>.</p>' }),
    userRow(-1, { DisplayName: 'Community' }),
  ],
  Posts: [
    questionRow(1, { AcceptedAnswerId: 3, Tags: '<beer><hops>', ViewCount: 12, Score: 1 }),
    answerRow(2, 1, { OwnerUserId: 1 }),
    answerRow(3, 1, { Score: -1 }),
    questionRow(4, { OwnerUserId: 2, Tags: '<Hops>' }),
  ],
  Comments: [commentRow(1, 1, { Score: 4 }), commentRow(2, 3, { UserId: 1 })],
  Votes: [
    voteRow(1, 1, 2),
    voteRow(2, 1, 2),
    voteRow(3, 1, 3),
    voteRow(4, 3, 3),
    voteRow(5, 3, 1),
    voteRow(6, 1, 5, { UserId: 2 }),
    voteRow(7, 4, 5, { UserId: 1 }),
    voteRow(8, 99, 2),
    voteRow(9, 1, 16),
  ],
  Tags: [
    { Id: 1, TagName: 'beer', Count: 1 },
    { Id: 2, TagName: 'hops', Count: 2 },
    { Id: 3, TagName: 'malt', Count: 0 },
  ],
  Badges: [{ Id: 1, UserId: 1, Name: 'Student', Date: '2015-01-01T00:00:00' }],
  PostLinks: [1, 3, 9].map((LinkTypeId) => ({
    Id: LinkTypeId,
    CreationDate: '2015-01-01T00:00:00',
    PostId: 1,
    RelatedPostId: 4,
    LinkTypeId,
  })),
};

describe('an imported archive', () => {
  it('shows its questions with their authors, tags, votes, views, answers and the accepted one', async () => {
    const community = await createTestCommunity();
    await community.import(await writeArchive(small));
    expect(
      await community.rows(`
        select title, content, excerpt, m.display_name as author, upvotes, downvotes, views, answer_count,
          (select source_key from answer where id = accepted_answer_id) as accepted,
          (select array_agg(tag.name order by position) from question_tag
            join tag on tag.id = tag_id where question_id = q.id) as tags,
          (select count(*) from question_follow where question_id = q.id) as followers,
          q.source_license, q.source_key, q.created_at
        from question q join member m on m.id = q.author_id order by q.id`),
    ).toEqual([
      {
        title: 'Title of 1',
        content: 'Question 1',
        excerpt: 'Question 1',
        author: 'Member 1',
        upvotes: '2',
        downvotes: '1',
        views: '12',
        answer_count: '2',
        accepted: '3',
        followers: '1',
        tags: ['beer', 'hops'],
        source_key: '1',
        source_license: 'CC BY-SA 3.0',
        created_at: new Date('2015-01-01T10:00:00Z'),
      },
      {
        title: 'Title of 4',
        content: 'Question 4',
        excerpt: 'Question 4',
        author: 'Member 2',
        upvotes: '0',
        downvotes: '0',
        views: '7',
        answer_count: '0',
        accepted: null,
        followers: '1',
        tags: ['hops'],
        source_key: '4',
        source_license: 'CC BY-SA 3.0',
        created_at: new Date('2015-01-01T10:00:00Z'),
      },
    ]);
  });

  it('shows comments below their question or answer', async () => {
    const community = await createTestCommunity();
    await community.import(await writeArchive(small));
    expect(
      await community.rows(`
        select r.content, r.level, q.source_key as question, a.source_key as answer, r.upvotes, r.imported_upvotes
        from reply r join question q on q.id = r.question_id left join answer a on a.id = r.answer_id order by r.id`),
    ).toEqual([
      { content: 'Comment 1', level: 0, question: '1', answer: null, upvotes: '4', imported_upvotes: '4' },
      { content: 'Comment 2', level: 0, question: '1', answer: '3', upvotes: '0', imported_upvotes: '0' },
    ]);
  });

  it('adds members with reputation and bio, but without a way to sign in or an email address', async () => {
    const community = await createTestCommunity();
    await community.import(await writeArchive(small));
    const about =
      'select display_name, bio, reputation, questions_count, answers_count, email from member order by id';
    expect(await community.rows(about)).toEqual([
      {
        display_name: 'Community',
        bio: null,
        reputation: '99',
        questions_count: '0',
        answers_count: '0',
        email: null,
      },
      {
        display_name: 'Member 1',
        bio: null,
        reputation: '101',
        questions_count: '1',
        answers_count: '1',
        email: null,
      },
      {
        display_name: 'Member 2',
        bio: 'I **brew**.',
        reputation: '102',
        questions_count: '1',
        answers_count: '1',
        email: null,
      },
    ]);
    expect(await community.rows('select * from account')).toEqual([]);
    expect(await community.rows('select * from vote')).toEqual([]);
  });

  it('reports the outcome of every row of every file', async () => {
    const community = await createTestCommunity();
    const { files } = await community.import(await writeArchive(small));
    expect(files).toEqual([
      { file: 'Users.xml', read: 3, imported: 3, updated: 0, alreadyImported: 0, skipped: [], removed: 0 },
      { file: 'Posts.xml', read: 4, imported: 4, updated: 0, alreadyImported: 0, skipped: [], removed: 0 },
      { file: 'Comments.xml', read: 2, imported: 2, updated: 0, alreadyImported: 0, skipped: [], removed: 0 },
      {
        file: 'Votes.xml',
        read: 9,
        imported: 7,
        updated: 0,
        alreadyImported: 0,
        removed: 0,
        skipped: [
          { reason: 'approved edits (type 16)', rows: 1 },
          { reason: 'on posts that are not in the archive or were skipped', rows: 1 },
        ],
      },
      {
        file: 'Tags.xml',
        read: 3,
        imported: 2,
        updated: 0,
        alreadyImported: 0,
        removed: 0,
        skipped: [{ reason: 'on no question', rows: 1 }],
      },
      {
        file: 'Badges.xml',
        read: 1,
        imported: 1,
        updated: 0,
        alreadyImported: 0,
        removed: 0,
        skipped: [],
      },
      {
        file: 'PostLinks.xml',
        read: 3,
        imported: 1,
        updated: 0,
        alreadyImported: 0,
        removed: 0,
        skipped: [
          { reason: 'related questions, which Parley does not list', rows: 1 },
          { reason: 'links of an unknown type', rows: 1 },
        ],
      },
    ]);
  });

  it('changes nothing when it is imported again, and reports that', async () => {
    const community = await createTestCommunity();
    const directory = await writeArchive(small);
    expect((await community.import(directory)).isUnchanged).toBe(false);
    const before = await community.everything();
    const again = await community.import(directory);
    expect(again.isUnchanged).toBe(true);
    expect(again.files.map(({ file, imported }) => [file, imported])).toEqual(
      again.files.map(({ file }) => [file, 0]),
    );
    expect(await community.everything()).toEqual(before);
  });

  it('adds the new rows of a newer archive of the site, and keeps a title that the site did not change', async () => {
    const community = await createTestCommunity();
    await community.import(await writeArchive(small));
    await community.rows(`update question set title = 'Put right here' where source_key = '1'`);
    const { added } = await community.import(
      await writeArchive({
        ...small,
        Posts: [...small.Posts, answerRow(5, 4), questionRow(6, { Tags: '<hops><malt>' })],
        Comments: [...small.Comments, commentRow(3, 5)],
        Votes: [...small.Votes, voteRow(10, 5, 2), voteRow(11, 1, 2)],
      }),
    );
    expect(added).toMatchObject({ members: 0, questions: 1, answers: 1, replies: 1 });
    expect(
      await community.rows('select title, answer_count, upvotes from question order by source_key'),
    ).toEqual([
      { title: 'Put right here', answer_count: '2', upvotes: '3' },
      { title: 'Title of 4', answer_count: '1', upvotes: '0' },
      { title: 'Title of 6', answer_count: '0', upvotes: '0' },
    ]);
    expect(await community.rows('select name, questions_count from tag order by name')).toEqual([
      { name: 'beer', questions_count: '1' },
      { name: 'hops', questions_count: '3' },
      { name: 'malt', questions_count: '1' },
    ]);
  });

  it('keeps its posts apart from those of another site with the same numbers', async () => {
    const community = await createTestCommunity();
    const directory = await writeArchive(small);
    await community.import(directory);
    const Posts = small.Posts.map((post) => ({ ...post, CreationDate: '2016-01-01T10:00:00.000' }));
    const { added } = await community.import(await writeArchive({ ...small, Posts }), {
      site: 'wine.stackexchange.com',
    });
    expect(added).toMatchObject({ members: 3, questions: 2, answers: 2, replies: 2 });
    expect(await community.rows('select name, questions_count from tag order by name')).toEqual([
      { name: 'beer', questions_count: '2' },
      { name: 'hops', questions_count: '4' },
    ]);
  });

  it('is as active as its latest text in lists of questions and tags, and is found by its tags', async () => {
    const community = await createTestCommunity();
    await community.import(await writeArchive(small));
    const active = 'select source_key, active_at, tag_text from question order by source_key';
    expect(await community.rows(active)).toEqual([
      { source_key: '1', active_at: new Date('2015-01-03T10:00:00Z'), tag_text: 'beer, hops' },
      { source_key: '4', active_at: new Date('2015-01-01T10:00:00Z'), tag_text: 'hops' },
    ]);
    expect(await community.rows('select name, active_at from tag order by name')).toEqual([
      { name: 'beer', active_at: new Date('2015-01-02T10:00:00Z') },
      { name: 'hops', active_at: new Date('2015-01-02T10:00:00Z') },
    ]);
    const later = { CreationDate: '2016-01-01T00:00:00.000' };
    await community.import(await writeArchive({ ...small, Posts: [...small.Posts, answerRow(5, 4, later)] }));
    expect((await community.rows(active))[1]).toMatchObject({ active_at: new Date('2016-01-01T00:00:00Z') });
    expect(await community.rows('select name, active_at from tag order by name')).toEqual([
      { name: 'beer', active_at: new Date('2015-01-02T10:00:00Z') },
      { name: 'hops', active_at: new Date('2016-01-01T00:00:00Z') },
    ]);
  });

  it('publishes one event for each kind of list, and one for each existing question that has grown', async () => {
    const community = await createTestCommunity();
    await community.import(await writeArchive(small));
    const eventsQuery = `select topic, event ->> 'kind' as kind from event order by id`;
    const lists = ['feeds', 'answers', 'tags'].map((topic) => ({ topic, kind: 'imported' }));
    expect(await community.rows(eventsQuery)).toEqual(lists);
    await community.import(
      await writeArchive({
        ...small,
        Posts: [...small.Posts, answerRow(5, 4)],
        Comments: [...small.Comments, commentRow(3, 1)],
      }),
    );
    const [first, fourth] = await community.rows('select id from question order by source_key');
    expect((await community.rows(eventsQuery)).slice(3)).toEqual([
      ...lists,
      { topic: `question:${String(fourth?.['id'])}`, kind: 'answer-posted' },
      { topic: `question:${String(first?.['id'])}`, kind: 'reply-posted' },
    ]);
  });

  it('shares the tags of existing questions', async () => {
    const community = await createTestCommunity();
    await community.rows(`
      with ada as (insert into member (display_name) values ('Ada') returning id),
        hops as (insert into tag (name, key, questions_count) values ('HOPS', 'hops', 1) returning id),
        asked as (insert into question (author_id, title, content, excerpt, excerpt_cut)
          select id, 'Here', 'Here', 'Here', false from ada returning id, created_at)
      insert into question_tag (question_id, tag_id, position, question_created_at)
        select asked.id, hops.id, 0, asked.created_at from asked, hops`);
    await community.import(await writeArchive(small));
    expect(await community.rows('select name, questions_count from tag order by key')).toEqual([
      { name: 'beer', questions_count: '1' },
      { name: 'HOPS', questions_count: '3' },
    ]);
  });

  it('adds nothing in a dry run, and reports every row', async () => {
    const community = await createTestCommunity();
    const before = await community.everything();
    const { added, files } = await community.import(await writeArchive(small), { dryRun: true });
    expect(added.questions).toBe(2);
    expect(files[1]).toMatchObject({ read: 4, imported: 4 });
    expect(await community.everything()).toEqual(before);
  });
});
