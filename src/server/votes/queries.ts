import { sql } from 'kysely';
import type { Tx } from '#server/platform/database.ts';
import type { PostKind } from '#server/posts/post.ts';
import { reputationPoints } from '#shared/votes.ts';
import type { Direction } from '#shared/fields.ts';

/** One post that can be voted on. */
export type VoteTarget = { kind: PostKind; id: number };

/** A post that is voted on, and where it stands. The last two are a question's, 0 of other posts. */
export type VotedPost = {
  author_id: number | null;
  upvotes: number;
  downvotes: number;
  question_id: number;
  answer_id: number | null;
  reply_id: number | null;
  views: number;
  answer_count: number;
};

/** Posts of one kind, locked in the order of their ids, so that the votes on each are counted one after the other. */
export async function lockPosts(tx: Tx, { kind, ids }: { kind: PostKind; ids: readonly number[] }) {
  const living = kind === 'reply' ? sql`and deleted_at is null` : sql``;
  const { rows } = await sql<VotedPost & { id: number }>`
    select id, author_id, upvotes, downvotes, ${placeColumns[kind]} from ${sql.table(kind)}
    where id = any(${[...ids]}::bigint[]) ${living} order by id for no key update`.execute(tx);
  return rows;
}

const placeColumns: Readonly<Record<PostKind, ReturnType<typeof sql>>> = {
  question: sql`id as question_id, null::bigint as answer_id, null::bigint as reply_id, views, answer_count`,
  answer: sql`question_id, id as answer_id, null::bigint as reply_id, 0 as views, 0 as answer_count`,
  reply: sql`question_id, answer_id, id as reply_id, 0 as views, 0 as answer_count`,
};

/** One member's vote on posts of one kind, each with what it becomes or is. */
export type MemberVote = { id: number; memberId: number; vote: Direction };

type Voter = Pick<MemberVote, 'id' | 'memberId'>;

/** The votes there are of these members on these posts. */
export async function ownVotes(tx: Tx, { kind, voters }: { kind: PostKind; voters: readonly Voter[] }) {
  const column = sql.ref(`${kind}_id`);
  const { rows } = await sql<MemberVote>`
    select ${column} as id, member_id as "memberId", direction as vote
    from unnest(${idsOf(voters)}::bigint[], ${membersOf(voters)}::bigint[]) as wanted (id, voter)
    join vote on ${column} = wanted.id and member_id = wanted.voter`.execute(tx);
  return rows;
}

/** For members who had no vote on the locked posts. */
export async function insertVotes(tx: Tx, { kind, votes }: { kind: PostKind; votes: readonly MemberVote[] }) {
  if (votes.length === 0) return;
  await sql`
    insert into vote (${sql.ref(`${kind}_id`)}, member_id, direction)
    select * from unnest(${idsOf(votes)}::bigint[], ${membersOf(votes)}::bigint[], ${votes.map((each) => each.vote)}::text[])`.execute(
    tx,
  );
}

/** For members who had the other vote. */
export async function turnVotes(tx: Tx, { kind, voters }: { kind: PostKind; voters: readonly Voter[] }) {
  if (voters.length === 0) return;
  await sql`
    update vote set direction = case direction when 'up' then 'down' else 'up' end, created_at = now()
    from unnest(${idsOf(voters)}::bigint[], ${membersOf(voters)}::bigint[]) as wanted (id, voter)
    where ${sql.ref(`${kind}_id`)} = wanted.id and member_id = wanted.voter`.execute(tx);
}

export async function takeVotesBack(tx: Tx, { kind, voters }: { kind: PostKind; voters: readonly Voter[] }) {
  if (voters.length === 0) return;
  await sql`
    delete from vote
    using unnest(${idsOf(voters)}::bigint[], ${membersOf(voters)}::bigint[]) as wanted (id, voter)
    where ${sql.ref(`${kind}_id`)} = wanted.id and member_id = wanted.voter`.execute(tx);
}

const idsOf = (voters: readonly Voter[]) => voters.map(({ id }) => id);
const membersOf = (voters: readonly Voter[]) => voters.map(({ memberId }) => memberId);

/** Adds to the counts of locked posts of one kind. */
export async function changeVoteCounts(
  tx: Tx,
  { kind, changes }: { kind: PostKind; changes: readonly { id: number; up: number; down: number }[] },
) {
  await sql`
    update ${sql.table(kind)} post set upvotes = upvotes + change.up, downvotes = downvotes + change.down
    from unnest(
      ${changes.map(({ id }) => id)}::bigint[], ${changes.map(({ up }) => up)}::bigint[],
      ${changes.map(({ down }) => down)}::bigint[]
    ) as change (id, up, down)
    where post.id = change.id`.execute(tx);
}

/** Posts about to be deleted. */
export type DoomedPosts = {
  questionIds: readonly number[];
  answerIds: readonly number[];
  replyIds: readonly number[];
};

/** Deletes the votes on posts and returns the points each author has by them; own votes never gave any. */
export async function deleteVotes(tx: Tx, { questionIds, answerIds, replyIds }: DoomedPosts) {
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

/** Adds points to members; the rows are locked in the order of their ids. */
export async function addPoints(tx: Tx, added: readonly { memberId: number; points: number }[]) {
  if (added.length === 0) return;
  await sql`
    update member set reputation = member.reputation + locked.points
    from (
      select id, points
      from member join unnest(
        ${added.map(({ memberId }) => memberId)}::bigint[], ${added.map(({ points }) => points)}::bigint[]
      ) as added (member_id, points) on member_id = id
      order by id for no key update of member
    ) locked
    where member.id = locked.id`.execute(tx);
}

/** A blanked reply keeps no votes. */
export async function resetReplyCounts(tx: Tx, ids: readonly number[]) {
  await sql`
    update reply set upvotes = imported_upvotes, downvotes = imported_downvotes
    where id = any(${[...ids]}::bigint[])`.execute(tx);
}

const pointsOf = (kind: PostKind) =>
  sql`case removed.direction when 'up' then ${sql.lit(reputationPoints[kind].up)} else ${sql.lit(reputationPoints[kind].down)} end`;
