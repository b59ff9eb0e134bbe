import { sql } from 'kysely';
import type { Queryable, Reader, Tx } from '#server/core/database.ts';

/** SQL: whether a vote has not expired. */
const counts = (days: number) => sql`close_vote.created_at > now() - make_interval(days => ${days})`;

export type CloseVoteRow = { member_id: number; duplicate_of: number | null };

/** The votes on a question that count, the oldest first. */
export async function listCloseVotes(
  db: Reader,
  { questionId, days }: { questionId: number; days: number },
): Promise<CloseVoteRow[]> {
  const { rows } = await sql<CloseVoteRow>`
    select member_id, duplicate_of from close_vote
    where question_id = ${questionId} and ${counts(days)} order by created_at, member_id`.execute(db);
  return rows;
}

/** Stores the vote of a member, instead of an earlier one. The question must be locked. */
export async function putCloseVote(
  tx: Tx,
  vote: { questionId: number; memberId: number; duplicateOf: number | null },
): Promise<void> {
  const { questionId, memberId, duplicateOf } = vote;
  await sql`
    insert into close_vote (question_id, member_id, duplicate_of) values (${questionId}, ${memberId}, ${duplicateOf})
    on conflict (question_id, member_id)
    do update set duplicate_of = excluded.duplicate_of, created_at = now()`.execute(tx);
}

export async function deleteCloseVote(
  tx: Tx,
  { questionId, memberId }: { questionId: number; memberId: number },
): Promise<void> {
  await sql`
    delete from close_vote where question_id = ${questionId} and member_id = ${memberId}`.execute(tx);
}

/** Ends all votes on a question, and replaces the members who closed it. */
export async function endCloseVotes(
  tx: Tx,
  { questionId, closers }: { questionId: number; closers: readonly number[] },
): Promise<void> {
  await sql`delete from close_vote where question_id = ${questionId}`.execute(tx);
  await sql`delete from question_closer where question_id = ${questionId}`.execute(tx);
  if (closers.length === 0) return;
  await sql`
    insert into question_closer (question_id, member_id)
    select ${questionId}::bigint, * from unnest(${[...closers]}::bigint[])`.execute(tx);
}

/** Withdraws all votes of these members. */
export async function deleteCloseVotesOf(tx: Tx, memberIds: readonly number[]): Promise<void> {
  await sql`delete from close_vote where member_id = any(${[...memberIds]}::bigint[])`.execute(tx);
}

/** Deletes votes that no longer count, a limited number per call. */
export async function deleteExpiredCloseVotes(db: Queryable, days: number): Promise<void> {
  await sql`
    delete from close_vote where (question_id, member_id) in (
      select question_id, member_id from close_vote where created_at < now() - make_interval(days => ${days})
      order by created_at limit 1000
    )`.execute(db);
}

export type ClosableQuestion = { author_id: number | null; duplicate_of: number | null };

export async function findClosableQuestion(db: Reader, id: number): Promise<ClosableQuestion | undefined> {
  const { rows } = await sql<ClosableQuestion>`
    select author_id, duplicate_of from question where id = ${id}`.execute(db);
  return rows[0];
}
