import { sql } from 'kysely';
import type { Tx } from '#server/core/database.ts';
import { ProblemError } from '#server/core/errors.ts';

/**
 * Prevents the question of a reply from being deleted during the transaction. Transactions that delete or post lock the
 * question first and then the posts below it. A transaction that changes a single reply calls this before locking it, so
 * that all locks are taken in one order and deadlocks are impossible.
 */
export async function lockQuestionOfReply(
  tx: Tx,
  id: number,
): Promise<{ lock_reason: string | null } | undefined> {
  const { rows } = await sql<{ lock_reason: string | null }>`
    select lock_reason from question where id = (select question_id from reply where id = ${id})
    for key share`.execute(tx);
  return rows[0];
}

/** Does the same for several answers or replies, in the order of their questions' ids. */
export async function lockQuestionsOf(
  tx: Tx,
  { kind, ids }: { kind: 'answer' | 'reply'; ids: readonly number[] },
): Promise<void> {
  await sql`
    select id from question where id in (
      select question_id from ${sql.table(kind)} where id = any(${[...ids]}::bigint[])
    ) order by id for key share`.execute(tx);
}

/** Locks a member before rows that belong to them, such as bookmarks, are counted. */
export async function lockMember(tx: Tx, memberId: number): Promise<void> {
  await sql`select id from member where id = ${memberId} for no key update`.execute(tx);
}

/**
 * Refuses to write, edit or vote in a locked question.
 * @param lockReason why it is locked; null if it is not
 * @throws ProblemError 'locked'
 */
export function refuseLocked(lockReason: string | null | undefined): void {
  const problem = getLockedError(lockReason);
  if (problem !== null) throw problem;
}

/** Returns the error instead of throwing it. */
export function getLockedError(lockReason: string | null | undefined): ProblemError | null {
  if (lockReason == null) return null;
  return new ProblemError('question-locked', {
    params: { reason: lockReason },
    extension: { reason: lockReason },
  });
}
