import { sql } from 'kysely';
import type { Tx } from '#server/platform/database.ts';
import type { PostKind } from '#server/posts/post.ts';
import type { QuestionCounts } from '#server/posts/told.ts';
import { reputationPoints } from '#shared/votes.ts';
import type { Direction } from '#shared/fields.ts';

/** One post that can be voted on. */
export type VoteTarget = { kind: PostKind; id: number };

/** The post, locked, so that the votes on it are counted one after the other; and where it stands. */
export async function lockTarget(tx: Tx, { kind, id }: VoteTarget) {
  const living = kind === 'reply' ? sql`and deleted_at is null` : sql``;
  const { rows } = await sql<{
    author_id: number | null;
    upvotes: number;
    downvotes: number;
    question_id: number;
    answer_id: number | null;
    reply_id: number | null;
  }>`
    select author_id, upvotes, downvotes, ${placeColumns[kind]} from ${sql.table(kind)} where id = ${id} ${living}
    for no key update`.execute(tx);
  return rows[0];
}

const placeColumns: Readonly<Record<PostKind, ReturnType<typeof sql>>> = {
  question: sql`id as question_id, null as answer_id, null as reply_id`,
  answer: sql`question_id, id as answer_id, null as reply_id`,
  reply: sql`question_id, answer_id, id as reply_id`,
};

export async function ownVote(tx: Tx, { target, memberId }: { target: VoteTarget; memberId: number }) {
  const row = await tx
    .selectFrom('vote')
    .select('direction')
    .where(`${target.kind}_id`, '=', target.id)
    .where('member_id', '=', memberId)
    .executeTakeFirst();
  return row?.direction ?? null;
}

/** Makes `vote` the member's vote on the target; null leaves none. */
export async function writeVote(
  tx: Tx,
  { target, memberId, vote }: { target: VoteTarget; memberId: number; vote: Direction | null },
) {
  const column = sql.ref(`${target.kind}_id`);
  if (vote === null) {
    await sql`delete from vote where ${column} = ${target.id} and member_id = ${memberId}`.execute(tx);
    return;
  }
  await sql`
    insert into vote (member_id, ${column}, direction) values (${memberId}, ${target.id}, ${vote})
    on conflict (${column}, member_id) where ${column} is not null
    do update set direction = excluded.direction, created_at = now()`.execute(tx);
}

/** Votes as they are now; `question`: all counts of the question that was voted on. */
export type VoteCounts = { upvotes: number; downvotes: number; question: QuestionCounts | null };

/** Adds to the counts of the target and returns them. */
export async function changeVoteCounts(
  tx: Tx,
  { target, up, down }: { target: VoteTarget; up: number; down: number },
): Promise<VoteCounts> {
  const others = target.kind === 'question' ? sql`views, answer_count` : sql`0 as views, 0 as answer_count`;
  const { rows } = await sql<QuestionCounts>`
    update ${sql.table(target.kind)} set upvotes = upvotes + ${up}, downvotes = downvotes + ${down}
    where id = ${target.id} returning upvotes, downvotes, ${others}`.execute(tx);
  const [row] = rows;
  if (row === undefined) throw new Error('the locked post is gone');
  const { upvotes, downvotes } = row;
  return { upvotes, downvotes, question: target.kind === 'question' ? row : null };
}

export async function changeReputation(tx: Tx, { memberId, points }: { memberId: number; points: number }) {
  await sql`update member set reputation = reputation + ${points} where id = ${memberId}`.execute(tx);
}

/** Posts about to be deleted. */
export type DoomedPosts = {
  questionIds: readonly number[];
  answerIds: readonly number[];
  replyIds: readonly number[];
};

/** Deletes the votes on posts and returns the points each author has by them; own votes never gave any. */
export async function deleteVotes(tx: Tx, { questionIds, answerIds, replyIds }: DoomedPosts) {
  const { rows } = await sql<{ author_id: number; points: number }>`
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
    select author_id, sum(points)::bigint as points from earned
    where author_id <> member_id group by author_id`.execute(tx);
  return rows;
}

/** Takes points back from members; the rows are locked in id order. */
export async function takePoints(tx: Tx, taken: readonly { author_id: number; points: number }[]) {
  if (taken.length === 0) return;
  const ids = taken.map((row) => row.author_id);
  await sql`select id from member where id = any(${ids}::bigint[]) order by id for no key update`.execute(tx);
  await sql`
    update member set reputation = reputation - taken.points
    from unnest(${ids}::bigint[], ${taken.map((row) => row.points)}::bigint[]) as taken (member_id, points)
    where member.id = taken.member_id`.execute(tx);
}

/** A blanked reply keeps no votes. */
export async function resetReplyCounts(tx: Tx, ids: readonly number[]) {
  await sql`
    update reply set upvotes = imported_upvotes, downvotes = imported_downvotes
    where id = any(${[...ids]}::bigint[])`.execute(tx);
}

const pointsOf = (kind: PostKind) =>
  sql`case removed.direction when 'up' then ${sql.lit(reputationPoints[kind].up)} else ${sql.lit(reputationPoints[kind].down)} end`;
