import { sql } from 'kysely';
import { hasMutedTag, type Mutes } from './mutes-filter.ts';
import type { Reader, Tx } from '#server/core/database.ts';
import { existsForRow } from '#server/core/sql.ts';
import type { Cursor } from '#server/core/cursor.ts';
import { bylineJoins, isTagVisible, questionCardColumns, type QuestionCardRow } from '#server/posts/index.ts';
import { limits } from '#shared/core/limits.ts';

type QuestionFollow = { questionId: number; memberId: number };

/** Returns false if the member already followed it. */
export async function insertQuestionFollow(tx: Tx, { questionId, memberId }: QuestionFollow) {
  const { rows } = await sql`
    insert into question_follow (question_id, member_id, question_created_at)
    select id, ${memberId}, created_at from question where id = ${questionId}
    on conflict do nothing returning question_id`.execute(tx);
  return rows.length > 0;
}

/** Returns false if the member did not follow it. */
export async function deleteQuestionFollow(tx: Tx, { questionId, memberId }: QuestionFollow) {
  const { rows } = await sql`
    delete from question_follow where question_id = ${questionId} and member_id = ${memberId}
    returning question_id`.execute(tx);
  return rows.length > 0;
}

/** Returns the names of followed tags and the ids of followed questions, latest first, at most `limit` of each. */
export async function listFollows(db: Reader, { viewerId, limit }: { viewerId: number; limit: number }) {
  const { rows } = await sql<{ tags: string[]; questions: number[] }>`
    select array(
      select tag.name from tag_follow follow join tag on tag.id = follow.tag_id
      where follow.member_id = ${viewerId} and ${isTagVisible}
      order by follow.created_at desc, follow.tag_id desc limit ${limit}
    ) as tags, to_json(array(
      select question_id from question_follow
      where member_id = ${viewerId} and ${isQuestionVisible} order by created_at desc, question_id desc limit ${limit}
    )) as questions`.execute(db);
  return rows[0] ?? { tags: [], questions: [] };
}

const isQuestionVisible = existsForRow(sql`from question where id = question_id`);

type FollowedRow = QuestionCardRow & { hidden: boolean };

const mutedBy = (mutes: Mutes | null) => (mutes === null ? sql`false` : hasMutedTag(mutes));

/**
 * Returns the newest questions that have a followed tag or are followed themselves. Only the tags whose newest question
 * is among the newest of all followed tags can contribute to the page. The cost is therefore one index lookup per
 * followed tag. It depends neither on the number of questions in the community nor on the number of followed questions.
 */
export async function listFollowedQuestions(
  db: Reader,
  wanted: { viewerId: number; cursor: Cursor | null; limit: number; mutes: Mutes | null },
) {
  const { viewerId, cursor, limit, mutes } = wanted;
  const afterCursor =
    cursor === null
      ? sql`true`
      : sql`(question_created_at, question_id) < (${new Date(cursor.after)}::timestamptz, ${cursor.id}::bigint)`;
  const { rows } = await sql<FollowedRow>`
    with foremost as (
      select follow.tag_id, dense_rank() over (order by first.question_created_at desc, first.question_id desc) as position
      from tag_follow follow cross join lateral (
        select question_created_at, question_id from question_tag where tag_id = follow.tag_id and ${afterCursor}
        order by question_created_at desc, question_id desc limit 1
      ) first
      where follow.member_id = ${viewerId}
      order by position limit ${tagsPerQuestion}::int * ${limit}::int
    ), candidate as (
      select tagged.question_id, tagged.question_created_at from foremost cross join lateral (
        select question_id, question_created_at from question_tag where tag_id = foremost.tag_id and ${afterCursor}
        order by question_created_at desc, question_id desc limit greatest(0, ${limit} + 1 - foremost.position)
      ) tagged
      union (
        select question_id, question_created_at from question_follow
        where member_id = ${viewerId} and ${afterCursor} and ${isQuestionVisible}
        order by question_created_at desc, question_id desc limit ${limit}
      )
    ), newest as (
      select * from candidate order by question_created_at desc, question_id desc limit ${limit}
    )
    select ${questionCardColumns}, ${mutedBy(mutes)} as hidden from newest join question post on post.id = newest.question_id ${bylineJoins}
    order by newest.question_created_at desc, newest.question_id desc`.execute(db);
  return rows;
}

/** At most this many tags have the same newest question. */
const tagsPerQuestion = sql.lit(limits.tagsPerQuestion);

/** From this number of followed questions on, their activity is found in the index of all questions, not one by one. */
const manyFollowsFrom = 3000;

/**
 * Returns questions with a followed tag and followed questions with activity since `since` (at most a week ago), latest
 * activity first. Questions with a followed tag are found as in `listFollowedQuestions`, in `tag_question_sort_key`. A
 * few followed questions are looked up one by one. Many are found in the index of all questions by activity, where they
 * appear soon.
 */
export async function listRecentlyActiveFollowed(
  db: Reader,
  wanted: { viewerId: number; since: Date; limit: number; mutes: Mutes | null },
) {
  const { viewerId, since, limit, mutes } = wanted;
  const followed = (await followsMany(db, viewerId)) ? selectRecentlyActive : selectFollowedActivity;
  const inOrder = sql`order by active_at desc, question_id desc`;
  const { rows } = await sql<FollowedRow>`
    with foremost as (
      select follow.tag_id, dense_rank() over (order by first.active_at desc, first.question_id desc) as position
      from tag_follow follow cross join lateral (
        select active_at, question_id from tag_question_sort_key
        where tag_id = follow.tag_id and active_at >= ${since} ${inOrder} limit 1
      ) first
      where follow.member_id = ${viewerId}
      order by position limit ${tagsPerQuestion}::int * ${limit}::int
    ), candidate as (
      select tagged.question_id, tagged.active_at from foremost cross join lateral (
        select question_id, active_at from tag_question_sort_key
        where tag_id = foremost.tag_id and active_at >= ${since} ${inOrder}
        limit greatest(0, ${limit} + 1 - foremost.position)
      ) tagged
      union (${followed(viewerId)} and active_at >= ${since} ${inOrder} limit ${limit})
    ), latest as (
      select * from candidate ${inOrder} limit ${limit}
    )
    select ${questionCardColumns}, ${mutedBy(mutes)} as hidden
    from latest join question post on post.id = latest.question_id ${bylineJoins}
    order by latest.active_at desc, latest.question_id desc`.execute(db);
  return rows;
}

async function followsMany(db: Reader, viewerId: number): Promise<boolean> {
  const { rows } = await sql`
    select from question_follow where member_id = ${viewerId} offset ${manyFollowsFrom} limit 1`.execute(db);
  return rows.length > 0;
}

const selectRecentlyActive = (viewerId: number) => sql`
  select question_id, active_at from question_sort_key sort_key
  where ${existsForRow(sql`from question_follow where question_id = sort_key.question_id and member_id = ${viewerId}`)}`;

const selectFollowedActivity = (viewerId: number) => sql`
  select sort_key.question_id, sort_key.active_at
  from question_follow follow cross join lateral (
    select question_id, active_at from question_sort_key where question_id = follow.question_id limit 1
  ) sort_key
  where follow.member_id = ${viewerId}`;

export type TagFollow = { tagId: number; memberId: number };

/** Follows a locked tag. Returns its number of followers; undefined if the member already followed it. */
export async function insertTagFollow(tx: Tx, { tagId, memberId }: TagFollow): Promise<number | undefined> {
  const { rows } = await sql<{ followers: number }>`
    with added as (
      insert into tag_follow (tag_id, member_id) values (${tagId}, ${memberId})
      on conflict do nothing returning tag_id
    )
    update tag set followers_count = followers_count + 1 from added where tag.id = added.tag_id
    returning followers_count as followers`.execute(tx);
  return rows[0]?.followers;
}

/** Unfollows a locked tag. Returns its number of followers; undefined if the member did not follow it. */
export async function deleteTagFollow(tx: Tx, { tagId, memberId }: TagFollow): Promise<number | undefined> {
  const { rows } = await sql<{ followers: number }>`
    with removed as (
      delete from tag_follow where tag_id = ${tagId} and member_id = ${memberId} returning tag_id
    )
    update tag set followers_count = followers_count - 1 from removed where tag.id = removed.tag_id
    returning followers_count as followers`.execute(tx);
  return rows[0]?.followers;
}

export async function countTagFollows(tx: Tx, memberId: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from tag_follow where member_id = ${memberId}`.execute(tx);
  return rows[0]?.count ?? 0;
}
