import { type RawBuilder, sql } from 'kysely';
import { type IntegrityViolation, selectViolations } from './integrity-check.ts';
import { type Database, transaction, type Tx } from '#server/core/database.ts';
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

function repairColumn(table: string, name: string, type: 'bigint' | 'text' = 'bigint'): Repair {
  return {
    lockTable: table,
    update: (wrong) => sql`
      update ${sql.table(table)} as row set ${sql.ref(name)} = wrong.counted::${sql.raw(type)}
      from ${wrong} wrong where row.id = wrong.id`,
  };
}

const repairSortKey: Repair = {
  lockTable: 'question',
  update: (wrong) => sql`
    insert into question_sort_key (question_id, created_at, active_at, upvotes, answer_count)
    select question.id, created_at, active_at, upvotes, answer_count
    from question join ${wrong} wrong on wrong.id = question.id
    on conflict (question_id) do update set created_at = excluded.created_at, active_at = excluded.active_at,
      upvotes = excluded.upvotes, answer_count = excluded.answer_count`,
};

const repairAnswerScore: Repair = {
  lockTable: 'answer',
  update: (wrong) => sql`
    insert into answer_score (answer_id, question_id, score, created_at)
    select answer.id, question_id, upvotes - downvotes, created_at
    from answer join ${wrong} wrong on wrong.id = answer.id
    on conflict (answer_id) do update set score = excluded.score, created_at = excluded.created_at`,
};

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

const repairTagSortKey: Repair = {
  lockTable: 'question',
  update: (wrong) => sql`
    insert into tag_question_sort_key (question_id, tag_id, active_at)
    select question.id, tag_id, active_at
    from question join ${wrong} wrong on wrong.id = question.id join question_tag on question_id = question.id
    on conflict (question_id, tag_id) do update set active_at = excluded.active_at`,
};

/** The repairs run in this order. */
const repairs: Readonly<Record<string, Repair>> = {
  'question.upvotes': repairColumn('question', 'upvotes'),
  'question.downvotes': repairColumn('question', 'downvotes'),
  'question.views': repairColumn('question', 'views'),
  'question.answer_count': repairColumn('question', 'answer_count'),
  'question.tag_text': repairColumn('question', 'tag_text', 'text'),
  'answer.upvotes': repairColumn('answer', 'upvotes'),
  'answer.downvotes': repairColumn('answer', 'downvotes'),
  'reply.upvotes': repairColumn('reply', 'upvotes'),
  'reply.downvotes': repairColumn('reply', 'downvotes'),
  'member.questions_count': repairColumn('member', 'questions_count'),
  'member.answers_count': repairColumn('member', 'answers_count'),
  'member.reputation': repairColumn('member', 'reputation'),
  member_daily_statistics: rebuildMembers,
  'member_statistics.upvotes': rebuildMembers,
  'member_statistics.views': rebuildMembers,
  tag_weekly_statistics: rebuildTags,
  'tag.questions_count': repairColumn('tag', 'questions_count'),
  'tag.followers_count': repairColumn('tag', 'followers_count'),
  'answer_score.score': repairAnswerScore,
  'question_sort_key.upvotes': repairSortKey,
  'question_sort_key.answer_count': repairSortKey,
  'tag_question_sort_key.active_at': repairTagSortKey,
};
