import { sql } from 'kysely';
import type { Queryable, Reader, Tx } from '#server/core/database.ts';
import type { MemberActivityRemoval } from '#shared/moderation/moderation.ts';
import type { PostRef } from '#shared/core/fields.ts';
import type { VoteDirection } from '#shared/core/fields.ts';
import type { HiddenPostRow } from './hidden-posts-queries.ts';

export type ActivityRemovalRow = {
  id: number;
  member_id: number;
  reason: string;
  state: MemberActivityRemoval['state'];
  posts: number;
  votes: number;
  posts_done: number;
  votes_done: number;
  created_at: Date;
};

/** Locks the member's removal that is in effect; undefined if there is none or it was restored. */
export async function lockCurrentActivityRemoval(
  tx: Tx,
  memberId: number,
): Promise<ActivityRemovalRow | undefined> {
  const { rows } = await sql<ActivityRemovalRow>`
    select * from activity_removal where member_id = ${memberId} and state <> 'restored' for update`.execute(
    tx,
  );
  return rows[0];
}

/**
 * Returns the removals of these members that are running or finished. Their state cannot change until the transaction
 * ends. Moderators are left out: nothing of theirs is removed.
 */
export async function listRemovalsInEffect(
  tx: Tx,
  memberIds: readonly number[],
): Promise<ActivityRemovalRow[]> {
  const { rows } = await sql<ActivityRemovalRow>`
    select removal.* from activity_removal removal join member on member.id = member_id
    where member_id = any(${[...memberIds]}::bigint[]) and state in ('removing', 'removed') and role = 'member'
    for share of removal`.execute(tx);
  return rows;
}

export async function findLatestActivityRemoval(
  db: Reader,
  memberId: number,
): Promise<ActivityRemovalRow | undefined> {
  const { rows } = await sql<ActivityRemovalRow>`
    select * from activity_removal where member_id = ${memberId}
    order by state = 'restored', id desc limit 1`.execute(db);
  return rows[0];
}

export async function listRunningActivityRemovals(db: Queryable): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select id from activity_removal where state in ('removing', 'restoring') and bulk_removal_id is null
    order by id limit 100`.execute(db);
  return rows.map((row) => row.id);
}

export async function lockActivityRemoval(tx: Tx, id: number): Promise<ActivityRemovalRow | undefined> {
  const { rows } = await sql<ActivityRemovalRow>`
    select * from activity_removal where id = ${id} and state in ('removing', 'restoring') for update`.execute(
    tx,
  );
  return rows[0];
}

export async function addProgress(
  tx: Tx,
  { id, posts, votes }: { id: number; posts: number; votes: number },
) {
  await sql`
    update activity_removal set posts_done = posts_done + ${posts}, votes_done = votes_done + ${votes}
    where id = ${id}`.execute(tx);
}

/**
 * The work of a removal can end early because deleting a question also removes posts below it. This completes its
 * progress counts.
 */
export async function finishActivityRemoval(tx: Tx, id: number) {
  await sql`
    update activity_removal
    set state = case state when 'removing' then 'removed' else 'restored' end, finished_at = now(),
      posts = posts_done, votes = votes_done
    where id = ${id}`.execute(tx);
}

type ActivityBefore = { memberId: number; before: Date };

/** Questions come first, because hiding them also hides what is below them. */
export async function findNewestPost(
  tx: Tx,
  { memberId, before }: ActivityBefore,
): Promise<PostRef | undefined> {
  const { rows } = await sql<PostRef>`
    (select 'question' as kind, id from question where author_id = ${memberId} and created_at <= ${before}
      order by created_at desc, id desc limit 1)
    union all
    (select 'answer', id from answer where author_id = ${memberId} and created_at <= ${before}
      order by created_at desc, id desc limit 1)
    union all
    (select 'reply', id from reply
      where author_id = ${memberId} and created_at <= ${before} and deleted_at is null
      order by created_at desc limit 1)
    limit 1`.execute(tx);
  return rows[0];
}

export type RemovedVote = PostRef & { direction: VoteDirection; created_at: Date };

export async function listVotes(
  tx: Tx,
  { memberId, before, limit }: ActivityBefore & { limit: number },
): Promise<RemovedVote[]> {
  const { rows } = await sql<RemovedVote>`
    select direction, created_at,
      case when question_id is not null then 'question' when answer_id is not null then 'answer' else 'reply' end
        as kind,
      coalesce(question_id, answer_id, reply_id) as id
    from vote where member_id = ${memberId} and created_at <= ${before} limit ${sql.lit(limit)}`.execute(tx);
  return rows;
}

export async function insertRemovedVotes(
  tx: Tx,
  { activityRemovalId, votes }: { activityRemovalId: number; votes: readonly RemovedVote[] },
) {
  await sql`
    insert into removed_vote (activity_removal_id, post_kind, post_id, direction, created_at)
    select ${activityRemovalId}::bigint, * from unnest(
      ${votes.map(({ kind }) => kind)}::text[], ${votes.map(({ id }) => id)}::bigint[],
      ${votes.map(({ direction }) => direction)}::text[], ${votes.map((vote) => vote.created_at)}::timestamptz[]
    ) on conflict do nothing`.execute(tx);
}

export async function listRemovedVotes(
  tx: Tx,
  { activityRemovalId, limit }: { activityRemovalId: number; limit: number },
): Promise<RemovedVote[]> {
  const { rows } = await sql<RemovedVote>`
    select post_kind as kind, post_id as id, direction, created_at from removed_vote
    where activity_removal_id = ${activityRemovalId} order by post_kind, post_id limit ${sql.lit(limit)}`.execute(
    tx,
  );
  return rows;
}

/**
 * Removes votes of a member on hidden posts, or restores them. These votes give no points while the posts are
 * hidden.
 */
export async function changeVotesOnHiddenPosts(
  tx: Tx,
  { memberId, votes, by }: { memberId: number; votes: readonly RemovedVote[]; by: 1 | -1 },
) {
  for (const [kind, each] of Map.groupBy(votes, (vote) => vote.kind)) {
    const post = sql.table(`base_${kind}`);
    const postId = sql.ref(`${kind}_id`);
    const hidden = sql`
      unnest(
        ${each.map(({ id }) => id)}::bigint[], ${each.map(({ direction }) => direction)}::text[],
        ${each.map((vote) => vote.created_at)}::timestamptz[]
      ) as wanted (id, direction, created_at)
      join ${post} post on post.id = wanted.id and post.hidden_by is not null`;
    const changed =
      by === 1
        ? sql`
          insert into vote (${postId}, member_id, direction, created_at)
          select wanted.id, ${memberId}, wanted.direction, wanted.created_at from ${hidden} on conflict do nothing`
        : sql`
          delete from vote where member_id = ${memberId} and ${postId} in (select wanted.id from ${hidden})`;
    await sql`
      with changed as (${changed} returning ${postId} as id, direction)
      update ${post} post
      set upvotes = upvotes + ${sql.lit(by)} * (direction = 'up')::int,
        downvotes = downvotes + ${sql.lit(by)} * (direction = 'down')::int
      from changed where post.id = changed.id`.execute(tx);
  }
}

export async function deleteRemovedVotes(
  tx: Tx,
  { activityRemovalId, votes }: { activityRemovalId: number; votes: readonly PostRef[] },
) {
  await sql`
    delete from removed_vote
    using unnest(${votes.map(({ kind }) => kind)}::text[], ${votes.map(({ id }) => id)}::bigint[]) as done (kind, id)
    where activity_removal_id = ${activityRemovalId} and post_kind = done.kind and post_id = done.id`.execute(
    tx,
  );
}

export async function findLastHiddenPost(
  tx: Tx,
  activityRemovalId: number,
): Promise<HiddenPostRow | undefined> {
  const { rows } = await sql<HiddenPostRow>`
    select * from hidden_post where activity_removal_id = ${activityRemovalId} order by id desc limit 1`.execute(
    tx,
  );
  return rows[0];
}

export async function detachHiddenPost(tx: Tx, id: number) {
  await sql`update hidden_post set activity_removal_id = null where id = ${id}`.execute(tx);
}
