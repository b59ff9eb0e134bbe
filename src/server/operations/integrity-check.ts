import { type RawBuilder, sql } from 'kysely';
import type { Queryable } from '#server/core/database.ts';
import {
  countPoints,
  countPosts,
  countReceived,
  countTagWeeks,
  groupByDay,
  statisticsFrom,
  storedMemberDays,
  storedReceived,
  storedTagWeeks,
} from '#server/discovery/index.ts';
import { queueKindsInSql } from '#server/notifications/index.ts';
import { selectPoints } from '#server/posts/index.ts';

/** A stored value that differs from the rows it is computed from. */
export type IntegrityViolation = {
  /** The violated rule, such as 'question.upvotes'. */
  rule: string;
  /** The id of the row. */
  id: number;
  stored: string;
  expected: string;
};

/**
 * Recounts every count from its rows in one snapshot (ARCHITECTURE.md, invariant 2). Reads whole tables. Returns the
 * violations.
 */
export function findViolations(db: Queryable): Promise<IntegrityViolation[]> {
  return queryViolations(db, { within: sql`true`, limit: 20 });
}

/**
 * Checks the rows with ids from `from` to below `to` in one snapshot: a chunk of a large community. With index joins
 * (`indexScanSettings`), its cost does not grow with the community.
 * @param limit rows of one rule at most
 */
export function findViolationsBetween(
  db: Queryable,
  { from, to, limit }: { from: number; to: number; limit: number },
): Promise<IntegrityViolation[]> {
  return queryViolations(db, { within: sql`id >= ${from}::bigint and id < ${to}::bigint`, limit });
}

/** Settings of the connection that checks chunks: hash joins would read whole tables for each chunk. */
export const indexScanSettings =
  '-c enable_seqscan=off -c enable_hashjoin=off -c enable_mergejoin=off -c jit=off';

/** Returns the largest id of all rows that a rule checks. */
export async function getLargestId(db: Queryable): Promise<number> {
  const largest = ['base_question', 'base_answer', 'base_reply', 'member', 'tag', 'base_notification'].map(
    (table) => sql`(select max(id) from ${sql.table(table)})`,
  );
  const { rows } = await sql<{ id: number | null }>`select greatest(${sql.join(largest)}) as id`.execute(db);
  return rows[0]?.id ?? 0;
}

/** Selects the rows of a rule with these ids, with stored and expected values. */
export const selectViolations = (rule: string, ids: readonly number[]) => sql`
  select id, stored::text, expected::text from (${rules[rule] ?? sql`select 0, 0, 0`}) row (id, stored, expected)
  where id = any(${ids}::bigint[]) and stored is distinct from expected`;

async function queryViolations(
  db: Queryable,
  { within, limit }: { within: RawBuilder<unknown>; limit: number },
): Promise<IntegrityViolation[]> {
  const checks = Object.entries(rules).map(
    ([rule, rows]) => sql`
      (select ${rule}::text as rule, id, stored::text, expected::text
      from (${rows}) row (id, stored, expected)
      where ${within} and stored is distinct from expected order by id limit ${limit})`,
  );
  const { rows } = await sql<IntegrityViolation>`${sql.join(checks, sql` union all `)}`.execute(db);
  return rows;
}

/** Of hidden posts as well: their counts are right when they are restored. */
const votesOn = (kind: 'question' | 'answer' | 'reply', direction: 'up' | 'down') => {
  const [table, stored, imported] = [`base_${kind}`, `${direction}votes`, `imported_${direction}votes`];
  return sql`
    select post.id, post.${sql.ref(stored)}, post.${sql.ref(imported)} + count(vote.member_id)
    from ${sql.table(table)} post
    left join vote on vote.${sql.ref(`${kind}_id`)} = post.id and vote.direction = ${direction}
    group by post.id`;
};

/** Points of the member of the outer row, by index. */
const pointsOf = (kind: 'question' | 'answer' | 'reply') => sql`
  select ${selectPoints(kind, sql`vote.direction`)} as points
  from ${sql.table(kind)} post join vote on vote.${sql.ref(`${kind}_id`)} = post.id
  where post.author_id = member.id and vote.member_id <> member.id`;

const sortKeyRows = (count: 'upvotes' | 'answer_count') => sql`
  select question.id, place.${sql.ref(count)}, question.${sql.ref(count)}
  from question left join question_sort_key place
    on place.question_id = question.id and place.created_at = question.created_at
      and place.active_at = question.active_at`;

const ofMember = sql`= member.id`;
const ofTag = sql`= tag.id`;

/** For the member of the outer row: each day with the posts and points of that day, as one text. */
const days = (rows: RawBuilder<unknown>) => sql`(
  select string_agg(concat_ws(' ', day, questions, answers, replies, points), ', ' order by day)
  from (${groupByDay(rows)}) each
)`;

const received = (rows: RawBuilder<unknown>, column: 'upvotes' | 'views') =>
  sql`(select coalesce(sum(${sql.ref(column)}), 0) from (${rows}) each)`;

/** For the tag of the outer row: each week, in the same format. */
const weeks = (rows: RawBuilder<unknown>) => sql`(
  select string_agg(concat_ws(' ', week, questions, answers), ', ' order by week) from (
    select week, sum(questions) as questions, sum(answers) as answers from (${rows}) each
    group by week having sum(questions) <> 0 or sum(answers) <> 0
  ) nonzero
)`;

/** Each rule selects the rows it checks: id, stored value, expected value. */
const rules: Readonly<Record<string, RawBuilder<unknown>>> = {
  'question.upvotes': votesOn('question', 'up'),
  'question.downvotes': votesOn('question', 'down'),
  'answer.upvotes': votesOn('answer', 'up'),
  'answer.downvotes': votesOn('answer', 'down'),
  'reply.upvotes': votesOn('reply', 'up'),
  'reply.downvotes': votesOn('reply', 'down'),
  'question.views': sql`
    select question.id, views, imported_views + count(question_view.member_id)
    from base_question question left join question_view on question_view.question_id = question.id
    group by question.id`,
  'question.answer_count': sql`
    select question.id, answer_count, count(answer.id)
    from base_question question left join base_answer answer
      on answer.question_id = question.id and answer.hidden_by is not distinct from question.hidden_by
    group by question.id`,
  'member.questions_count': sql`
    select member.id, questions_count, count(question.id)
    from member left join question on question.author_id = member.id group by member.id`,
  'member.answers_count': sql`
    select member.id, answers_count, count(answer.id)
    from member left join answer on answer.author_id = member.id group by member.id`,
  'member.reputation': sql`
    select member.id, reputation, imported_reputation + coalesce((
      select sum(earned.points) from (
        ${pointsOf('question')} union all ${pointsOf('answer')} union all ${pointsOf('reply')}
      ) earned), 0)
    from member`,
  member_daily_statistics: sql`
    select member.id, ${days(storedMemberDays(ofMember, statisticsFrom))},
      ${days(sql`${countPosts(ofMember, statisticsFrom)} union all ${countPoints(ofMember, statisticsFrom)}`)}
    from member`,
  'member_statistics.upvotes': sql`
    select member.id, ${received(storedReceived(ofMember), 'upvotes')}, ${received(countReceived(ofMember), 'upvotes')}
    from member`,
  'member_statistics.views': sql`
    select member.id, ${received(storedReceived(ofMember), 'views')}, ${received(countReceived(ofMember), 'views')}
    from member`,
  tag_weekly_statistics: sql`
    select tag.id, ${weeks(storedTagWeeks(ofTag, statisticsFrom))}, ${weeks(countTagWeeks(ofTag))} from tag`,
  'tag.questions_count': sql`
    select tag.id, questions_count, count(question_tag.question_id)
    from tag left join question_tag on question_tag.tag_id = tag.id group by tag.id`,
  'tag.followers_count': sql`
    select tag.id, followers_count, count(tag_follow.member_id)
    from tag left join tag_follow on tag_follow.tag_id = tag.id group by tag.id`,
  'question.tag_text': sql`
    select question.id, tag_text, coalesce(string_agg(tag.name, ', ' order by position), '')
    from base_question question left join base_question_tag question_tag on question_tag.question_id = question.id
    left join tag on tag.id = question_tag.tag_id group by question.id`,
  'question.duplicate_of is no duplicate': sql`
    select question.id, question.duplicate_of,
      nullif(coalesce(original.duplicate_of, original.id), question.id)
    from base_question question join base_question original on original.id = question.duplicate_of`,
  'question_tag.position counts from 0': sql`
    select question_id, position::bigint, row_number() over (partition by question_id order by position) - 1
    from base_question_tag`,
  'reply.level is the level of its parent plus 1': sql`
    select reply.id, reply.level::int, coalesce(parent.level + 1, 0)
    from base_reply reply left join base_reply parent on parent.id = reply.parent_reply_id`,
  'a deleted reply has replies below it': sql`
    select id, true, exists (select 1 from thread_reply child where child.parent_reply_id = reply.id)
    from reply where deleted_at is not null`,
  'a deleted reply keeps no votes, versions or notifications': sql`
    select id, 0, (select count(*) from vote where reply_id = reply.id)
      + (select count(*) from revision where reply_id = reply.id)
      + (select count(*) from base_notification where reply_id = reply.id)
    from base_reply reply where deleted_at is not null`,
  'answer_score.score': sql`
    select answer.id, answer_score.score, answer.upvotes - answer.downvotes
    from answer left join answer_score
      on answer_score.answer_id = answer.id and answer_score.created_at = answer.created_at`,
  'question_sort_key.upvotes': sortKeyRows('upvotes'),
  'question_sort_key.answer_count': sortKeyRows('answer_count'),
  'tag_question_sort_key.active_at': sql`
    select question.id, (
      select string_agg(concat_ws(' ', tag_id, place.active_at), ', ' order by tag_id)
      from tag_question_sort_key place where place.question_id = question.id and place.active_at > now() - interval '7 days'
    ), (
      select string_agg(concat_ws(' ', tag_id, question.active_at), ', ' order by tag_id)
      from question_tag where question_tag.question_id = question.id
    )
    from question where active_at > now() - interval '7 days'`,
  'a notification of an accepted answer is from the question author to the answer author': sql`
    select notification.id, array[sender_id, recipient_id], array[question.author_id, answer.author_id]
    from notification join question on question.id = notification.question_id
    left join answer on answer.id = notification.answer_id
    where kind = 'accepted'`,
  'review_item.open_reports': sql`
    select item.id, open_reports, count(report.id)
    from review_item item left join report
      on report.post_kind = item.post_kind and report.post_id = item.post_id and report.closed_at is null
    group by item.id`,
  'an open report has an entry in the review queue': sql`
    select id, true, exists (
      select 1 from review_item item
      where item.post_kind = report.post_kind and item.post_id = report.post_id
    )
    from report where closed_at is null`,
  'an open proposal of a tag has an entry in the review queue and a visible question, and no other proposal has': sql`
    select proposal.id, status = 'open' and exists (
      select from tag_proposal_question join question on question.id = question_id where proposal_id = proposal.id
    ), exists (select from review_item where tag_proposal_id = proposal.id)
    from tag_proposal proposal`,
  'an open report is about a post that exists': sql`
    select id, true, case post_kind
      when 'question' then exists (select 1 from question where question.id = post_id)
      when 'answer' then exists (select 1 from answer where answer.id = post_id)
      else exists (select 1 from reply where reply.id = post_id and deleted_at is null) end
    from report where closed_at is null`,
  'a hidden post is hidden by its own action': sql`
    select id, id, case post_kind
      when 'question' then (select hidden_by from base_question where base_question.id = post_id)
      when 'answer' then (select hidden_by from base_answer where base_answer.id = post_id)
      else (select hidden_by from base_reply where base_reply.id = post_id) end
    from hidden_post`,
  'everything below a hidden post is hidden': sql`
    select id, false, case post_kind
      when 'question' then exists (select from answer where answer.question_id = post_id)
        or exists (select from reply where reply.question_id = post_id)
      when 'answer' then exists (select from reply where reply.answer_id = post_id)
      else false end
    from hidden_post`,
  'the tags of a question are hidden with it': sql`
    select question.id, true, not exists (
      select from base_question_tag tagged
      where tagged.question_id = question.id and tagged.hidden_by is distinct from question.hidden_by
    )
    from base_question question`,
  'a notification about a hidden post is hidden': sql`
    select notification.id, true, question.id is not null
      and (notification.answer_id is null or answer.id is not null)
      and (notification.reply_id is null or reply.id is not null)
    from notification left join question on question.id = notification.question_id
    left join answer on answer.id = notification.answer_id
    left join reply on reply.id = notification.reply_id
    where kind not in (${queueKindsInSql})`,
  'a hidden reply leaves a placeholder if there are replies below it': sql`
    select id, is_placeholder, exists (select 1 from thread_reply child where child.parent_reply_id = reply.id)
    from base_reply reply where hidden_by is not null
      and exists (select from question where question.id = reply.question_id)
      and (answer_id is null or exists (select from answer where answer.id = reply.answer_id))`,
  'no member follows and mutes the same tag': sql`
    select tag_id, 0, (
      select count(*) from tag_follow follow
      where follow.tag_id = tag_mute.tag_id and follow.member_id = tag_mute.member_id
    )
    from tag_mute`,
  'an upvote notification is about a post of its recipient': sql`
    select notification.id, recipient_id, coalesce(reply.author_id, answer.author_id, question.author_id)
    from notification join question on question.id = notification.question_id
    left join answer on answer.id = notification.answer_id
    left join reply on reply.id = notification.reply_id
    where kind in ('vote_question', 'vote_answer', 'vote_reply')`,
};
