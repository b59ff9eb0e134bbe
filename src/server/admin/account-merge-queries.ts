import { sql } from 'kysely';
import type { Queryable, Reader, Tx } from '#server/core/database.ts';
import { one, unnamedMember } from '#server/core/sql.ts';
import type { MergePreview } from '#shared/admin/account-merges.ts';
import type { MergeColumn } from './account-merge-columns.ts';
import { formerMemberName } from '#shared/core/limits.ts';
import type { Role } from '#shared/identity/roles.ts';

export type MergeMember = {
  id: number;
  name: string;
  email: string | null;
  role: Role;
  isDeleted: boolean;
  suspended_until: Date | null;
  suspension_reason: string | null;
  /** Whether its activity is removed or being removed. */
  isRemoved: boolean;
  /** Whether another account is being merged into it. */
  isMerging: boolean;
  /** Whether it is not a member's yet. */
  isApplicant: boolean;
  isBot: boolean;
};

const memberColumns = sql`
  member.id, coalesce(display_name, ${unnamedMember}) as name, email, role, deleted_at is not null as "isDeleted",
  suspended_until, suspension_reason,
  exists (select from activity_removal where member_id = member.id and state <> 'restored') as "isRemoved",
  exists (select from account_merge where into_id = member.id and finished_at is null) as "isMerging",
  application is not null as "isApplicant", is_bot as "isBot"`;

/** Both accounts in the order of their ids. */
export async function findMergeMembers(
  db: Reader,
  { fromId, intoId }: { fromId: number; intoId: number },
): Promise<MergeMember[]> {
  const { rows } = await sql<MergeMember>`
    select ${memberColumns} from member where id in (${fromId}, ${intoId})`.execute(db);
  return rows;
}

export async function countMerge(
  db: Reader,
  { fromId, intoId }: { fromId: number; intoId: number },
): Promise<Omit<MergePreview, 'from' | 'into'>> {
  const posts = (table: string) => sql`
    (select count(*) from ${sql.table(table)} where author_id = ${fromId} and hidden_by is null)
    + (select count(*) from ${sql.table(table)} where author_id = ${fromId} and hidden_by is not null)`;
  const rows = (table: string) => sql`(select count(*) from ${sql.table(table)} where member_id = ${fromId})`;
  const double = (kind: string) => sql`(
    select count(*) from vote mine join vote theirs
      on theirs.${sql.ref(`${kind}_id`)} = mine.${sql.ref(`${kind}_id`)} and theirs.member_id = ${intoId}
    where mine.member_id = ${fromId})`;
  const own = (kind: string, voter: number, author: number) => sql`(
    select count(*) from vote join ${sql.table(`base_${kind}`)} post on post.id = vote.${sql.ref(`${kind}_id`)}
    where vote.member_id = ${voter} and post.author_id = ${author})`;
  const kinds = ['question', 'answer', 'reply'];
  const sum = (parts: readonly ReturnType<typeof double>[]) => sql.join(parts, sql` + `);
  const { rows: found } = await sql<Omit<MergePreview, 'from' | 'into'>>`
    select ${posts('base_question')} as questions, ${posts('base_answer')} as answers, ${posts('base_reply')} as replies,
      ${rows('vote')} as votes, ${sum(kinds.map(double))} as "doubleVotes",
      ${sum(kinds.flatMap((kind) => [own(kind, fromId, intoId), own(kind, intoId, fromId)]))} as "ownVotes",
      ${rows('question_follow')} + ${rows('tag_follow')} as follows, ${rows('bookmark')} as bookmarks,
      (select count(*) from draft where member_id = ${fromId} and ended is null) as drafts, ${rows('upload')} as uploads,
      (select count(*) from moderator_message where member_id = ${fromId} and kind = 'warning') as warnings,
      ${rows('session')} as sessions, ${rows('account')} + ${rows('passkey')} as "signInMethods"`.execute(db);
  return one(found);
}

export async function insertMerge(
  tx: Tx,
  merge: { fromId: number; intoId: number; moderatorId: number | null; posts: number; votes: number },
): Promise<void> {
  const { fromId, intoId, moderatorId, posts, votes } = merge;
  await sql`
    insert into account_merge (member_id, into_id, moderator_id, posts, votes)
    values (${fromId}, ${intoId}, ${moderatorId}, ${posts}, ${votes})`.execute(tx);
  // Accounts that were merged into the merged one lead to the last one.
  await sql`update account_merge set into_id = ${intoId} where into_id = ${fromId}`.execute(tx);
}

/**
 * Removes everything that identifies the merged account, so that its address can be used again, and moves its imported
 * reputation. A suspension that lasts longer than that of the other account goes along.
 */
export async function emptyMergedMember(
  tx: Tx,
  { from, into }: { from: MergeMember; into: MergeMember },
): Promise<void> {
  const lastsLonger =
    from.suspended_until !== null &&
    into.role === 'member' &&
    (into.suspended_until?.getTime() ?? 0) < from.suspended_until.getTime();
  await sql`
    update member target set imported_reputation = target.imported_reputation + merged.imported_reputation,
      reputation = target.reputation + merged.imported_reputation, location = coalesce(target.location, merged.location),
      website = coalesce(target.website, merged.website), updated_at = now()
    from member merged where target.id = ${into.id} and merged.id = ${from.id}`.execute(tx);
  if (lastsLonger)
    await sql`
      update member set suspended_until = ${from.suspended_until}, suspension_reason = ${from.suspension_reason}
      where id = ${into.id}`.execute(tx);
  await sql`
    update member set display_name = ${formerMemberName}, email = null, email_verified = false, image = null, bio = null,
      location = null, website = null,
      show_email = false, language = null, suspended_until = null, suspension_reason = null,
      reputation = reputation - imported_reputation, imported_reputation = 0, deleted_at = now(), updated_at = now()
    where id = ${from.id}`.execute(tx);
  await sql`update review_item set claimed_by = null, claimed_until = null where claimed_by = ${from.id}`.execute(
    tx,
  );
}

export async function listRunningMerges(db: Queryable): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select member_id as id from account_merge where finished_at is null order by started_at limit 100`.execute(
    db,
  );
  return rows.map((row) => row.id);
}

/** Locks a running merge: two nodes may work on it at the same time. */
export async function lockMerge(
  tx: Tx,
  memberId: number,
): Promise<{ fromId: number; intoId: number } | undefined> {
  const { rows } = await sql<{ fromId: number; intoId: number }>`
    select member_id as "fromId", into_id as "intoId" from account_merge
    where member_id = ${memberId} and finished_at is null for update`.execute(tx);
  return rows[0];
}

export async function addMergeProgress(
  tx: Tx,
  { fromId, posts, votes }: { fromId: number; posts: number; votes: number },
): Promise<void> {
  await sql`
    update account_merge set posts_done = posts_done + ${posts}, votes_done = votes_done + ${votes}
    where member_id = ${fromId}`.execute(tx);
}

/** Ends a merge that began so long ago that no request of the merged account is still running. */
export async function finishMerge(
  tx: Tx,
  { fromId, seconds }: { fromId: number; seconds: number },
): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    update account_merge set finished_at = now(), posts = posts_done, votes = votes_done
    where member_id = ${fromId} and finished_at is null and started_at < now() - make_interval(secs => ${seconds})`.execute(
    tx,
  );
  return numAffectedRows > 0n;
}

export async function deleteRowsOf(tx: Tx, { table, column }: MergeColumn, memberId: number): Promise<void> {
  await sql`delete from ${sql.table(table)} where ${sql.ref(column)} = ${memberId}`.execute(tx);
}
