import type { TestDatabase } from './database.ts';
import { withAdminClient } from './query-plans.ts';

/** The members, questions and tags with so many rows that a missing index shows. */
export type SkewedCommunity = {
  /** Has thousands of questions, answers, follows, bookmarks, mutes and notifications. */
  busyId: number;
  /** Mutes the maximum number of tags, including `hugeTag`. */
  mutingId: number;
  /** Follows tags with hardly any questions. */
  rareFollowerId: number;
  /** Asked by the busy member, with thousands of answers, votes, followers and comments. */
  hotQuestionId: number;
  /** An answer of the busy member to that question, with a thousand replies. */
  hotAnswerId: number;
  /** Half of all questions have this tag. */
  hugeTag: string;
};

/**
 * Creates a community in which a few members, questions and tags have thousands of rows each. All rows and counts are
 * consistent; the statistics are left to `rebuildStatistics`.
 * @param members ids of registered members
 */
export async function createSkewedCommunity(
  database: TestDatabase,
  { busyId, mutingId, rareFollowerId }: Pick<SkewedCommunity, 'busyId' | 'mutingId' | 'rareFollowerId'>,
): Promise<SkewedCommunity> {
  const hugeTag = 'huge';
  const community = { busyId, mutingId, rareFollowerId, hotQuestionId: 1, hotAnswerId: 1, hugeTag };
  await withAdminClient(database, async (client) => {
    // Triggers would do row by row what the statements below do in bulk.
    await client.query('set session_replication_role = replica');
    await client.query(`create temporary view who as select ${busyId}::bigint as busy, ${mutingId}::bigint as muting,
      ${rareFollowerId}::bigint as rare, (select max(id) from member where email not like 'crowd%') as others`);
    for (const statement of [...members, ...posts, ...engagementRows, ...counts, ...derivedRows])
      await client.query(statement);
    await client.query('analyze');
  });
  return community;
}

/** The n-th of the 5,000 ordinary members. */
const member = (n: string) => `(select others from who) + 1 + (${n}) % 5000`;

/** Scattered numbers, the same in each run. */
const scattered = (n: string, most: number) => `(${n}::bigint * 7919 + 104729) % ${most}`;

const members = [
  `insert into member (display_name, email, email_verified)
    select 'Member ' || n, 'crowd' || n || '@example.org', true from generate_series(1, 5000) n`,
  `insert into account (member_id, account_id, provider_id, password)
    select ${member('n')}, 'crowd' || n, 'credential', 'none' from generate_series(1, 5000) n`,
  `insert into session (member_id, token, expires_at, created_at)
    select case when n <= 300 then busy else ${member('n')} end, 'token of the crowd ' || n, now() + interval '1 day',
      now() - n * interval '1 minute'
    from who, generate_series(1, 8000) n`,
  `insert into verification (identifier, value, expires_at)
    select 'reset:' || n, 'none', now() + interval '1 day' from generate_series(1, 5000) n`,
  `insert into rate_limit (key, points, expire)
    select 'vote:' || n, 1, extract(epoch from now())::bigint * 1000 + 600000 from generate_series(1, 5000) n`,
];

const posts = [
  `insert into tag (name, key)
    select name, name from (select case n when 1 then 'huge' else 'topic ' || n end as name, n
      from generate_series(1, 12000) n order by n) named`,
  `create temporary table planned_answer as
    select n as id, case when n <= 2000 then 1 else 2 + ${scattered('n', 11999)} end as question_id,
      case when n % 10 = 1 then busy else ${member(scattered('n', 5000))} end as author_id,
      date_trunc('milliseconds', now()) - (24000 - n) * interval '10 minutes' as created_at
    from who, generate_series(1, 24000) n`,
  `create temporary table planned_tag as
    select n as question_id, row_number() over (partition by n order by place) - 1 as position,
      case place when 0 then 1 else 2 + ${scattered('n + place', 11999)} end as tag_id
    from generate_series(1, 12000) n, generate_series(0, 1) place where place = 1 or n % 2 = 1`,
  // Every fifth is the busy member's. Votes and views match the rows below.
  `insert into question (author_id, title, content, excerpt, excerpt_cut, upvotes, views, created_at,
      answer_count, active_at, tag_text)
    select case when n % 5 = 1 then busy else ${member(scattered('n', 5000))} end,
      'Question ' || n, 'What about ' || n || '?', 'What about it?', false,
      case n when 1 then 2000 else 1 + n % 3 end, case n when 1 then 3000 when n / 5 * 5 + 2 then 3 else 2 end, question_created_at,
      coalesce(answers, 0), greatest(question_created_at, answered_at), tags
    from who, generate_series(1, 12000) n
    cross join lateral (select date_trunc('milliseconds', now()) - n * interval '20 minutes' as question_created_at) asked
    left join (select question_id, count(*) as answers, max(created_at) as answered_at from planned_answer group by 1)
      answer on answer.question_id = n
    join (select question_id, string_agg(tag.name, ', ' order by position) as tags
      from planned_tag join tag on tag.id = tag_id group by 1) tagged on tagged.question_id = n
    order by n`,
  `insert into question_tag (question_id, tag_id, position, question_created_at)
    select question_id, tag_id, position, created_at from planned_tag join question on question.id = question_id`,
  `insert into answer (question_id, author_id, content, upvotes, created_at)
    select question_id, author_id, 'It is ' || id, case id when 1 then 2000 else 1 end, created_at
    from planned_answer order by id`,
  `insert into reply (question_id, answer_id, level, author_id, content, upvotes, created_at)
    select 1, case when n <= 1000 then 1 end, 0, ${member('n')}, 'Indeed.', 1,
      now() - (2000 - n) * interval '1 minute' from generate_series(1, 2000) n order by n`,
  `insert into reply (question_id, answer_id, level, author_id, content, upvotes, created_at)
    select question_id, answer.id, 0, case when answer.id % 10 = 3 then busy else ${member('answer.id')} end, 'Indeed.',
      1, created_at from who, answer where question_id > 1`,
  `update question set accepted_answer_id = (select min(id) from answer where question_id = question.id)
    where id between 2 and 500`,
];

const engagementRows = [
  `insert into vote (question_id, member_id, direction, created_at)
    select 1, ${member('n')}, 'up', now() - n * interval '1 hour' from generate_series(1, 2000) n`,
  `insert into vote (answer_id, member_id, direction, created_at)
    select 1, ${member('n')}, 'up', now() - n * interval '1 hour' from generate_series(1, 2000) n`,
  `insert into vote (question_id, member_id, direction, created_at)
    select id, ${member('id * 3 + n')}, 'up', now() - id * interval '20 minutes'
    from question, generate_series(1, 1 + id % 3) n where id > 1`,
  `insert into vote (answer_id, member_id, direction, created_at)
    select id, ${member('id + 7')}, 'up', created_at from answer where id > 1`,
  `insert into vote (reply_id, member_id, direction) select id, ${member('id + 7')}, 'up' from reply`,
  `insert into question_view (question_id, member_id)
    select 1, ${member('n')} from generate_series(1, 3000) n`,
  `insert into question_view (question_id, member_id)
    select id, ${member('id + n')} from question, generate_series(1, 2) n where id > 1`,
  `insert into question_view (question_id, member_id) select id, busy from who, question where id % 5 = 2`,
  `insert into question_follow (question_id, member_id, question_created_at)
    select 1, ${member('n')}, created_at from question, generate_series(1, 1000) n where id = 1`,
  `insert into question_follow (question_id, member_id, created_at, question_created_at)
    select id, busy, now() - id * interval '1 minute', created_at from who, question where id between 2 and 4000`,
  `insert into question_follow (question_id, member_id, question_created_at)
    select id, ${member('id')}, created_at from question where id > 4000`,
  `insert into tag_follow (tag_id, member_id) select 1, ${member('n')} from generate_series(1, 4000) n`,
  `insert into tag_follow (tag_id, member_id) select id, busy from who, tag where id <= 100`,
  `insert into tag_follow (tag_id, member_id) select id, rare from who, tag where id between 11900 and 11993`,
  `insert into tag_follow (tag_id, member_id) select id, ${member('id + n')} from tag, generate_series(1, 3) n where id > 1`,
  `insert into tag_mute (tag_id, member_id) select id, muting from who, tag where id = 1 or id between 3000 and 3098`,
  `insert into tag_mute (tag_id, member_id) select id, ${member('id + 2500')} from tag where id > 1`,
  `insert into question_mute (question_id, member_id, created_at)
    select id, busy, now() - id * interval '1 minute' from who, question where id > 9000`,
  `insert into question_mute (question_id, member_id) select id, ${member('id')} from question`,
  `insert into bookmark (member_id, question_id, note, created_at)
    select busy, id, 'Note ' || id, now() - id * interval '1 minute' from who, question where id <= 1500`,
  `insert into bookmark (member_id, question_id, answer_id)
    select ${member('id')}, question_id, id from answer where id > 16000`,
  `insert into bookmark_list (member_id, name, key)
    select busy, 'List ' || n, 'list ' || n from who, generate_series(1, 99) n`,
  `insert into bookmark_list (member_id, name, key) select ${member('n')}, 'Later', 'later' from generate_series(0, 4999) n`,
  `insert into bookmark_list_item (list_id, bookmark_id, member_id)
    select (select min(id) from bookmark_list), id, member_id from who, bookmark where member_id = busy and id % 2 = 1`,
  `insert into bookmark_list_item (list_id, bookmark_id, member_id)
    select list.id, bookmark.id, member_id from bookmark_list list join bookmark using (member_id) where list.name = 'Later'`,
  `insert into notification (recipient_id, sender_id, kind, question_id, answer_id, created_at, read_at, pending_email)
    select busy, answer.author_id, 'followed_answer', question_id, id, created_at,
      case when id % 4 = 0 then now() end, case when id % 4 = 1 then 'daily' end
    from who, answer where author_id <> busy and id <= 6000 order by id`,
  `insert into notification (recipient_id, sender_id, kind, question_id, answer_id, created_at)
    select ${member('id')}, busy, 'answer', question_id, id, created_at
    from who, answer where author_id = busy or id > 12000 order by id`,
  `insert into notification_preference (member_id, category, in_app, email, push)
    select ${member('n')}, about, true, 'daily', false
    from generate_series(0, 4999) n, unnest(array['answers', 'votes', 'replies']) about`,
  `insert into email_schedule (member_id, daily_at) select ${member('n')}, now() + interval '1 hour' from generate_series(0, 4999) n`,
  `insert into push_subscription (member_id, session_id, endpoint, p256dh, auth)
    select member_id, id, 'https://push.example.org/' || id, 'key', 'auth' from session where id % 2 = 0 and token like 'token of%'`,
  `insert into member_last_write (member_id, lsn) select ${member('n')}, '0/1' from generate_series(0, 4999) n`,
  `insert into idempotency_key (member_id, key, request_hash, post_id)
    select ${member('n')}, 'a key of the crowd ' || n, 'hash', 1 from generate_series(1, 8000) n`,
  `insert into revision (question_id, number, title, content, tags, created_at)
    select case when n <= 150 then 1 else n end, case when n <= 150 then n else 1 end, 'Before', 'Before.', '{}', now() from generate_series(1, 6000) n`,
  `insert into revision (answer_id, number, content, created_at) select n, 1, 'Before.', now() from generate_series(1, 6000) n`,
  `insert into revision (reply_id, number, content, created_at) select n, 1, 'Before.', now() from generate_series(1, 6000) n`,
  `insert into edit_suggestion (answer_id, post_author_id, member_id, summary, content, base_content)
    select n, author_id, ${member('n')}, 'Clearer', 'Better.', content
    from generate_series(1, 6000) n join answer on answer.id = n where author_id <> ${member('n')}`,
  `insert into edit_suggestion (answer_id, post_author_id, member_id, summary, content, base_content)
    select n, author_id, busy, 'Clearer', 'Better.', content
    from who, generate_series(1, 3000) n join answer on answer.id = n where author_id <> busy`,
  `insert into draft (member_id, target, idempotency_key, fields)
    select ${member('n')}, 'answer:' || n, 'key of a draft', '{"content": "So far."}' from generate_series(1, 6000) n`,
  `insert into draft (member_id, target, idempotency_key, fields)
    select busy, 'answer:' || n, 'key of a draft', '{"content": "So far."}' from who, generate_series(1, 90) n`,
  `insert into search_word (word) select 'word' || n from generate_series(1, 20000) n`,
  `insert into event (topic, event) select 'question:' || n, '{"kind": "imported"}' from generate_series(1, 8000) n`,
];

const counted = (table: string, column: string, rows: string) =>
  `update ${table} set ${column} = counted.rows from (${rows}) counted (id, rows) where ${table}.id = counted.id`;

const counts = [
  counted('member', 'questions_count', 'select author_id, count(*) from question group by 1'),
  counted('member', 'answers_count', 'select author_id, count(*) from answer group by 1'),
  `update member set reputation = counted.points from (
      select author_id, sum(points) as points from (
        select post.author_id, 5 * count(*) as points from vote join question post on post.id = question_id
          where post.author_id <> member_id group by 1
        union all select post.author_id, 10 * count(*) from vote join answer post on post.id = answer_id
          where post.author_id <> member_id group by 1
        union all select post.author_id, 2 * count(*) from vote join reply post on post.id = reply_id
          where post.author_id <> member_id group by 1
      ) earned group by 1
    ) counted where member.id = counted.author_id`,
  `update tag set questions_count = counted.questions, active_at = counted.at from (
      select tag_id, count(*) as questions, max(question.active_at) as at
      from question_tag join question on question.id = question_id group by 1
    ) counted where tag.id = counted.tag_id`,
];

/** The rows that are derived from others. */
const derivedRows = [
  counted('tag', 'followers_count', 'select tag_id, count(*) from tag_follow group by 1'),
  `insert into answer_score (answer_id, question_id, score, created_at)
    select id, question_id, upvotes - downvotes, created_at from answer`,
  `insert into question_sort_key (question_id, created_at, active_at, upvotes, answer_count)
    select id, created_at, active_at, upvotes, answer_count from question`,
  `insert into tag_question_sort_key (question_id, tag_id, active_at)
    select question_id, tag_id, active_at from question_sort_key join question_tag using (question_id)
    where active_at > now() - interval '8 days'`,
];
