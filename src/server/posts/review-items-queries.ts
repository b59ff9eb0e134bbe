import { sql } from 'kysely';
import type { Queryable, Tx } from '#server/core/database.ts';
import type { PostRef } from '#shared/core/fields.ts';
import type { MatchedRule } from '#shared/moderation/spam.ts';

/** Whether no post waits for a moderator. */
export async function isReviewQueueEmpty(db: Queryable): Promise<boolean> {
  const { rows } = await sql`select from review_item limit 1`.execute(db);
  return rows.length === 0;
}

/** Whether a post waits for a moderator. */
export async function isInReviewQueue(db: Queryable, { kind, id }: PostRef): Promise<boolean> {
  const { rows } = await sql`
    select from review_item where post_kind = ${kind} and post_id = ${id}`.execute(db);
  return rows.length > 0;
}

/** `posts`: visible posts. `recent`: those of them that were written in the latest minutes. */
export type PostCounts = { posts: number; recent: number };

/**
 * Counts the visible posts of members, up to `max` questions, answers and replies each, without the posts `except`.
 * Members without posts are left out.
 */
export async function countPostsOf(
  tx: Tx,
  memberIds: readonly number[],
  { max, recentMinutes, except }: { max: number; recentMinutes: number; except: readonly PostRef[] },
): Promise<Map<number, PostCounts>> {
  const without = (kind: PostRef['kind']) =>
    except.filter((post) => post.kind === kind).map((post) => post.id);
  const { rows } = await sql<PostCounts & { id: number }>`
    select wanted.id, count(*) as posts,
      count(*) filter (where created_at > now() - make_interval(mins => ${recentMinutes})) as recent
    from unnest(${[...memberIds]}::bigint[]) wanted (id)
    cross join lateral (
      (select created_at from question where author_id = wanted.id and id <> all(${without('question')}::bigint[]) limit ${max})
      union all
      (select created_at from answer where author_id = wanted.id and id <> all(${without('answer')}::bigint[]) limit ${max})
      union all
      (select created_at from reply
        where author_id = wanted.id and deleted_at is null and id <> all(${without('reply')}::bigint[]) limit ${max})
    ) post
    group by wanted.id`.execute(tx);
  return new Map(rows.map(({ id, ...counts }) => [id, counts]));
}

/** Why a post of a new member waits. `matchedRules`: null for other causes than a spam rule. */
export type ReviewReason =
  | { cause: 'spam_rule'; matchedRules: readonly MatchedRule[] }
  | { cause: 'first_post' | 'links'; matchedRules: null };

export type NewReviewItem = {
  post: PostRef;
  reason: ReviewReason;
  /** Null for a post that everyone sees. */
  heldPostId: number | null;
};

/** Adds posts to the review queue. One that waits already keeps its first cause, unless it now matches a spam rule. */
export async function insertReviewItems(tx: Tx, items: readonly NewReviewItem[]): Promise<void> {
  await sql`
    insert into review_item as item (post_kind, post_id, open_reports, other_cause, matched_rules, held_post_id)
    select kind, id, 0, cause, matched_rules, held_post_id from unnest(
      ${items.map(({ post }) => post.kind)}::text[], ${items.map(({ post }) => post.id)}::bigint[],
      ${items.map(({ reason }) => reason.cause)}::text[],
      ${items.map(({ reason }) => reason.matchedRules && JSON.stringify(reason.matchedRules))}::jsonb[],
      ${items.map(({ heldPostId }) => heldPostId)}::bigint[]
    ) added (kind, id, cause, matched_rules, held_post_id)
    order by kind, id
    on conflict (post_kind, post_id) do update set
      other_cause = case when excluded.other_cause = 'spam_rule' then 'spam_rule'
        else coalesce(item.other_cause, excluded.other_cause) end,
      matched_rules = coalesce(excluded.matched_rules, item.matched_rules)`.execute(tx);
}
