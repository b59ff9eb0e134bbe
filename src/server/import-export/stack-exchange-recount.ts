import { sql } from 'kysely';
import type { ClientBase } from 'pg';
import { databaseFromClient } from '#server/core/database.ts';
import {
  appendStatistics,
  latestActivity,
  markStaleDays,
  writeAnswerScores,
  writeQuestionSortKeys,
  writeTagSortKeys,
} from '#server/posts/index.ts';

/**
 * Recounts members and tags that the import added to, and adds to the statistics.
 * @param otherTags SQL that selects other tags that the import changes: they are locked with these
 */
export async function recountImported(client: ClientBase, otherTags?: string): Promise<void> {
  const authorsOf = (table: 'question' | 'answer') => `
    select post.author_id from ${table} post join archive_${table} placed on placed.id = post.id where placed.is_new`;
  await lockRows(client, 'member', `${authorsOf('question')} union ${authorsOf('answer')}`);
  for (const [count, table] of [
    ['questions_count', 'question'],
    ['answers_count', 'answer'],
  ] as const) {
    await client.query(`
      update member set ${count} = counted.posts
      from (
        select author_id, count(*) as posts from ${table}
        where author_id in (${authorsOf(table)})
        group by author_id) counted
      where member.id = counted.author_id and member.${count} <> counted.posts`);
  }
  await recountTags(client, otherTags);
  const added = {
    question: sql`in (select id from archive_question where is_new)`,
    answer: sql`in (select id from archive_answer where is_new)`,
    reply: sql`in (select id from archive_new_reply)`,
  };
  const db = databaseFromClient(client);
  await appendStatistics(db, added, 1);
  const accepted = sql`select created_at from question where id in (select question_id from archive_accepted)`;
  await markStaleDays(accepted).execute(db);
}

/**
 * Recounts existing questions that changed or got answers or comments, and updates the times of their latest activity.
 * New questions were added with their counts.
 */
export async function recountOldQuestions(client: ClientBase): Promise<void> {
  await client.query(`
    create temporary table archive_touched on commit drop as
      select distinct location.question_id
      from archive_new_reply new_reply join archive_location location on location.key = new_reply.post_id
      union
      select question_id from archive_answer where is_new
      union
      select question_id from archive_changed where applied
      except
      select id from archive_question where is_new`);
  await recountQuestions(client, 'select question_id from archive_touched');
}

/** @param ids SQL that selects the questions */
export async function recountQuestions(client: ClientBase, ids: string): Promise<void> {
  await client.query(`
    with counted as (
      update question set
        answer_count = (select count(*) from answer where question_id = question.id),
        active_at = ${latestActivity}
      where id in (${ids})
      returning id, created_at, active_at, upvotes, answer_count),
    tag_sort_keys as (${writeTagSortKeys('counted')})
    ${writeQuestionSortKeys('counted')}`);
}

/** Sorts existing answers again whose score changed. */
export async function rescoreAnswers(client: ClientBase): Promise<void> {
  await client.query(`
    with scored as (
      select * from answer where id in (select id from archive_changed where kind = 'answer' and applied and score))
    ${writeAnswerScores('scored')}`);
}

/**
 * Locks rows in the order of their ids. A statement that locks and counts would not count what was committed while it
 * waited for a lock.
 * @param ids SQL that selects them
 */
async function lockRows(client: ClientBase, table: 'member' | 'tag', ids: string): Promise<void> {
  await client.query(`
    select count(*) from (select id from ${table} where id in (${ids}) order by id for no key update) locked`);
}

/** From here on, requests that use one of these tags wait for the lock. */
async function recountTags(client: ClientBase, otherTags = 'select null'): Promise<void> {
  const used = `
    select tag_id from question_tag
    where question_id in (select id from archive_tagged union select question_id from archive_answer where is_new)
    union select id from archive_left_tag
    union ${otherTags}`;
  await lockRows(client, 'tag', used);
  await client.query(`
    with used as (select id from tag where id in (${used}))
    update tag set questions_count = counted.questions, active_at = counted.latest
    from (
      select used.id, count(tagged.question_id) as questions,
        max(greatest(tagged.question_created_at, answers.latest)) as latest
      from used left join question_tag tagged on tagged.tag_id = used.id
      left join lateral (
        select max(created_at) as latest from answer where question_id = tagged.question_id) answers on true
      group by used.id) counted
    where tag.id = counted.id`);
}

/**
 * Publishes events for open pages and caches: one for each kind of list, and for each existing question with new posts
 * or rewritten links.
 */
export async function publishImportEvents(client: ClientBase): Promise<void> {
  await client.query(`
    insert into event (topic, event)
    select topic, '{"kind": "imported"}'::jsonb from unnest(array['feeds', 'answers', 'tags']) as list (topic)
    union all
    select distinct 'question:' || question_id, '{"kind": "edited"}'::jsonb
    from (
      select question_id from archive_relinked
      union all select question_id from archive_remark where applied
      union all select question_id from archive_reclosed
      union all select question_id from archive_reversioned
      union all select question_id from archive_noted
      union all select question_id from archive_changed
        where applied and (title or tags or content or score or author)) edited
    join archive_question question on question.id = question_id and not question.is_new
    union all
    select 'profile:' || id, '{"kind": "profile-changed"}'::jsonb from archive_changed_user
    where name or bio or location or website
    union all
    select 'moderation', '{"kind": "moderation-changed"}'::jsonb where exists (select from archive_gone where reason is null)
    union all
    select 'question:' || question_id, jsonb_build_object('kind', 'accepted', 'acceptedAnswerId', answer_id, 'imported', true)
    from archive_accepted
    union all
    select 'question:' || question_id,
      jsonb_build_object('kind', 'answer-posted', 'answerId', answer.id, 'authorId', coalesce(answer.author_id, 0), 'imported', true)
    from archive_touched join answer using (question_id)
    where answer.id in (select id from archive_answer where is_new)
    union all
    select 'question:' || question_id, jsonb_build_object('kind', 'reply-posted', 'replyId', reply.id,
      'answerId', reply.answer_id, 'parentReplyId', reply.parent_reply_id, 'authorId', coalesce(reply.author_id, 0),
      'imported', true)
    from archive_touched join reply using (question_id)
    where reply.id in (select id from archive_new_reply)`);
  await client.query(`select pg_notify('parley_event', '')`);
}
