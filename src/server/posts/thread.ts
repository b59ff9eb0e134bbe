import { sql } from 'kysely';
import type { Tx } from '#server/platform/database.ts';

/**
 * Keeps the question an answer or reply belongs to from being deleted while the transaction runs. Whoever deletes or
 * posts locks the question first and then what hangs on it; who changes a single answer or reply calls this before
 * locking it, so that all wait for each other in one order and none of them for ever.
 */
export async function keepQuestionOf(tx: Tx, { kind, id }: { kind: 'answer' | 'reply'; id: number }) {
  await sql`
    select id from question where id = (select question_id from ${sql.table(kind)} where id = ${id})
    for key share`.execute(tx);
}

/** The same for answers and replies of several questions, whose rows are locked in the order of their ids. */
export async function keepQuestionsOf(
  tx: Tx,
  { answerIds, replyIds }: { answerIds: readonly number[]; replyIds: readonly number[] },
) {
  if (answerIds.length + replyIds.length === 0) return;
  await sql`
    select id from question where id in (
      select question_id from answer where id = any(${[...answerIds]}::bigint[])
      union all select question_id from reply where id = any(${[...replyIds]}::bigint[])
    ) order by id for key share`.execute(tx);
}
