import { type RawBuilder, sql } from 'kysely';
import type { Tx } from '#server/core/database.ts';
import type { PostKind, VoteDirection } from '#shared/core/fields.ts';

type VoteChange = { kind: PostKind; fromId: number; intoId: number };

const voteId = (kind: PostKind) => sql.ref(`${kind}_id`);
const list = (ids: readonly number[]) => sql`any(${[...ids]}::bigint[])`;

/** Returns the posts of some votes of a member, all of one kind, hidden ones too. */
export async function listSomeVotedPosts(
  tx: Tx,
  { memberId, limit }: { memberId: number; limit: number },
): Promise<{ kind: PostKind; ids: number[] } | undefined> {
  const { rows } = await sql<{ kind: PostKind; id: number }>`
    select case when question_id is not null then 'question' when answer_id is not null then 'answer' else 'reply' end
        as kind,
      coalesce(question_id, answer_id, reply_id) as id
    from vote where member_id = ${memberId} limit ${sql.lit(limit)}`.execute(tx);
  const kind = rows[0]?.kind;
  return kind && { kind, ids: rows.filter((row) => row.kind === kind).map(({ id }) => id) };
}

export type MovedVote = {
  id: number;
  authorId: number | null;
  isHidden: boolean;
  vote: VoteDirection;
  castAt: Date;
  /** Whether the other member voted on the post too. */
  isDouble: boolean;
};

/** Locks the posts, hidden ones too, and then reads the votes of the member on them. */
export async function lockMovedVotes(
  tx: Tx,
  { kind, ids, fromId, intoId }: VoteChange & { ids: readonly number[] },
): Promise<MovedVote[]> {
  const table = sql.table(`base_${kind}`);
  if (kind !== 'question')
    await sql`
      select id from base_question where id in (select question_id from ${table} where id = ${list(ids)})
      order by id for key share`.execute(tx);
  await sql`select id from ${table} where id = ${list(ids)} order by id for no key update`.execute(tx);
  const { rows } = await sql<MovedVote>`
    select post.id, author_id as "authorId", hidden_by is not null as "isHidden", direction as vote,
      vote.created_at as "castAt",
      exists (select from vote other where other.${voteId(kind)} = post.id and other.member_id = ${intoId}) as "isDouble"
    from vote join ${table} post on post.id = vote.${voteId(kind)}
    where vote.member_id = ${fromId} and post.id = ${list(ids)} order by post.id`.execute(tx);
  return rows;
}

/** Gives votes to the other member. The posts keep their counts, and their authors the points. */
export async function setVoter(
  tx: Tx,
  { kind, ids, fromId, intoId }: VoteChange & { ids: readonly number[] },
): Promise<void> {
  await sql`
    update vote set member_id = ${intoId} where member_id = ${fromId} and ${voteId(kind)} = ${list(ids)}`.execute(
    tx,
  );
}

/** Removes votes on hidden posts, which earn no points and are in no list. */
export async function removeVotesOnHiddenPosts(
  tx: Tx,
  { kind, ids, memberId }: { kind: PostKind; ids: readonly number[]; memberId: number },
): Promise<void> {
  const post: RawBuilder<unknown> = sql.table(`base_${kind}`);
  await sql`
    with removed as (
      delete from vote where member_id = ${memberId} and ${voteId(kind)} = ${list(ids)}
      returning ${voteId(kind)} as post_id, direction
    )
    update ${post} post set upvotes = upvotes - (direction = 'up')::int, downvotes = downvotes - (direction = 'down')::int
    from removed where post.id = post_id`.execute(tx);
}
