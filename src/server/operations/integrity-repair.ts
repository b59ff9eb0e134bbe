import { type RawBuilder, sql } from 'kysely';
import { type IntegrityViolation, selectViolations } from './integrity-check.ts';
import { type Database, transaction, type Tx } from '#server/core/database.ts';
import { writeAnswerScores, writeQuestionSortKeys, writeTagSortKeys } from '#server/posts/index.ts';
import { lockStatistics, rebuildMemberStatistics, rebuildTagStatistics } from '#server/discovery/index.ts';

/** A repaired row: the row, the old value and the new one. */
export type RepairedRow = IntegrityViolation;

/** Rows repaired in one transaction, which blocks members who write to them. */
const maxRowsPerTransaction = 200;

/** Whether recounting can repair the rows of a rule. */
export const canRepair = (rule: string): boolean => rule in repairs;

/**
 * Repairs what can be recounted, while members write. Each row is locked first and then counted, so that concurrent
 * writes are counted exactly once. Counts are repaired before the sort keys that depend on them.
 * @returns the changes; rows that are correct by now are skipped
 */
export async function repairViolations(
  db: Database,
  broken: readonly IntegrityViolation[],
): Promise<RepairedRow[]> {
  const changed: RepairedRow[] = [];
  const byRule = Map.groupBy(broken, ({ rule }) => rule);
  for (const [rule, repair] of Object.entries(repairs)) {
    const ids = (byRule.get(rule) ?? []).map(({ id }) => id).toSorted((one, other) => one - other);
    for (let from = 0; from < ids.length; from += maxRowsPerTransaction) {
      const chunk = ids.slice(from, from + maxRowsPerTransaction);
      const repaired = await transaction(db, (tx) => repairRows(tx, { rule, repair, ids: chunk }));
      changed.push(...repaired.map((row) => ({ rule, ...row })));
    }
  }
  return changed;
}

/** Makes every node clear its caches and every open page reload. */
export async function publishRepairs(db: Database): Promise<void> {
  await transaction(db, async (tx) => {
    await sql`insert into event (topic, event)
      select topic, '{"kind": "imported"}'::jsonb from unnest(array['feeds', 'answers', 'tags']) list (topic)`.execute(
      tx,
    );
    await sql`select pg_notify('parley_event', '')`.execute(tx);
  });
}

type Repair = {
  /** The table whose rows are locked, as every writer of the count does. */
  lockTable: string;
  /** Locks to take before. */
  lockBefore?: RawBuilder<unknown>;
  /** @param wrong the rows that are wrong now, as `wrong (id, stored, counted)` */
  update: (wrong: RawBuilder<unknown>) => RawBuilder<unknown>;
};

async function repairRows(
  tx: Tx,
  { rule, repair, ids }: { rule: string; repair: Repair; ids: number[] },
): Promise<Omit<RepairedRow, 'rule'>[]> {
  await repair.lockBefore?.execute(tx);
  await sql`select from ${sql.table(repair.lockTable)} where id = any(${ids}::bigint[]) order by id for no key update`.execute(
    tx,
  );
  const { rows } = await sql<Omit<RepairedRow, 'rule'>>`${selectViolations(rule, ids)} order by id`.execute(
    tx,
  );
  if (rows.length > 0)
    await repair
      .update(sql`(select * from unnest(
        ${rows.map(({ id }) => id)}::bigint[], ${rows.map(({ expected }) => expected)}::text[]) wrong (id, counted))`)
      .execute(tx);
  return rows;
}

/** Hidden posts have no sort keys. */
const visiblePosts = ', visible as (select * from repaired where hidden_by is null)';

/** @param writeSortKeys writes the sort keys that depend on the column */
function repairColumn(
  table: string,
  name: string,
  {
    type = 'bigint',
    writeSortKeys,
  }: { type?: 'bigint' | 'text'; writeSortKeys?: (rows: string) => string } = {},
): Repair {
  return {
    lockTable: table,
    update: (wrong) => sql`
      with repaired as (
        update ${sql.table(table)} as row set ${sql.ref(name)} = wrong.counted::${sql.raw(type)}
        from ${wrong} wrong where row.id = wrong.id returning row.*
      ) ${sql.raw(writeSortKeys === undefined ? 'select' : `${visiblePosts} ${writeSortKeys('visible')}`)}`,
  };
}

const repairSortKeys = (
  lockTable: 'question' | 'answer',
  writeSortKeys: (rows: string) => string,
): Repair => ({
  lockTable,
  update: (wrong) => sql`
    with post as (select * from ${sql.table(lockTable)} where id in (select id from ${wrong} wrong))
    ${sql.raw(writeSortKeys('post'))}`,
});

const questionSortKeys = { writeSortKeys: writeQuestionSortKeys };
const answerScores = { writeSortKeys: writeAnswerScores };

const rebuildMembers: Repair = {
  lockTable: 'member',
  lockBefore: lockStatistics,
  update: (wrong) => rebuildMemberStatistics(sql`select id from ${wrong} wrong`),
};

const rebuildTags: Repair = {
  lockTable: 'tag',
  lockBefore: lockStatistics,
  update: (wrong) => rebuildTagStatistics(sql`select id from ${wrong} wrong`),
};

/** The repairs run in this order. */
const repairs: Readonly<Record<string, Repair>> = {
  'question.upvotes': repairColumn('base_question', 'upvotes', questionSortKeys),
  'question.downvotes': repairColumn('base_question', 'downvotes'),
  'question.views': repairColumn('base_question', 'views'),
  'question.answer_count': repairColumn('base_question', 'answer_count', questionSortKeys),
  'question.tag_text': repairColumn('base_question', 'tag_text', { type: 'text' }),
  'question.duplicate_of is no duplicate': repairColumn('base_question', 'duplicate_of'),
  'answer.upvotes': repairColumn('base_answer', 'upvotes', answerScores),
  'answer.downvotes': repairColumn('base_answer', 'downvotes', answerScores),
  'reply.upvotes': repairColumn('base_reply', 'upvotes'),
  'reply.downvotes': repairColumn('base_reply', 'downvotes'),
  'member.questions_count': repairColumn('member', 'questions_count'),
  'member.answers_count': repairColumn('member', 'answers_count'),
  'member.reputation': repairColumn('member', 'reputation'),
  member_daily_statistics: rebuildMembers,
  'member_statistics.upvotes': rebuildMembers,
  'member_statistics.views': rebuildMembers,
  tag_weekly_statistics: rebuildTags,
  'tag.questions_count': repairColumn('tag', 'questions_count'),
  'tag.followers_count': repairColumn('tag', 'followers_count'),
  'answer_score.score': repairSortKeys('answer', writeAnswerScores),
  'question_sort_key.upvotes': repairSortKeys('question', writeQuestionSortKeys),
  'question_sort_key.answer_count': repairSortKeys('question', writeQuestionSortKeys),
  'tag_question_sort_key.active_at': repairSortKeys('question', writeTagSortKeys),
};
