import { type RawBuilder, sql } from 'kysely';
import type { Tx } from '#server/core/database.ts';
import { ProblemError } from '#server/core/errors.ts';

/**
 * Keeps the question an answer or reply belongs to from being deleted while the transaction runs. Whoever deletes or
 * posts locks the question first and then what hangs on it; who changes a single answer or reply calls this before
 * locking it, so that all wait for each other in one order and none of them for ever.
 */
export async function lockQuestionOf(tx: Tx, { kind, id }: { kind: 'answer' | 'reply'; id: number }) {
  await sql`
    select id from question where id = (select question_id from ${sql.table(kind)} where id = ${id})
    for key share`.execute(tx);
}

/**
 * In a locked question nothing is written, edited or voted on. @param lockReason why it is locked; null where it is not
 * @throws ProblemError 'locked'
 */
export function refuseLocked(lockReason: string | null | undefined): void {
  const problem = getLockedError(lockReason);
  if (problem !== null) throw problem;
}

/** The same as a value. */
export function getLockedError(lockReason: string | null | undefined): ProblemError | null {
  if (lockReason == null) return null;
  return new ProblemError('locked', `This question is locked, so that it stays as it is: ${lockReason}`, {
    extension: { reason: lockReason },
  });
}

/** Why the question that a reply belongs to is locked; null where it is not. Call `keepQuestionOf` before. */
export async function getLockReasonOfReply(tx: Tx, replyId: number): Promise<string | null> {
  const { rows } = await sql<{ lock_reason: string | null }>`
    select lock_reason from question where id = (select question_id from reply where id = ${replyId})`.execute(
    tx,
  );
  return rows[0]?.lock_reason ?? null;
}

/**
 * The same for answers and replies of several questions, to be run with others. Where some of `questionIds` are to be
 * changed themselves, all are locked for that: in one go and in the order of their ids, since a second one would wait for
 * whoever waits for the first. Undefined where there is nothing to lock beforehand.
 */
export function lockThreadsStatement({
  questionIds,
  answerIds,
  replyIds,
}: {
  questionIds: readonly number[];
  answerIds: readonly number[];
  replyIds: readonly number[];
}): RawBuilder<unknown> | undefined {
  if (answerIds.length + replyIds.length === 0) return undefined;
  const strength = questionIds.length === 0 ? sql`for key share` : sql`for no key update`;
  return sql`
    select id from question where id in (
      select question_id from answer where id = any(${[...answerIds]}::bigint[])
      union all select question_id from reply where id = any(${[...replyIds]}::bigint[])
      union all select unnest(${[...questionIds]}::bigint[])
    ) order by id ${strength}`;
}

/**
 * Locks the members whose counts and points change as posts go, all at once and in the order of their ids: whoever changes
 * them in several statements would else meet others that have begun elsewhere.
 */
export async function lockAuthors(tx: Tx, posts: readonly { author_id: number | null }[]) {
  const ids = posts.flatMap(({ author_id: id }) => id ?? []);
  await sql`select id from member where id = any(${ids}::bigint[]) order by id for no key update`.execute(tx);
}
