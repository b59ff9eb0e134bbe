import { type RawBuilder, sql } from 'kysely';
import type { Queryable, Reader, Tx } from '#server/core/database.ts';
import { one, unnamedMember } from '#server/core/sql.ts';
import type { Removal, RemovalPreview } from '#shared/moderation/removals.ts';

/** The members whose activity is to be removed. */
export type RemovalTarget =
  | { memberIds: readonly number[] }
  | { network: string; from: Date | null; to: Date | null };

/** Selects these members, and whether each is a moderator or already removed. */
const candidatesQuery = (chosen: RemovalTarget): RawBuilder<unknown> => {
  const members =
    'memberIds' in chosen
      ? sql`select id from member where id = any(${[...chosen.memberIds]}::bigint[])`
      : sql`select member_id as id from registration
          where network = ${chosen.network}
            and registered_at between coalesce(${chosen.from}::timestamptz, '-infinity')
              and coalesce(${chosen.to}::timestamptz, 'infinity')`;
  return sql`
    select member.id, coalesce(display_name, ${unnamedMember}) as name, role <> 'member' as "isModerator",
      exists (select from activity_removal where member_id = member.id and state <> 'restored') as "isRemoved"
    from member where id in (${members})`;
};

export type Candidate = { id: number; name: string; isModerator: boolean; isRemoved: boolean };

export async function selectCandidates(
  db: Queryable | Reader,
  { chosen, limit }: { chosen: RemovalTarget; limit: number },
): Promise<Candidate[]> {
  const { rows } =
    await sql<Candidate>`${candidatesQuery(chosen)} order by id limit ${sql.lit(limit)}`.execute(db);
  return rows;
}

/** Columns with a member's numbers of posts and votes. The query needs `member.id`. */
export const activityCounts = sql`
  (select count(*) from question where author_id = member.id) as questions,
  (select count(*) from answer where author_id = member.id) as answers,
  (select count(*) from reply where author_id = member.id and deleted_at is null) as replies,
  (select count(*) from vote where member_id = member.id) as votes`;

type AccountActivity = RemovalPreview['items'][number];

export async function listMemberActivity(db: Reader, ids: readonly number[]): Promise<AccountActivity[]> {
  const { rows } = await sql<AccountActivity>`
    select * from (
      select id, coalesce(display_name, ${unnamedMember}) as "displayName", ${activityCounts}
      from member where id = any(${[...ids]}::bigint[])
    ) counted order by questions + answers + replies + votes desc, id`.execute(db);
  return rows;
}

/** Counts the answers and replies of other members below posts of these members. */
export async function countOthersPosts(db: Reader, memberIds: readonly number[]): Promise<number> {
  const ids = sql`${[...memberIds]}::bigint[]`;
  const { rows } = await sql<{ count: number }>`
    select (
      select count(*) from question join answer on answer.question_id = question.id
      where question.author_id = any(${ids}) and coalesce(answer.author_id, 0) <> all(${ids})
    ) + (
      select count(*) from question join reply on reply.question_id = question.id
      where question.author_id = any(${ids}) and coalesce(reply.author_id, 0) <> all(${ids}) and deleted_at is null
    ) + (
      select count(*) from answer join question on question.id = answer.question_id
      join reply on reply.answer_id = answer.id
      where answer.author_id = any(${ids}) and coalesce(question.author_id, 0) <> all(${ids})
        and coalesce(reply.author_id, 0) <> all(${ids}) and deleted_at is null
    ) as count`.execute(db);
  return rows[0]?.count ?? 0;
}

export type SampleRow = Omit<RemovalPreview['sample'][number], 'createdAt'> & { createdAt: Date };

export async function listLatestPosts(
  db: Reader,
  { memberIds, limit }: { memberIds: readonly number[]; limit: number },
): Promise<SampleRow[]> {
  const ids = sql`${[...memberIds]}::bigint[]`;
  const latest = sql`order by post.created_at desc limit ${sql.lit(limit)}`;
  const start = sql`left(post.content, 200) as text`;
  const { rows } = await sql<SampleRow>`
    select posts.*, coalesce(member.display_name, ${unnamedMember}) as "authorName" from (
      (select 'question' as kind, post.id, post.id as "questionId", post.title, ${start}, post.author_id,
        post.created_at as "createdAt"
        from question post where post.author_id = any(${ids}) ${latest})
      union all
      (select 'answer', post.id, question_id, question.title, ${start}, post.author_id, post.created_at
        from answer post join question on question.id = question_id where post.author_id = any(${ids}) ${latest})
      union all
      (select 'reply', post.id, question_id, question.title, ${start}, post.author_id, post.created_at
        from reply post join question on question.id = question_id
        where post.author_id = any(${ids}) and deleted_at is null ${latest})
    ) posts join member on member.id = posts.author_id
    order by "createdAt" desc limit ${sql.lit(limit)}`.execute(db);
  return rows;
}

/** Returns the id. */
export async function insertRemoval(
  tx: Tx,
  { moderatorId, reason }: { moderatorId: number | null; reason: string },
): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    insert into bulk_removal (moderator_id, reason) values (${moderatorId}, ${reason}) returning id`.execute(
    tx,
  );
  return one(rows).id;
}

type StartedRemovals = { accounts: number; posts: number; votes: number; firstId: number | null };

/**
 * Starts the removal of each member's activity, except for members whose activity is removed already. Returns the
 * numbers of accounts, posts and votes to remove, and the id of the first.
 */
export async function insertActivityRemovals(
  tx: Tx,
  run: { removalId: number | null; memberIds: readonly number[]; moderatorId: number | null; reason: string },
): Promise<StartedRemovals> {
  const { removalId, memberIds, moderatorId, reason } = run;
  const { rows } = await sql<StartedRemovals>`
    with begun as (
      insert into activity_removal (member_id, moderator_id, reason, bulk_removal_id, posts, votes)
      select id, ${moderatorId}::bigint, ${reason}, ${removalId}::bigint, questions + answers + replies, votes
      from (select id, ${activityCounts} from member where id = any(${[...memberIds]}::bigint[])) counted
      order by id
      on conflict do nothing returning id, posts, votes
    )
    select count(*) as accounts, coalesce(sum(posts), 0)::bigint as posts, coalesce(sum(votes), 0)::bigint as votes,
      min(id) as "firstId"
    from begun`.execute(tx);
  return rows[0] ?? { accounts: 0, posts: 0, votes: 0, firstId: null };
}

export async function listRunningRemovals(db: Queryable): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select distinct bulk_removal_id as id from activity_removal
    where bulk_removal_id is not null and state in ('removing', 'restoring') order by id limit 100`.execute(
    db,
  );
  return rows.map((row) => row.id);
}

/** Locks a removal, so that its accounts are processed one after the other. Returns undefined if there is none. */
export async function lockRemoval(tx: Tx, id: number) {
  const { rows } = await sql<{ id: number }>`select id from bulk_removal where id = ${id} for update`.execute(
    tx,
  );
  return rows[0];
}

/**
 * Returns the next account of a removal. Accounts are removed by ascending id and restored in reverse order, so that
 * each reply finds its answer and each answer its question.
 */
export async function findNextActivityRemoval(tx: Tx, removalId: number): Promise<number | undefined> {
  const next = (state: string, order: RawBuilder<unknown>) => sql`(
    select id from activity_removal where bulk_removal_id = ${removalId} and state = ${sql.lit(state)} order by id ${order} limit 1
  )`;
  const { rows } = await sql<{ id: number | null }>`
    select coalesce(${next('removing', sql`asc`)}, ${next('restoring', sql`desc`)}) as id`.execute(tx);
  return rows[0]?.id ?? undefined;
}

export async function isModerator(tx: Tx, memberId: number): Promise<boolean> {
  const { rows } = await sql`select from member where id = ${memberId} and role <> 'member'`.execute(tx);
  return rows.length > 0;
}

export type RemovalRow = Omit<Removal, 'createdAt'> & { createdAt: Date };

/** The latest removals, or the one with the id. */
export async function selectRemovals(
  db: Queryable | Reader,
  { id, limit }: { id: number | null; limit: number },
): Promise<RemovalRow[]> {
  const { rows } = await sql<RemovalRow>`
    select bulk_removal.id, reason, bulk_removal.created_at as "createdAt",
      case when member.id is not null then coalesce(member.display_name, ${unnamedMember}) end as "moderatorName", done.*
    from (
      select * from bulk_removal ${id === null ? sql`` : sql`where id = ${id}`} order by id desc limit ${sql.lit(limit)}
    ) bulk_removal
    left join member on member.id = moderator_id
    cross join lateral (
      select count(*) as accounts, coalesce(sum(posts), 0)::bigint as posts, coalesce(sum(votes), 0)::bigint as votes,
        coalesce(sum(posts_done), 0)::bigint as "postsDone", coalesce(sum(votes_done), 0)::bigint as "votesDone",
        case when bool_or(state = 'restoring') then 'restoring' when bool_or(state = 'removing') then 'removing'
          when bool_and(state = 'restored') then 'restored' else 'removed' end as state
      from activity_removal where bulk_removal_id = bulk_removal.id
    ) done
    order by bulk_removal.id desc`.execute(db);
  return rows;
}

/** Starts the restoration of one account, or of everything that a removal removed. Returns the number of accounts. */
export async function startRestoring(
  tx: Tx,
  { column, id }: { column: 'id' | 'bulk_removal_id'; id: number },
): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    update activity_removal set state = 'restoring', posts_done = 0, votes_done = 0, finished_at = null,
      posts = (select count(*) from hidden_post where activity_removal_id = activity_removal.id),
      votes = (select count(*) from removed_vote where activity_removal_id = activity_removal.id)
    where ${sql.ref(column)} = ${id} and state = 'removed'`.execute(tx);
  return Number(numAffectedRows);
}
