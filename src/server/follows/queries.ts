import { sql } from 'kysely';
import { isHidden, type Mutes } from '#server/mutes/hidden.ts';
import type { Reader, Tx } from '#server/platform/database.ts';
import type { Cursor } from '#server/posts/cursor.ts';
import { bylineJoins } from '#server/posts/post.ts';
import { cardColumns, type QuestionCardRow } from '#server/questions/cards.ts';

type QuestionFollow = { questionId: number; memberId: number };

/** Returns false when the member followed it before. */
export async function insertQuestionFollow(tx: Tx, { questionId, memberId }: QuestionFollow) {
  const { rows } = await sql`
    insert into question_follow (question_id, member_id)
    select id, ${memberId} from question where id = ${questionId}
    on conflict do nothing returning question_id`.execute(tx);
  return rows.length > 0;
}

/** Returns false when the member did not follow it. */
export async function deleteQuestionFollow(tx: Tx, { questionId, memberId }: QuestionFollow) {
  const { rows } = await sql`
    delete from question_follow where question_id = ${questionId} and member_id = ${memberId}
    returning question_id`.execute(tx);
  return rows.length > 0;
}

/** The names of followed tags and the ids of followed questions, `limit` of each at most, the latest first. */
export async function followedMarks(db: Reader, { viewerId, limit }: { viewerId: number; limit: number }) {
  const { rows } = await sql<{ tags: string[]; questions: number[] }>`
    select array(
      select tag.name from tag_follow follow join tag on tag.id = follow.tag_id
      where follow.member_id = ${viewerId} order by follow.created_at desc, tag.id desc limit ${limit}
    ) as tags, to_json(array(
      select question_id from question_follow
      where member_id = ${viewerId} order by created_at desc, question_id desc limit ${limit}
    )) as questions`.execute(db);
  return rows[0] ?? { tags: [], questions: [] };
}

type FollowedRow = QuestionCardRow & { hidden: boolean };

const hiddenBy = (mutes: Mutes | null) => (mutes === null ? sql`false` : isHidden(mutes));

/**
 * The newest questions with a followed tag, and the followed questions. Each followed tag gives at most a page from its
 * own index, so the cost grows with what the member follows, not with the community.
 */
export async function followedQuestions(
  db: Reader,
  wanted: { viewerId: number; cursor: Cursor | null; limit: number; mutes: Mutes | null },
) {
  const { viewerId, cursor, limit, mutes } = wanted;
  const at = cursor === null ? sql`null` : sql`${new Date(cursor.after)}`;
  const before = cursor?.id ?? 0;
  const { rows } = await sql<FollowedRow>`
    with position as (select ${at}::timestamptz as at, ${before}::bigint as id), candidate as (
      select tagged.question_id, tagged.asked_at from tag_follow follow cross join lateral (
        select link.question_id, link.asked_at from question_tag link, position
        where link.tag_id = follow.tag_id
          and (position.at is null or (link.asked_at, link.question_id) < (position.at, position.id))
        order by link.asked_at desc, link.question_id desc limit ${limit}
      ) tagged
      where follow.member_id = ${viewerId}
      union
      select question.id, question.created_at
      from question_follow follow join question on question.id = follow.question_id, position
      where follow.member_id = ${viewerId}
        and (position.at is null or (question.created_at, question.id) < (position.at, position.id))
    ), newest as (
      select * from candidate order by asked_at desc, question_id desc limit ${limit}
    )
    select ${cardColumns}, ${hiddenBy(mutes)} as hidden from newest join question post on post.id = newest.question_id ${bylineJoins}
    order by newest.asked_at desc, newest.question_id desc`.execute(db);
  return rows;
}

/** Questions of the same kind with activity since `since`, latest activity first. */
export async function recentlyActiveFollowed(
  db: Reader,
  wanted: { viewerId: number; since: Date; limit: number; mutes: Mutes | null },
) {
  const { viewerId, since, limit, mutes } = wanted;
  const { rows } = await sql<FollowedRow>`
    select ${cardColumns}, ${hiddenBy(mutes)} as hidden
    from question_place place join question post on post.id = place.question_id ${bylineJoins}
    where place.active_at >= ${since} and (
      exists (select 1 from question_follow where question_id = post.id and member_id = ${viewerId})
      or exists (
        select 1 from question_tag link join tag_follow follow on follow.tag_id = link.tag_id
        where link.question_id = post.id and follow.member_id = ${viewerId}
      )
    )
    order by place.active_at desc, place.question_id desc limit ${limit}`.execute(db);
  return rows;
}
