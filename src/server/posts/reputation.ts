import { type RawBuilder, sql } from 'kysely';
import type { PostKind } from '#shared/core/fields.ts';
import { reputationPoints } from '#shared/engagement/votes.ts';
import type { Tx } from '#server/core/database.ts';
import type { PostIds } from './posts.ts';

/** Deletes the votes on posts that are about to be deleted, and the reputation their authors have from them. */
export async function removeVotes(tx: Tx, posts: PostIds): Promise<void> {
  const earned = await deleteVotes(tx, posts);
  await addPoints(
    tx,
    earned.map(({ memberId, points }) => ({ memberId, points: -points })),
  );
  await resetReplyCounts(tx, posts.replyIds);
}

/** Deletes the votes on posts. Returns the points that each author has from them, without votes on one's own posts. */
async function deleteVotes(tx: Tx, { questionIds, answerIds, replyIds }: PostIds) {
  const pointsOf = (kind: PostKind) => selectPoints(kind, sql`removed.direction`);
  const { rows } = await sql<{ memberId: number; points: number }>`
    with removed as (
      delete from vote
      where question_id = any(${[...questionIds]}::bigint[])
        or answer_id = any(${[...answerIds]}::bigint[])
        or reply_id = any(${[...replyIds]}::bigint[])
      returning *
    ), earned as (
      select question.author_id, removed.member_id, ${pointsOf('question')} as points
      from removed join question on question.id = removed.question_id
      union all
      select answer.author_id, removed.member_id, ${pointsOf('answer')}
      from removed join answer on answer.id = removed.answer_id
      union all
      select reply.author_id, removed.member_id, ${pointsOf('reply')}
      from removed join reply on reply.id = removed.reply_id
    )
    select author_id as "memberId", sum(points)::bigint as points from earned
    where author_id <> member_id group by author_id`.execute(tx);
  return rows;
}

/** Adds points to members. Rows are locked in the order of their ids. */
export async function addPoints(tx: Tx, added: readonly { memberId: number; points: number }[]) {
  if (added.length === 0) return;
  await sql`
    with earned as materialized (
      select * from unnest(
        ${added.map(({ memberId }) => memberId)}::bigint[], ${added.map(({ points }) => points)}::bigint[]
      ) as earned (member_id, points)
    )
    ${addPointsOf('earned')}`.execute(tx);
}

/**
 * The same for the rows of a CTE of the same statement.
 * @param earned has the columns member_id and points
 */
export const addPointsOf = (earned: string) => sql`
  update member set reputation = member.reputation + locked.points
  from (
    select id, points
    from member join (
      select member_id, sum(points)::bigint as points from ${sql.table(earned)}
      group by member_id having sum(points) <> 0
    ) total on member_id = id
    order by id for no key update of member
  ) locked
  where member.id = locked.id`;

/** A placeholder has no votes. */
async function resetReplyCounts(tx: Tx, ids: readonly number[]) {
  await sql`
    update reply set upvotes = imported_upvotes, downvotes = imported_downvotes
    where id = any(${[...ids]}::bigint[])`.execute(tx);
}

/** The points of a vote, for its author's reputation (docs/product.md 7.4). `direction`: 'up' or 'down'. */
export const selectPoints = (kind: PostKind, direction: RawBuilder<unknown>) =>
  sql`case ${direction} when 'up' then ${sql.lit(reputationPoints[kind].up)} else ${sql.lit(reputationPoints[kind].down)} end`;
