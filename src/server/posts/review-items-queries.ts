import { sql } from 'kysely';
import type { Queryable, Tx } from '#server/core/database.ts';
import type { PostRef } from '#shared/core/fields.ts';

/** Whether no post waits for a moderator. */
export async function isReviewQueueEmpty(db: Queryable): Promise<boolean> {
  const { rows } = await sql`select from review_item limit 1`.execute(db);
  return rows.length === 0;
}

/**
 * Returns how many visible posts the members have, each up to `max`, without the posts `except`. Members without posts
 * are left out.
 */
export async function countPostsOf(
  tx: Tx,
  memberIds: readonly number[],
  { max, except }: { max: number; except: readonly PostRef[] },
): Promise<Map<number, number>> {
  const without = (kind: PostRef['kind']) =>
    except.filter((post) => post.kind === kind).map((post) => post.id);
  const { rows } = await sql<{ id: number; posts: number }>`
    select wanted.id, count(*) as posts
    from unnest(${[...memberIds]}::bigint[]) wanted (id)
    cross join lateral (
      (select from question where author_id = wanted.id and id <> all(${without('question')}::bigint[]) limit ${max})
      union all
      (select from answer where author_id = wanted.id and id <> all(${without('answer')}::bigint[]) limit ${max})
      union all
      (select from reply where author_id = wanted.id and deleted_at is null and id <> all(${without('reply')}::bigint[])
        limit ${max})
    ) post
    group by wanted.id`.execute(tx);
  return new Map(rows.map(({ id, posts }) => [id, posts]));
}

export type NewReviewItem = { post: PostRef; cause: 'first_post' | 'links' };

/** Adds posts to the review queue. One that waits already keeps its first cause. */
export async function insertReviewItems(tx: Tx, items: readonly NewReviewItem[]): Promise<void> {
  await sql`
    insert into review_item as item (post_kind, post_id, open_reports, other_cause)
    select kind, id, 0, cause from unnest(
      ${items.map(({ post }) => post.kind)}::text[], ${items.map(({ post }) => post.id)}::bigint[],
      ${items.map(({ cause }) => cause)}::text[]
    ) added (kind, id, cause)
    order by kind, id
    on conflict (post_kind, post_id) do update set other_cause = coalesce(item.other_cause, excluded.other_cause)`.execute(
    tx,
  );
}
