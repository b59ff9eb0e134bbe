import { sql } from 'kysely';
import type { Reader, Tx } from '#server/platform/database.ts';
import type { Cursor } from '#server/posts/cursor.ts';
import { bylineJoins } from '#server/posts/post.ts';
import { cardColumns, type QuestionCardRow } from '#server/questions/cards.ts';

export async function insertQuestionFollow(
  tx: Tx,
  { questionId, memberId }: { questionId: number; memberId: number },
) {
  await sql`
    insert into question_follow (question_id, member_id)
    select id, ${memberId} from question where id = ${questionId} on conflict do nothing`.execute(tx);
}

export async function deleteQuestionFollow(
  tx: Tx,
  { questionId, memberId }: { questionId: number; memberId: number },
) {
  await sql`
    delete from question_follow where question_id = ${questionId} and member_id = ${memberId}`.execute(tx);
}

export async function insertTagFollow(tx: Tx, { tagId, memberId }: { tagId: number; memberId: number }) {
  await sql`
    insert into tag_follow (tag_id, member_id) values (${tagId}, ${memberId}) on conflict do nothing`.execute(
    tx,
  );
}

export async function deleteTagFollow(tx: Tx, { key, memberId }: { key: string; memberId: number }) {
  await sql`
    delete from tag_follow using tag
    where tag.id = tag_follow.tag_id and tag.key = ${key} and tag_follow.member_id = ${memberId}`.execute(tx);
}

/**
 * The newest questions with a followed tag, and the followed questions. Each followed tag gives at most a page from its
 * own index, so the cost grows with what the member follows, not with the community.
 */
export async function followedQuestions(
  db: Reader,
  { viewerId, cursor, limit }: { viewerId: number; cursor: Cursor | null; limit: number },
) {
  const at = cursor === null ? sql`null` : sql`${new Date(cursor.after)}`;
  const before = cursor?.id ?? 0;
  const { rows } = await sql<QuestionCardRow>`
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
    select ${cardColumns} from newest join question post on post.id = newest.question_id ${bylineJoins}
    order by newest.asked_at desc, newest.question_id desc`.execute(db);
  return rows;
}

/** Questions of the same kind with activity since `since`, latest activity first. */
export async function recentlyActiveFollowed(
  db: Reader,
  { viewerId, since, limit }: { viewerId: number; since: Date; limit: number },
) {
  const { rows } = await sql<QuestionCardRow>`
    select ${cardColumns} from question post ${bylineJoins}
    where post.active_at >= ${since} and (
      exists (select 1 from question_follow where question_id = post.id and member_id = ${viewerId})
      or exists (
        select 1 from question_tag link join tag_follow follow on follow.tag_id = link.tag_id
        where link.question_id = post.id and follow.member_id = ${viewerId}
      )
    )
    order by post.active_at desc, post.id desc limit ${limit}`.execute(db);
  return rows;
}
