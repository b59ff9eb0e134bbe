import type { ClientBase } from 'pg';

/** Counts again, from the rows, whatever the import added to, and tells how new the latest in it is. */
export async function recountImported(client: ClientBase): Promise<void> {
  await recountOldQuestions(client);
  for (const [count, table] of [
    ['questions_count', 'question'],
    ['answers_count', 'answer'],
  ] as const) {
    await client.query(`
      update member set ${count} = counted.posts
      from (
        select author_id, count(*) as posts from ${table}
        where author_id in (
          select post.author_id from ${table} post join archive_${table} placed on placed.id = post.id
          where placed.fresh)
        group by author_id) counted
      where member.id = counted.author_id and member.${count} <> counted.posts`);
  }
  await recountTags(client);
}

/** Questions that were here and got answers or comments; those added just now were added with their counts. */
async function recountOldQuestions(client: ClientBase): Promise<void> {
  await client.query(`
    create temporary table archive_touched on commit drop as
      select distinct place.question_id
      from archive_fresh_reply fresh join archive_place place on place.key = fresh.post_id
      union
      select question_id from archive_answer where fresh
      except
      select id from archive_question where fresh`);
  await client.query(`
    update question set
      answer_count = (select count(*) from answer where question_id = question.id),
      active_at = greatest(active_at,
        (select max(created_at) from answer where question_id = question.id),
        (select max(created_at) from reply where question_id = question.id))
    where id in (select question_id from archive_touched)`);
}

/** Members who ask with one of these tags wait from here on; by id, so that two of us never wait for each other. */
async function recountTags(client: ClientBase): Promise<void> {
  await client.query(`
    with used as (
      select id from tag where id in (
        select tag_id from question_tag
        where question_id in (
          select id from archive_question where fresh union select question_id from archive_answer where fresh))
      order by id for no key update)
    update tag set questions_count = counted.questions, active_at = counted.latest
    from (
      select tagged.tag_id, count(*) as questions, max(greatest(tagged.question_created_at, answers.latest)) as latest
      from question_tag tagged
      left join lateral (
        select max(created_at) as latest from answer where question_id = tagged.question_id) answers on true
      where tagged.tag_id in (select id from used)
      group by tagged.tag_id) counted
    where tag.id = counted.tag_id`);
}

/**
 * Appends to the stream of events what open pages and caches need to know: one event for each kind of list, and what is new
 * on the pages of questions that were here.
 */
export async function publishImportEvents(client: ClientBase): Promise<void> {
  await client.query(`
    insert into event (topic, event)
    select topic, '{"kind": "imported"}'::jsonb from unnest(array['feeds', 'answers', 'topics']) as list (topic)
    union all
    select 'question:' || question_id, jsonb_build_object('kind', 'accepted', 'acceptedAnswerId', answer_id)
    from archive_accepted
    union all
    select 'question:' || question_id,
      jsonb_build_object('kind', 'answer-posted', 'answerId', answer.id, 'authorId', coalesce(answer.author_id, 0))
    from archive_touched join answer using (question_id)
    where answer.id in (select id from archive_answer where fresh)
    union all
    select 'question:' || question_id, jsonb_build_object('kind', 'reply-posted', 'replyId', reply.id,
      'answerId', reply.answer_id, 'parentReplyId', reply.parent_reply_id, 'authorId', coalesce(reply.author_id, 0))
    from archive_touched join reply using (question_id)
    where reply.id in (select id from archive_fresh_reply)`);
  await client.query(`select pg_notify('parley_event', '')`);
}
