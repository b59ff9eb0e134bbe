import { sql } from 'kysely';
import type { Queryable, Reader, Tx } from '#server/core/database.ts';
import type { PostRef } from '#shared/core/fields.ts';
import { type ClassifiedPost, maxEarlierPosts, type FeatureCounts } from './spam-classifier.ts';

export type ClassifiedPostRow = ClassifiedPost & { id: number };

/** Reads visible and held posts with the account of the author as it was then. */
export async function listClassifiedPosts(
  db: Reader,
  posts: readonly PostRef[],
): Promise<ClassifiedPostRow[]> {
  // In the order of the indexes of authors and times, so that at most `maxEarlierPosts` rows are read.
  const earlier = (table: string, condition = sql``) => sql`
    select from ${sql.table(table)} other
    where other.author_id = post.author_id and other.created_at < post.created_at ${condition}
    order by other.created_at limit ${sql.lit(maxEarlierPosts)}`;
  const earlierReplies = earlier('reply', sql`and other.deleted_at is null`);
  const { rows } = await sql<ClassifiedPostRow>`
    select wanted.kind, wanted.id, post.text,
      extract(epoch from post.created_at - member.created_at)::float8 / 3600 as "accountHours",
      least(${sql.lit(maxEarlierPosts)}, (
        select count(*) from ((${earlier('question')}) union all (${earlier('answer')}) union all (${earlierReplies})) found
      ))::int as "earlierPosts"
    from unnest(${posts.map(({ kind }) => kind)}::text[], ${posts.map(({ id }) => id)}::bigint[]) wanted (kind, id)
    cross join lateral (
      select author_id, created_at, title || E'\n' || content as text from question
      where wanted.kind = 'question' and id = wanted.id
      union all select author_id, created_at, content from answer where wanted.kind = 'answer' and id = wanted.id
      union all select author_id, created_at, content from reply
      where wanted.kind = 'reply' and id = wanted.id and deleted_at is null
      union all select member_id, created_at, concat_ws(E'\n', title, content) from held_post
      where post_kind = wanted.kind and post_id = wanted.id
    ) post
    left join member on member.id = post.author_id`.execute(db);
  return rows;
}

/** The age of accounts in hours. */
export async function listAccountHours(
  db: Reader,
  memberIds: readonly number[],
): Promise<Map<number, number>> {
  const { rows } = await sql<{ id: number; hours: number }>`
    select id, extract(epoch from now() - created_at)::float8 / 3600 as hours
    from member where id = any(${[...memberIds]}::bigint[])`.execute(db);
  return new Map(rows.map(({ id, hours }) => [id, hours]));
}

export async function getFeatureCounts(
  db: Reader,
  tokens: readonly string[],
): Promise<Map<string, FeatureCounts>> {
  const { rows } = await sql<FeatureCounts & { token: string }>`
    select token, spam, ham from spam_token where token = any(${[...tokens]}::text[])`.execute(db);
  return new Map(rows.map(({ token, ...counts }) => [token, counts]));
}

export type Training = { post: PostRef; isSpam: boolean; tokens: readonly string[] };

/** Returns whether the post was not yet learned. */
export async function insertTraining(tx: Tx, { post, isSpam, tokens }: Training): Promise<boolean> {
  const { rows } = await sql`
    insert into spam_training (post_kind, post_id, is_spam, tokens)
    values (${post.kind}, ${post.id}, ${isSpam}, ${[...tokens]}::text[])
    on conflict do nothing returning post_id`.execute(tx);
  return rows.length > 0;
}

/** Deletes what was learned from a post, of one kind of decision only. Returns its tokens. */
export async function deleteTraining(
  tx: Tx,
  { post, isSpam }: { post: PostRef; isSpam: boolean },
): Promise<string[] | undefined> {
  const { rows } = await sql<{ tokens: string[] }>`
    delete from spam_training where post_kind = ${post.kind} and post_id = ${post.id} and is_spam = ${isSpam}
    returning tokens`.execute(tx);
  return rows[0]?.tokens;
}

/**
 * Counts tokens of a post, or takes them back. Rows are locked in the order of tokens, so that two decisions cannot
 * deadlock.
 */
export async function addToFeatureCounts(
  tx: Tx,
  { tokens, isSpam, by }: { tokens: readonly string[]; isSpam: boolean; by: 1 | -1 },
): Promise<void> {
  const column = sql.ref(isSpam ? 'spam' : 'ham');
  await sql`
    insert into spam_token as counted (token, ${column})
    select token, ${sql.lit(Math.max(0, by))} from unnest(${[...tokens]}::text[]) added (token) order by token
    on conflict (token) do update set ${column} = greatest(0, counted.${column} + ${sql.lit(by)})`.execute(
    tx,
  );
}

/**
 * First posts of a random member who has been here for 30 days, has 5 questions or answers and no hidden post. The random
 * id is a subquery: PostgreSQL evaluates it once, and `random()` in the condition itself once per member.
 */
export async function listOrdinaryPosts(tx: Tx, limit: number): Promise<PostRef[]> {
  const { rows } = await sql<PostRef>`
    select kind, id from (
      select id as member_id from (
        select * from member
        where id >= (select floor(random() * max(id))::bigint from member) order by id limit 200
      ) candidate
      where questions_count + answers_count >= 5 and created_at < now() - interval '30 days'
        and not exists (select from hidden_post where author_id = candidate.id)
      limit 1
    ) author cross join lateral (
      (select 'question' as kind, id from question where author_id = member_id order by created_at limit 5)
      union all (select 'answer', id from answer where author_id = member_id order by created_at limit 5)
    ) post
    where not exists (select from spam_training where post_kind = kind and post_id = post.id)
    order by random() limit ${sql.lit(limit)}`.execute(tx);
  return rows;
}

/** Empties the tokens of old decisions, and forgets the rarest tokens above `maxFeatures`. */
export async function trimTraining(
  db: Queryable,
  { days, maxFeatures }: { days: number; maxFeatures: number },
): Promise<void> {
  await sql`
    update spam_training set tokens = '{}'
    where tokens <> '{}' and created_at < now() - make_interval(days => ${days})`.execute(db);
  await sql`
    delete from spam_token where token in (
      select token from spam_token order by token = '' desc, spam + ham desc, token offset ${maxFeatures}
    )`.execute(db);
}
