import { sql } from 'kysely';
import type { Reader } from '#server/core/database.ts';
import { maxEarlierPosts } from '#server/posts/index.ts';
import type { PostKind, PostRef } from '#shared/core/fields.ts';
import { learnedPostsPerRemoval } from './activity-removal.ts';

/** A post of the history with what the spam rules and the classifier know about it. */
export type HistoricPost = PostRef & {
  createdAt: Date;
  /** Of a question with its title. */
  text: string;
  accountHours: number | null;
  /** Posts of the author from before that were visible then, up to the maximum that was asked for. */
  earlierPosts: number;
  recentPosts: number;
  isModerator: boolean;
  /** What became of it: spam, visible, or removed for another reason. */
  outcome: 'spam' | 'visible' | 'removed';
};

/** A moderator's decision about a post that teaches the classifier. */
export type HistoricDecision = PostRef & { at: Date; isSpam: boolean };

/** The place in a history that is read in the order of times, then kinds, then ids. */
export type HistoryCursor = { at: Date; kind: string; id: number };

export const historyStart: HistoryCursor = { at: new Date(0), kind: '', id: 0 };

/** Rows that one statement reads. */
export const historyPage = 200;

/** Removed posts of one author that are looked at, so that one account of a spammer does not take all the time. */
const maxRemovedPosts = 200;

/** Posts that an author wrote within minutes, counted at most. The setting `newMemberPosts` allows up to 49. */
const maxRecentPosts = 50;

export type HistoryLimits = { until: Date; maxEarlier: number; recentMinutes: number | null };

const isSpam = (kind: string, id: string) => sql`
  exists (select from spam_training where post_kind = ${sql.ref(kind)} and post_id = ${sql.ref(id)} and is_spam)
  or exists (
    select from report where report.post_kind = ${sql.ref(kind)} and report.post_id = ${sql.ref(id)}
      and report.reason = 'spam' and outcome = 'resolved'
  )`;

/** Whether a row of `hidden_post` or a rejected row of `held_post` was removed as spam (docs/decisions/094). */
const isHiddenSpam = sql`(
  hidden.activity_removal_id is not null or hidden.reason ilike 'spam%'
  or ${isSpam('hidden.post_kind', 'hidden.post_id')})`;
const isHeldSpam = sql`(
  held.rejection_reason = '' or held.rejection_reason ilike 'spam%'
  or ${isSpam('held.post_kind', 'held.post_id')})`;

const text = {
  question: sql`title || E'\n' || content`,
  answer: sql`content`,
  reply: sql`content`,
} as const satisfies Record<PostKind, unknown>;

/** Texts and authors of posts, visible or not. */
const storedPosts = (kind: string, id: string) => sql`
  select author_id, created_at, ${text.question} as text from base_question
  where ${sql.ref(kind)} = 'question' and base_question.id = ${sql.ref(id)}
  union all select author_id, created_at, content from base_answer
  where ${sql.ref(kind)} = 'answer' and base_answer.id = ${sql.ref(id)}
  union all select author_id, created_at, content from base_reply
  where ${sql.ref(kind)} = 'reply' and base_reply.id = ${sql.ref(id)} and deleted_at is null`;

/** The columns of a `HistoricPost`, of rows `post` with kind, id, author_id, created_at, text and outcome. */
const columns = ({ maxEarlier, recentMinutes }: Omit<HistoryLimits, 'until'>) => {
  const shown = (table: string, since = sql``, limit = maxEarlier) => sql`
    select from ${sql.table(table)} other
    where other.author_id = post.author_id and other.created_at < post.created_at ${since}
      ${table === 'reply' ? sql`and other.deleted_at is null` : sql``}
    order by other.created_at limit ${sql.lit(limit)}`;
  const removedLater = (since = sql``, limit = maxEarlier) => sql`
    select from (
      select * from hidden_post where hidden_post.author_id = post.author_id
      order by hidden_post.id desc limit ${sql.lit(maxRemovedPosts)}
    ) hidden cross join lateral (${storedPosts('hidden.post_kind', 'hidden.post_id')}) other
    where hidden.created_at > post.created_at and other.created_at < post.created_at ${since}
    limit ${sql.lit(limit)}`;
  const count = (max: number, since = sql``) => sql`
    least(${sql.lit(max)}, (select count(*) from (
      (${shown('question', since, max)}) union all (${shown('answer', since, max)})
      union all (${shown('reply', since, max)}) union all (${removedLater(since, max)})
    ) found))::int`;
  return sql`
    post.kind, post.id, post.created_at as "createdAt", post.text, post.outcome,
    extract(epoch from post.created_at - author.created_at)::float8 / 3600 as "accountHours",
    coalesce(author.role <> 'member', false) as "isModerator", ${count(maxEarlier)} as "earlierPosts",
    ${
      recentMinutes === null
        ? sql`0`
        : count(
            maxRecentPosts,
            sql`and other.created_at > post.created_at - make_interval(mins => ${sql.lit(recentMinutes)})`,
          )
    } as "recentPosts"`;
};

/** Visible posts of one kind in the order of their times; replies, which have no index of times, in the order of ids. */
export async function listVisibleHistory(
  db: Reader,
  kind: PostKind,
  { after, ...limits }: HistoryLimits & { after: HistoryCursor },
): Promise<HistoricPost[]> {
  const from =
    kind === 'reply'
      ? sql`deleted_at is null and id > ${after.id} and created_at < ${limits.until} order by id`
      : sql`(created_at, id) > (${after.at}, ${after.id}) and created_at < ${limits.until} order by created_at, id`;
  const { rows } = await sql<HistoricPost>`
    select ${columns(limits)} from (
      select ${kind} as kind, id, author_id, created_at, ${text[kind]} as text, 'visible' as outcome
      from ${sql.table(kind)} where ${from} limit ${sql.lit(historyPage)}
    ) post left join member author on author.id = post.author_id
    order by ${kind === 'reply' ? sql`post.id` : sql`post.created_at, post.id`}`.execute(db);
  return rows;
}

/** Hidden, deleted and rejected posts that are still stored, in the order in which they were written. */
export async function listRemovedHistory(
  db: Reader,
  { after, ...limits }: HistoryLimits & { after: HistoryCursor },
): Promise<HistoricPost[]> {
  const { rows } = await sql<HistoricPost>`
    select ${columns(limits)} from (
      select * from (
        select hidden.post_kind as kind, hidden.post_id as id, stored.author_id, stored.created_at, stored.text,
          case when ${isHiddenSpam} then 'spam' else 'removed' end as outcome
        from hidden_post hidden
        cross join lateral (${storedPosts('hidden.post_kind', 'hidden.post_id')}) stored
        union all
        select held.post_kind, held.post_id, held.member_id, held.created_at, concat_ws(E'\n', title, content),
          case when ${isHeldSpam} then 'spam' else 'removed' end
        from held_post held where rejected_at is not null
      ) removed
      where (created_at, kind, id) > (${after.at}, ${after.kind}, ${after.id}) and created_at < ${limits.until}
      order by created_at, kind, id limit ${sql.lit(historyPage)}
    ) post left join member author on author.id = post.author_id
    order by post.created_at, post.kind, post.id`.execute(db);
  return rows;
}

/**
 * Decisions that teach the classifier, in the order of their times: removals as spam, and approvals. Posts that the
 * classifier learned together with spam are left out: they have the same time as the spam.
 */
export async function listDecisions(
  db: Reader,
  { after, until }: { after: HistoryCursor; until: Date },
): Promise<HistoricDecision[]> {
  const { rows } = await sql<HistoricDecision>`
    select at, kind, id, is_spam as "isSpam" from (
      select created_at as at, post_kind as kind, post_id as id, true as is_spam from hidden_post hidden
      where ${isHiddenSpam} and (activity_removal_id is null or (select count(*) from (
        select from hidden_post other
        where other.activity_removal_id = hidden.activity_removal_id and other.id < hidden.id
        limit ${sql.lit(learnedPostsPerRemoval)}
      ) before) < ${sql.lit(learnedPostsPerRemoval)})
      union all
      select rejected_at, post_kind, post_id, true from held_post held where rejected_at is not null and ${isHeldSpam}
      union all
      select created_at, post_kind, post_id, false from spam_training training
      where not is_spam and not exists (
        select from spam_training spam where spam.is_spam and spam.created_at = training.created_at
      )
    ) decision
    where (at, kind, id) > (${after.at}, ${after.kind}, ${after.id}) and at < ${until}
    order by at, kind, id limit ${sql.lit(historyPage)}`.execute(db);
  return rows;
}

/** Posts with what the classifier knew when they were written. Those that are no longer stored are left out. */
export async function listHistoricPosts(db: Reader, posts: readonly PostRef[]): Promise<HistoricPost[]> {
  const { rows } = await sql<HistoricPost>`
    select ${columns({ maxEarlier: maxEarlierPosts, recentMinutes: null })} from (
      select wanted.kind, wanted.id, stored.*, 'removed' as outcome
      from unnest(${posts.map(({ kind }) => kind)}::text[], ${posts.map(({ id }) => id)}::bigint[]) wanted (kind, id)
      cross join lateral (
        ${storedPosts('wanted.kind', 'wanted.id')}
        union all select member_id, created_at, concat_ws(E'\n', title, content) from held_post
        where post_kind = wanted.kind and post_id = wanted.id
      ) stored
    ) post left join member author on author.id = post.author_id`.execute(db);
  return rows;
}

/**
 * First posts of a member who had standing at that time: the same rule as for the classifier itself
 * (docs/decisions/077).
 * @param from the member id to search from, chosen at random
 */
export async function listOrdinaryPostsAt(
  db: Reader,
  { at, from }: { at: Date; from: number },
): Promise<PostRef[]> {
  const written = (table: string, member: string) => sql`
    ${sql.table(table)} where author_id = ${sql.ref(member)} and created_at < ${at}`;
  const { rows } = await sql<PostRef>`
    select kind, post.id from (
      select id as member_id from (select * from member where id >= ${from} order by id limit 200) candidate
      where created_at < ${at}::timestamptz - interval '30 days'
        and (select count(*) from (
          (select from ${written('question', 'candidate.id')} limit 5)
          union all (select from ${written('answer', 'candidate.id')} limit 5)
        ) written) >= 5
        and not exists (select from hidden_post where author_id = candidate.id and created_at < ${at})
      limit 1
    ) author cross join lateral (
      (select 'question' as kind, id from ${written('question', 'member_id')} order by created_at limit 5)
      union all (select 'answer', id from ${written('answer', 'member_id')} order by created_at limit 5)
    ) post
    order by kind, id`.execute(db);
  return rows;
}

/** What the replay needs to know beforehand. */
export async function readHistorySize(
  db: Reader,
): Promise<{ posts: number; lastMemberId: number; deletedSpam: number }> {
  const { rows } = await sql<{ posts: number; lastMemberId: number; deletedSpam: number }>`
    select
      (select sum(greatest(0, reltuples))::float8 from pg_class
        where oid in ('base_question'::regclass, 'base_answer'::regclass, 'base_reply'::regclass)) as posts,
      coalesce((select max(id) from member), 0) as "lastMemberId",
      (select count(*) from spam_training training where is_spam
        and not exists (${storedPosts('training.post_kind', 'training.post_id')})
        and not exists (select from held_post where post_kind = training.post_kind and post_id = training.post_id)
      ) as "deletedSpam"`.execute(db);
  return rows[0] ?? { posts: 0, lastMemberId: 0, deletedSpam: 0 };
}
