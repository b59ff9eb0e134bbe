import { sql } from 'kysely';
import type { Tx } from '#server/core/database.ts';
import type { ModerationAction } from '#shared/moderation/moderation.ts';
import type { PostRef } from '#shared/core/fields.ts';

/**
 * Locks a question, which may be hidden, against all changes: together with the original that it gets, and with its
 * duplicates, which change when it is hidden or becomes a duplicate, in the order of their ids.
 */
export async function lockQuestionToAct(
  tx: Tx,
  { id, duplicateOf, withDuplicates }: { id: number; duplicateOf: number | null; withDuplicates: boolean },
): Promise<void> {
  const original = duplicateOf === null ? sql`` : sql`or id = ${duplicateOf}`;
  const duplicates = withDuplicates ? sql`or duplicate_of = ${id}` : sql``;
  await sql`
    select from base_question where id = ${id} ${original} ${duplicates} order by id for update`.execute(tx);
}

/** Returns the version of a visible post. It does not change until the transaction ends. */
export async function lockPostVersion(
  tx: Tx,
  { kind, id }: PostRef,
): Promise<{ edited_at: Date | null } | undefined> {
  const { rows } = await sql<{ edited_at: Date | null }>`
    select edited_at from ${sql.table(kind)} where id = ${id} for share`.execute(tx);
  return rows[0];
}

/** The row must be locked. */
export async function setLock(
  tx: Tx,
  { questionId, lockReason }: { questionId: number; lockReason: string | null },
) {
  await sql`update question set lock_reason = ${lockReason} where id = ${questionId}`.execute(tx);
}

/**
 * The row must be locked. Duplicates of this question, also hidden ones, become duplicates of the other one. Returns the
 * ids of all changed questions.
 */
export async function setDuplicate(
  tx: Tx,
  { questionId, duplicateOf }: { questionId: number; duplicateOf: number | null },
): Promise<number[]> {
  await sql`update question set duplicate_of = ${duplicateOf} where id = ${questionId}`.execute(tx);
  if (duplicateOf === null) return [questionId];
  return [questionId, ...(await moveDuplicates(tx, { ids: [questionId], duplicateOf }))];
}

/** Makes the duplicates of these questions, also hidden ones, duplicates of another one. Returns the ids of the changed. */
export async function moveDuplicates(
  tx: Tx,
  { ids, duplicateOf }: { ids: readonly number[]; duplicateOf: number },
): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    update base_question set duplicate_of = ${duplicateOf}
    where duplicate_of = any(${[...ids]}::bigint[]) returning id`.execute(tx);
  return rows.map((row) => row.id);
}

/** Returns the last moderation action on a post. */
export async function findLastAction(tx: Tx, { kind, id }: PostRef) {
  const { rows } = await sql<{
    action: ModerationAction;
    reason: string;
    created_at: Date;
    moderator_id: number | null;
    moderator_name: string | null;
  }>`
    select action, reason, moderation_log.created_at, moderator_id, member.display_name as moderator_name
    from moderation_log left join member on member.id = moderator_id
    where post_kind = ${kind} and post_id = ${id} order by moderation_log.id desc limit 1`.execute(tx);
  return rows[0];
}

/** Returns who removed a post last, and how many reports that ended. */
export async function findLastRemoval(tx: Tx, { kind, id }: PostRef) {
  const { rows } = await sql<{ moderator_id: number | null; reports: number }>`
    select moderator_id, coalesce((before ->> 'reportsCount')::bigint, 0) as reports from moderation_log
    where post_kind = ${kind} and post_id = ${id} and action in ('hide', 'delete') order by id desc limit 1`.execute(
    tx,
  );
  return rows[0];
}

/** Whether someone else is a moderator or admin. The index member_moderator serves the query. */
export async function hasOtherModerators(tx: Tx, memberId: number): Promise<boolean> {
  const { rows } = await sql`
    select from member where role <> 'member' and id <> ${memberId} limit 1`.execute(tx);
  return rows.length > 0;
}
