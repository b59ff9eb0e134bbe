import { type RawBuilder, sql } from 'kysely';
import { type Broken, wrongRows } from './invariants.ts';
import { type Database, transaction, type Tx } from './platform/database.ts';
import { lockSums, recountMembers, recountTopics } from './sums/queries.ts';

/** What was changed: of which row what, from what to what. */
export type Repaired = Broken;

/** Rows put right in one transaction, which keeps members who write to them waiting. */
const atOnce = 200;

/** Whether the rows of a rule can be put right by counting again. */
export const isRepairable = (rule: string): boolean => rule in repairs;

/**
 * Puts right what can be counted again, beside members who write: each row is locked first and counted after that, so
 * that nothing that is being written is counted twice or not at all. Counts before what is sorted by them.
 * @returns what was changed; a row that is right by now is left alone
 */
export async function repair(db: Database, broken: readonly Broken[]): Promise<Repaired[]> {
  const changed: Repaired[] = [];
  const byRule = Map.groupBy(broken, ({ rule }) => rule);
  for (const [rule, how] of Object.entries(repairs)) {
    const ids = (byRule.get(rule) ?? []).map(({ id }) => id).toSorted((one, other) => one - other);
    for (let from = 0; from < ids.length; from += atOnce) {
      const some = ids.slice(from, from + atOnce);
      const done = await transaction(db, (tx) => repairSome(tx, { rule, how, ids: some }));
      changed.push(...done.map((row) => ({ rule, ...row })));
    }
  }
  return changed;
}

/** Lets every node read anew what it keeps and every open page look again. */
export async function tellRepaired(db: Database): Promise<void> {
  await transaction(db, async (tx) => {
    await sql`insert into event (topic, event)
      select topic, '{"kind": "imported"}'::jsonb from unnest(array['feeds', 'answers', 'topics']) list (topic)`.execute(
      tx,
    );
    await sql`select pg_notify('parley_event', '')`.execute(tx);
  });
}

type Repair = {
  /** Whose rows are locked: those that every writer of the count locks as well. */
  lock: string;
  /** What is locked beside them, before. */
  behind?: RawBuilder<unknown>;
  /** @param wrong the rows that are wrong now, as `wrong (id, stored, counted)` */
  set: (wrong: RawBuilder<unknown>) => RawBuilder<unknown>;
};

async function repairSome(
  tx: Tx,
  { rule, how, ids }: { rule: string; how: Repair; ids: number[] },
): Promise<Omit<Repaired, 'rule'>[]> {
  await how.behind?.execute(tx);
  await sql`select from ${sql.table(how.lock)} where id = any(${ids}::bigint[]) order by id for no key update`.execute(
    tx,
  );
  const { rows } = await sql<Omit<Repaired, 'rule'>>`${wrongRows(rule, ids)} order by id`.execute(tx);
  if (rows.length > 0)
    await how
      .set(sql`(select * from unnest(
        ${rows.map(({ id }) => id)}::bigint[], ${rows.map(({ counted }) => counted)}::text[]) wrong (id, counted))`)
      .execute(tx);
  return rows;
}

function column(table: string, name: string, type: 'bigint' | 'text' = 'bigint'): Repair {
  return {
    lock: table,
    set: (wrong) => sql`
      update ${sql.table(table)} as row set ${sql.ref(name)} = wrong.counted::${sql.raw(type)}
      from ${wrong} wrong where row.id = wrong.id`,
  };
}

const place: Repair = {
  lock: 'question',
  set: (wrong) => sql`
    insert into question_sort_key (question_id, created_at, active_at, upvotes, answer_count)
    select question.id, created_at, active_at, upvotes, answer_count
    from question join ${wrong} wrong on wrong.id = question.id
    on conflict (question_id) do update set created_at = excluded.created_at, active_at = excluded.active_at,
      upvotes = excluded.upvotes, answer_count = excluded.answer_count`,
};

const score: Repair = {
  lock: 'answer',
  set: (wrong) => sql`
    insert into answer_score (answer_id, question_id, score, created_at)
    select answer.id, question_id, upvotes - downvotes, created_at
    from answer join ${wrong} wrong on wrong.id = answer.id
    on conflict (answer_id) do update set score = excluded.score, created_at = excluded.created_at`,
};

const memberSums: Repair = {
  lock: 'member',
  behind: lockSums,
  set: (wrong) => recountMembers(sql`select id from ${wrong} wrong`),
};

const topicSums: Repair = {
  lock: 'tag',
  behind: lockSums,
  set: (wrong) => recountTopics(sql`select id from ${wrong} wrong`),
};

const topicPlace: Repair = {
  lock: 'question',
  set: (wrong) => sql`
    insert into tag_question_sort_key (question_id, tag_id, active_at)
    select question.id, tag_id, active_at
    from question join ${wrong} wrong on wrong.id = question.id join question_tag on question_id = question.id
    on conflict (question_id, tag_id) do update set active_at = excluded.active_at`,
};

/** In this order. */
const repairs: Readonly<Record<string, Repair>> = {
  'question.upvotes': column('question', 'upvotes'),
  'question.downvotes': column('question', 'downvotes'),
  'question.views': column('question', 'views'),
  'question.answer_count': column('question', 'answer_count'),
  'question.tag_text': column('question', 'tag_text', 'text'),
  'answer.upvotes': column('answer', 'upvotes'),
  'answer.downvotes': column('answer', 'downvotes'),
  'reply.upvotes': column('reply', 'upvotes'),
  'reply.downvotes': column('reply', 'downvotes'),
  'member.questions_count': column('member', 'questions_count'),
  'member.answers_count': column('member', 'answers_count'),
  'member.reputation': column('member', 'reputation'),
  member_daily_statistics: memberSums,
  'member_statistics.upvotes': memberSums,
  'member_statistics.views': memberSums,
  tag_weekly_statistics: topicSums,
  'tag.questions_count': column('tag', 'questions_count'),
  'tag.followers_count': column('tag', 'followers_count'),
  'answer_score.score': score,
  'question_sort_key.upvotes': place,
  'question_sort_key.answer_count': place,
  'tag_question_sort_key.active_at': topicPlace,
};
