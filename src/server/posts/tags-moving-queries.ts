import { sql } from 'kysely';
import type { Tx } from '#server/core/database.ts';
import { writeTagSortKeys } from './sort-keys.ts';
import { questionTagNames } from './cards.ts';
import { markStaleDays } from './statistics-changes.ts';

/** Returns the questions of a tag, visible ones first, at most `limit`. */
export async function listQuestionsToMove(
  tx: Tx,
  { tagId, limit }: { tagId: number; limit: number },
): Promise<number[]> {
  const { rows } = await sql<{ question_id: number }>`
    (select question_id from question_tag where tag_id = ${tagId}
      order by question_created_at desc, question_id desc limit ${sql.lit(limit)})
    union all
    (select question_id from base_question_tag where tag_id = ${tagId} and hidden_by is not null limit ${sql.lit(limit)})
    limit ${sql.lit(limit)}`.execute(tx);
  return rows.map((row) => row.question_id);
}

/** The position of a question in the list of a tag, newest first. */
export type TagQuestionPosition = { createdAt: Date; id: number };

/** Returns visible questions of a tag after a position, newest first. */
export async function listQuestionsOfTag(
  tx: Tx,
  { tagId, after, limit }: { tagId: number; after: TagQuestionPosition | null; limit: number },
): Promise<TagQuestionPosition[]> {
  const { rows } = await sql<{ id: number; createdAt: Date }>`
    select question_id as id, question_created_at as "createdAt" from question_tag where tag_id = ${tagId}
      ${after === null ? sql`` : sql`and (question_created_at, question_id) < (${after.createdAt}, ${after.id})`}
    order by question_created_at desc, question_id desc limit ${sql.lit(limit)}`.execute(tx);
  return rows;
}

/** Returns hidden questions of a tag that do not have its name for search yet. */
export async function listHiddenToRename(
  tx: Tx,
  { tagId, limit }: { tagId: number; limit: number },
): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select question.id from base_question_tag link join base_question question on question.id = link.question_id
    where link.tag_id = ${tagId} and link.hidden_by is not null and question.tag_text <> (
      select string_agg(tag.name, ', ' order by position)
      from base_question_tag each join tag on tag.id = each.tag_id where each.question_id = question.id
    )
    limit ${sql.lit(limit)}`.execute(tx);
  return rows.map((row) => row.id);
}

/** Locks questions against changes, also hidden ones. */
export async function lockQuestionsWithHidden(tx: Tx, ids: readonly number[]): Promise<void> {
  await sql`
    select id from base_question where id = any(${[...ids]}::bigint[]) order by id for no key update`.execute(
    tx,
  );
}

type Move = { questionIds: readonly number[]; from: number; into: number };

/** Moves locked questions with their answers from the statistics of one tag to those of another. */
export async function moveTagStatistics(tx: Tx, { questionIds, from, into }: Move): Promise<void> {
  const ids = sql`any(${[...questionIds]}::bigint[])`;
  await sql`
    with stale_days as (
      ${markStaleDays(sql`
        select created_at from question where id = ${ids}
        union all select created_at from answer where question_id = ${ids}`)}
    )
    insert into tag_statistics_change (tag_id, week, questions, answers)
    select moved.tag_id, week, sum(questions * by), sum(answers * by)
    from (
      select question_id, tag_id, -1 as by from question_tag where question_id = ${ids} and tag_id = ${from}
      union all
      select question_id, ${into}::bigint, 1 from question_tag link where question_id = ${ids} and tag_id = ${from}
        and not exists (select from question_tag where question_id = link.question_id and tag_id = ${into})
    ) moved
    join (
      select id as question_id, utc_week(created_at) as week, 1 as questions, 0 as answers
      from question where id = ${ids}
      union all
      select question_id, utc_week(created_at), 0, 1 from answer where question_id = ${ids}
    ) post using (question_id)
    group by 1, 2`.execute(tx);
}

/**
 * Moves locked questions, also hidden ones, from one locked tag to another. Returns how many visible questions left the
 * one, and how many of them are new to the other.
 */
export async function moveQuestionTags(tx: Tx, { questionIds, from, into }: Move) {
  const ids = sql`any(${[...questionIds]}::bigint[])`;
  const { rows } = await sql<{ left: number; entered: number }>`
    select count(*) as left, count(*) filter (where not exists (
      select from question_tag where question_id = link.question_id and tag_id = ${into}
    )) as entered
    from question_tag link where question_id = ${ids} and tag_id = ${from}`.execute(tx);
  // All tags of the questions, because the positions count from 0. The delete is complete before the first insert.
  await sql`
    with removed as (
      delete from base_question_tag where question_id = ${ids} returning *
    )
    insert into base_question_tag (question_id, tag_id, position, question_created_at, hidden_by)
    select question_id, tag_id, row_number() over (partition by question_id order by first) - 1,
      question_created_at, hidden_by
    from (
      select question_id, case tag_id when ${from} then ${into} else tag_id end as tag_id, min(position) as first,
        question_created_at, hidden_by
      from removed group by 1, 2, 4, 5
    ) each`.execute(tx);
  await sql`
    with moved as (select id, active_at from question where id = ${ids})
    ${sql.raw(writeTagSortKeys('moved'))}`.execute(tx);
  return rows[0] ?? { left: 0, entered: 0 };
}

/** Changes the question counts of two locked tags. Returns the counts. */
export async function moveTagCounts(
  tx: Tx,
  { from, into, left, entered }: Omit<Move, 'questionIds'> & { left: number; entered: number },
) {
  const { rows } = await sql<{ name: string; questions_count: number }>`
    update tag set
      questions_count = questions_count + case id when ${from} then -${left}::bigint else ${entered}::bigint end,
      active_at = case id when ${into} then greatest(active_at, (select active_at from tag where id = ${from}))
        else active_at end
    where id in (${from}, ${into}) returning name, questions_count`.execute(tx);
  return rows;
}

/** A visible question whose tags changed. */
type RetaggedQuestion = {
  id: number;
  created_at: Date;
  tags: string[];
};

/** Writes the names of the tags of locked questions for search. Returns the visible questions. */
export async function writeTagText(tx: Tx, questionIds: readonly number[]): Promise<RetaggedQuestion[]> {
  const ids = sql`any(${[...questionIds]}::bigint[])`;
  await sql`
    update base_question question set tag_text = named.names
    from (
      select question_id, string_agg(tag.name, ', ' order by position) as names
      from base_question_tag link join tag on tag.id = link.tag_id where question_id = ${ids} group by question_id
    ) named
    where question.id = named.question_id and question.tag_text <> named.names`.execute(tx);
  const { rows } = await sql<RetaggedQuestion>`
    select id, created_at, ${questionTagNames} as tags
    from question post where id = ${ids}`.execute(tx);
  return rows;
}
