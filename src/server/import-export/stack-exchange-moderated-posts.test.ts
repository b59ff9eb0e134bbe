import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { sql } from 'kysely';
import { deleteAnswer } from '#server/posts/answers.ts';
import { actOnPost, startModeration } from '#tests/support/moderation.ts';
import { deleteQuestion } from '#server/posts/questions.ts';
import { deleteReply } from '#server/posts/replies.ts';
import { findViolations } from '#server/operations/integrity-check.ts';
import { importStackExchange, type ImportSummary } from './stack-exchange-import.ts';
import { formatImportReport } from './stack-exchange-report.ts';
import {
  answerRow,
  commentRow,
  questionRow,
  userRow,
  versionRow,
  voteRow,
  writeArchive,
  type ArchiveContent,
} from '#tests/support/stack-exchange-archive.ts';

const { server, moderator, community } = await startModeration();

const archive = {
  Users: [userRow(1), userRow(2)],
  Posts: [
    questionRow(1, { AcceptedAnswerId: 3, Tags: '<beer><malt>' }),
    answerRow(2, 1),
    answerRow(3, 1),
    questionRow(4, { Tags: '<hops>' }),
    answerRow(5, 4, { OwnerUserId: 1 }),
  ],
  Comments: [commentRow(1, 1), commentRow(2, 2), commentRow(3, 3), commentRow(4, 4), commentRow(5, 5)],
  Votes: [voteRow(1, 1, 2), voteRow(2, 4, 5, { UserId: 2 }), voteRow(3, 3, 1), voteRow(4, 5, 3)],
  PostHistory: [versionRow(1, 4, 'Question 4')],
  Tags: ['beer', 'malt', 'hops'].map((TagName, index) => ({ Id: index + 1, TagName })),
} satisfies ArchiveContent;

async function importInto(files: ArchiveContent): Promise<ImportSummary> {
  const client = new pg.Client(server.database.connection);
  await client.connect();
  onTestFinished(() => client.end());
  return importStackExchange({
    directory: await writeArchive(files),
    client,
    site: 'beer.stackexchange.com',
  });
}

async function forgetImports(): Promise<void> {
  await sql`
    delete from base_question; delete from hidden_post; delete from tag; delete from imported_row;
    delete from import_run;
    delete from member_statistics_change; delete from member_daily_statistics; delete from member_statistics;
    delete from tag_statistics_change;
    delete from member where source_id is not null; delete from import_source;`.execute(server.db);
}

/** Imports the archive into the community and returns the ids of its rows by their numbers in the archive. */
async function imported(files: ArchiveContent = archive) {
  await forgetImports();
  await importInto(files);
  const idsOf = async (table: 'question' | 'answer' | 'reply' | 'member') => {
    const { rows } = await sql<{ key: string; id: number; author: number | null }>`
      select source_key as key, id, ${table === 'member' ? sql`id` : sql`author_id`} as author
      from ${sql.table(table)} where source_key is not null`.execute(server.db);
    return (key: number) => {
      const row = rows.find((each) => each.key === String(key));
      if (row === undefined) throw new Error(`the import has no ${table} ${key}`);
      return { id: row.id, viewer: { id: row.author ?? 0 } };
    };
  };
  return {
    question: await idsOf('question'),
    answer: await idsOf('answer'),
    reply: await idsOf('reply'),
    member: await idsOf('member'),
  };
}

function account(summary: ImportSummary, file: string) {
  const entry = summary.files.find((each) => each.file === file);
  if (entry === undefined) throw new Error(`the summary has no ${file}`);
  const { imported, alreadyImported, skipped } = entry;
  return {
    imported,
    alreadyImported,
    skipped: Object.fromEntries(skipped.map(({ reason, rows }) => [reason, rows])),
  };
}

/** Imports the archive again, and checks that nothing changes. */
async function importAgain(files: ArchiveContent = archive): Promise<ImportSummary> {
  const before = await community();
  const summary = await importInto(files);
  expect(await community()).toEqual(before);
  expect(summary).toMatchObject({
    isUnchanged: true,
    added: { questions: 0, answers: 0, replies: 0, members: 0 },
  });
  return summary;
}

for (const action of ['hide', 'delete'] as const) {
  test(`does not change a question that a moderator chose to ${action}, and reports its rows`, async () => {
    const ids = await imported();
    const before = await community();
    const { id } = ids.question(4);
    expect(await actOnPost(moderator, action, 'question', id)).toMatchObject({ status: 204 });
    const summary = await importAgain();
    const skippedReason = 'hidden or deleted here';
    expect(account(summary, 'Posts.xml')).toEqual({
      imported: 0,
      alreadyImported: 3,
      skipped: { [skippedReason]: 2 },
    });
    expect(account(summary, 'Comments.xml')).toEqual({
      imported: 0,
      alreadyImported: 3,
      skipped: { [skippedReason]: 2 },
    });
    const onGone = 'on posts that were hidden or deleted here';
    expect(account(summary, 'Votes.xml')).toEqual({
      imported: 0,
      alreadyImported: 2,
      skipped: { [onGone]: 2 },
    });
    const ofGone = 'of posts that were hidden or deleted here';
    expect(account(summary, 'PostHistory.xml')).toEqual({
      imported: 0,
      alreadyImported: 0,
      skipped: { [ofGone]: 1 },
    });
    expect(account(summary, 'Tags.xml')).toEqual({
      imported: 0,
      alreadyImported: 2,
      skipped: { 'on no visible question': 1 },
    });
    expect(formatImportReport(summary)).toContain('  2 skipped: hidden or deleted here');

    expect(await actOnPost(moderator, 'restore', 'question', id)).toMatchObject({ status: 204 });
    expect(await community()).toEqual(before);
    expect(await moderator.get(`/questions/${id}`)).toMatchObject({ status: 200 });
    expect(account(await importAgain(), 'Posts.xml')).toEqual({
      imported: 0,
      alreadyImported: 5,
      skipped: {},
    });
    expect(await findViolations(server.db)).toEqual([]);
  });
}

test('does not change a hidden answer or a hidden comment of visible questions', async () => {
  const ids = await imported();
  const before = await community();
  expect(await actOnPost(moderator, 'hide', 'answer', ids.answer(3).id)).toMatchObject({ status: 204 });
  expect(await actOnPost(moderator, 'hide', 'reply', ids.reply(4).id)).toMatchObject({ status: 204 });
  const summary = await importAgain();
  const skippedReason = 'hidden or deleted here';
  expect(account(summary, 'Posts.xml')).toEqual({
    imported: 0,
    alreadyImported: 4,
    skipped: { [skippedReason]: 1 },
  });
  expect(account(summary, 'Comments.xml')).toEqual({
    imported: 0,
    alreadyImported: 3,
    skipped: { [skippedReason]: 2 },
  });
  expect(await actOnPost(moderator, 'restore', 'answer', ids.answer(3).id)).toMatchObject({ status: 204 });
  expect(await actOnPost(moderator, 'restore', 'reply', ids.reply(4).id)).toMatchObject({ status: 204 });
  expect(await community()).toEqual(before);
});

test('does not change posts that members deleted', async () => {
  const ids = await imported();
  await deleteQuestion(server.db, ids.question(4));
  await deleteAnswer(server.db, ids.answer(2));
  await deleteReply(server.db, ids.reply(3));
  await moderator.replyToAnswer(ids.answer(3).id, { content: 'It is so.' });
  const summary = await importAgain();
  expect(account(summary, 'Posts.xml').skipped).toEqual({ 'hidden or deleted here': 3 });
  expect(account(summary, 'Comments.xml').skipped).toEqual({ 'hidden or deleted here': 4 });
});

test('keeps the placeholder of a deleted reply that has replies', async () => {
  const ids = await imported();
  const reply = ids.reply(3);
  const answerId = ids.answer(3).id;
  const below = { content: 'Is it so?', parentReplyId: reply.id };
  expect(await moderator.post(`/answers/${answerId}/replies`, below)).toMatchObject({ status: 201 });
  await deleteReply(server.db, reply);
  expect(account(await importAgain(), 'Comments.xml')).toEqual({
    imported: 0,
    alreadyImported: 4,
    skipped: { 'hidden or deleted here': 1 },
  });
});

test('does not restore a deleted account or its posts', async () => {
  const ids = await imported({ ...archive, Users: [...archive.Users, userRow(3)] });
  await sql`delete from member where id = ${ids.member(3).id}`.execute(server.db);
  const summary = await importAgain({ ...archive, Users: [...archive.Users, userRow(3)] });
  expect(account(summary, 'Users.xml')).toEqual({
    imported: 0,
    alreadyImported: 2,
    skipped: { 'deleted here': 1 },
  });
});

test('adds nothing of a newer archive to a hidden question, and all of it after the question is restored', async () => {
  const ids = await imported();
  const { id } = ids.question(4);
  await actOnPost(moderator, 'hide', 'question', id);
  const newer = {
    ...archive,
    Posts: [...archive.Posts, answerRow(6, 4)],
    Comments: [...archive.Comments, commentRow(6, 4), commentRow(7, 6)],
  };
  const summary = await importAgain(newer);
  expect(account(summary, 'Posts.xml').skipped).toEqual({
    'hidden or deleted here': 2,
    'answers to questions that were hidden or deleted here': 1,
  });
  expect(account(summary, 'Comments.xml').skipped).toEqual({
    'hidden or deleted here': 2,
    'on posts that were hidden or deleted here': 2,
  });
  await actOnPost(moderator, 'restore', 'question', id);
  expect((await importInto(newer)).added).toMatchObject({ questions: 0, answers: 1, replies: 2 });
  expect(await moderator.get(`/questions/${id}`)).toMatchObject({ body: { question: { answerCount: 2 } } });
  expect(await findViolations(server.db)).toEqual([]);
});

test('does not restore a tag that was removed from a question', async () => {
  const ids = await imported();
  await sql`delete from question_tag where question_id = ${ids.question(1).id} and position = 1`.execute(
    server.db,
  );
  await sql`update tag set questions_count = 0 where key = 'malt'`.execute(server.db);
  const summary = await importAgain();
  expect(account(summary, 'Tags.xml')).toMatchObject({
    alreadyImported: 2,
    skipped: { 'on no visible question': 1 },
  });
});

test('gives questions with a synonym its tag, once per question', async () => {
  await forgetImports();
  await moderator.ask({ tags: ['ale'] });
  expect((await moderator.put('/moderation/tags/ale/synonyms/beer')).status).toBe(200);
  const files = { ...archive, Posts: [...archive.Posts, questionRow(6, { Tags: '<beer><hops><ale>' })] };
  await importInto(files);
  const { rows } = await sql<{ key: string; text: string; tags: string[]; positions: number[] }>`
    select source_key as key, tag_text as text, array_agg(tag.name order by position) as tags,
      array_agg(position order by position) as positions
    from question join question_tag on question_id = question.id join tag on tag.id = tag_id
    where source_key in ('1', '6') group by 1, 2 order by 1`.execute(server.db);
  expect(rows).toEqual([
    { key: '1', text: 'ale, malt', tags: ['ale', 'malt'], positions: [0, 1] },
    { key: '6', text: 'ale, hops', tags: ['ale', 'hops'], positions: [0, 1] },
  ]);
  expect(account(await importInto(files), 'Tags.xml')).toMatchObject({ alreadyImported: 3 });
  expect(await findViolations(server.db)).toEqual([]);
});

test('adds nothing of a newer archive to a locked question', async () => {
  const ids = await imported();
  const { id } = ids.question(4);
  await actOnPost(moderator, 'lock', 'question', id);
  const summary = await importAgain({
    ...archive,
    Posts: [
      ...archive.Posts.slice(0, 3),
      questionRow(4, { Tags: '<hops>', AcceptedAnswerId: 5 }),
      ...archive.Posts.slice(4),
      answerRow(6, 4),
    ],
    Comments: [...archive.Comments, commentRow(6, 4)],
  });
  expect(account(summary, 'Posts.xml').skipped).toEqual({ 'answers to questions that are locked here': 1 });
  expect(account(summary, 'Comments.xml').skipped).toEqual({ 'on questions that are locked here': 1 });
});

test('imports no second copy of a hidden post, even if the table of imported rows is incomplete', async () => {
  const ids = await imported();
  const { id } = ids.question(4);
  await actOnPost(moderator, 'hide', 'question', id);
  await sql`delete from imported_row where kind = 'question' and source_key = '4'`.execute(server.db);
  await expect(importInto(archive)).rejects.toThrow('question_source_id_source_key_key');
  expect(await actOnPost(moderator, 'restore', 'question', id)).toMatchObject({ status: 204 });
});
