import type { PostKind } from '#shared/core/fields.ts';
import { sql } from 'kysely';
import type { Database, Queryable, Tx } from '#server/core/database.ts';
import type { PostsAfterDeletion } from '#shared/identity/accounts.ts';
import type { Role } from '#shared/identity/roles.ts';
import type { MemberColumn } from './account-deletion-columns.ts';

/** Days for which no account can have the address of a refused account that was deleted. */
const refusedEmailDays = 365;

/**
 * Locks all admins and one more member in the order of their ids, so that two admins who give up the role or delete
 * their accounts at the same time do not leave the site without one. Returns the ids of the admins. The index
 * member_moderator serves the query.
 */
export async function lockAdminsAnd(tx: Tx, memberId: number): Promise<number[]> {
  const { rows } = await sql<{ id: number; role: Role }>`
    select id, role from member where role = 'admin' or id = ${memberId} order by id for no key update`.execute(
    tx,
  );
  return rows.filter(({ role }) => role === 'admin').map(({ id }) => id);
}

/** Locks members in the order of their ids. */
export async function lockMembers(tx: Tx, ids: readonly number[]): Promise<void> {
  await sql`select from member where id = any(${[...ids]}::bigint[]) order by id for no key update`.execute(
    tx,
  );
}

/**
 * Whether one of these accounts is being merged, or another one into it. Ask after the members are locked: a statement
 * that waits for the lock does not see a merge that committed meanwhile.
 */
export async function isMerging(tx: Tx, memberIds: readonly number[]): Promise<boolean> {
  const ids = sql`any(${[...memberIds]}::bigint[])`;
  const { rows } = await sql`
    select from account_merge where finished_at is null and (member_id = ${ids} or into_id = ${ids}) limit 1`.execute(
    tx,
  );
  return rows.length > 0;
}

/**
 * Returns the locked member, undefined if the account is already deleted. `blockedUntil`: until when no account can have
 * its addresses, if it is suspended or refused.
 */
export async function lockMemberToDelete(tx: Tx, id: number) {
  const { rows } = await sql<{
    email: string | null;
    isConfirmed: boolean;
    role: Role;
    blockedUntil: Date | null;
  }>`
    select email, email_verified as "isConfirmed", role, case
      when application = 'refused' then now() + make_interval(days => ${refusedEmailDays})
      when suspended_until > now() then suspended_until
    end as "blockedUntil"
    from member where id = ${id} and deleted_at is null for no key update`.execute(tx);
  return rows[0];
}

/** Returns the earlier addresses of a member that are reserved for them. */
export async function listReservedEmails(tx: Tx, memberId: number): Promise<string[]> {
  const { rows } = await sql<{ email: string }>`
    select email from email_link where member_id = ${memberId} and reserves_email and expires_at > now()`.execute(
    tx,
  );
  return rows.map(({ email }) => email);
}

export async function insertAccountDeletion(
  tx: Tx,
  { memberId, posts }: { memberId: number; posts: PostsAfterDeletion },
): Promise<void> {
  await sql`insert into account_deletion (member_id, posts) values (${memberId}, ${posts})`.execute(tx);
}

/** Removes everything that identifies a member. The email address can then be registered again. */
export async function anonymizeMember(tx: Tx, { id, name }: { id: number; name: string }): Promise<void> {
  await sql`
    update member
    set display_name = ${name}, email = null, email_verified = false, image = null, bio = null, location = null, website = null,
      show_email = false, language = null,
      email_off_at = null, email_off_reason = null,
      role = 'member', application = null, suspended_until = null, suspension_reason = null,
      deleted_at = now(), updated_at = now()
    where id = ${id}`.execute(tx);
}

export async function deleteMemberRows(
  tx: Tx,
  { table, column }: MemberColumn,
  memberId: number,
): Promise<void> {
  await sql`delete from ${sql.table(table)} where ${sql.ref(column)} = ${memberId}`.execute(tx);
}

/** The row of the registration then has only the network, until that is deleted after 30 days. */
export async function endRegistrationWait(tx: Tx, memberId: number): Promise<void> {
  await sql`update registration set pending_step = null where member_id = ${memberId}`.execute(tx);
}

/** Deletes one batch of a member's rows in a table. Returns how many. */
export async function deleteSomeMemberRows(
  db: Queryable,
  { table, column }: MemberColumn,
  { memberId, limit }: { memberId: number; limit: number },
): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from ${sql.table(table)} where ctid = any(array(
      select ctid from ${sql.table(table)} where ${sql.ref(column)} = ${memberId} limit ${limit}
    ))`.execute(db);
  return Number(numAffectedRows);
}

/**
 * Removes the content of a batch of web hook deliveries that name the member as the author of a question, answer or
 * reply, or as a new member. Returns how many.
 */
export async function forgetSomeWebhookRequests(
  db: Queryable,
  { memberId, limit }: { memberId: number; limit: number },
): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    update webhook_delivery set request_body = null, response_body = null where id = any(array(
      select delivery.id from base_question question
      join webhook_delivery delivery on delivery.question_id = question.id and request_body is not null
      where author_id = ${memberId}
      union all
      select delivery.id from base_answer answer
      join webhook_delivery delivery on delivery.question_id = answer.question_id and request_body is not null
      where author_id = ${memberId} and answer_id = answer.id
      union all
      select delivery.id from base_reply reply
      join webhook_delivery delivery on delivery.question_id = reply.question_id and request_body is not null
      where author_id = ${memberId} and reply_id = reply.id
      union all
      select id from webhook_delivery where member_id = ${memberId} and request_body is not null
      limit ${limit}
    ))`.execute(db);
  return Number(numAffectedRows);
}

/** Returns the names of a batch of the tags that a member follows. */
export async function listFollowedTags(
  db: Database,
  { memberId, limit }: { memberId: number; limit: number },
): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select tag.name from tag_follow join tag on tag.id = tag_id
    where member_id = ${memberId} order by tag_follow.created_at limit ${limit}`.execute(db);
  return rows.map((row) => row.name);
}

/** Removes the member from a batch of views, so that the counts stay. Returns how many. */
export async function anonymizeViews(
  tx: Tx,
  { memberId, limit }: { memberId: number; limit: number },
): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    select id from base_question
    where id in (
      select question_id from question_view where member_id = ${memberId} order by question_id limit ${limit}
    )
    order by id for no key update`.execute(tx);
  const ids = rows.map((row) => row.id);
  await sql`
    update base_question set imported_views = imported_views + 1 where id = any(${ids}::bigint[])`.execute(
    tx,
  );
  await sql`
    delete from question_view where member_id = ${memberId} and question_id = any(${ids}::bigint[])`.execute(
    tx,
  );
  return ids.length;
}

/** Returns the ids of a batch of the member's posts of one kind, newest first. */
export async function listPostIds(
  db: Database,
  { kind, memberId, before, limit }: { kind: PostKind; memberId: number; before: number; limit: number },
): Promise<number[]> {
  const living = kind === 'reply' ? sql`and deleted_at is null` : sql``;
  const { rows } = await sql<{ id: number }>`
    select id from ${sql.table(kind)} where author_id = ${memberId} and id < ${before} ${living}
    order by id desc limit ${limit}`.execute(db);
  return rows.map((row) => row.id);
}

export async function findAccountDeletion(
  db: Database,
  memberId: number,
): Promise<PostsAfterDeletion | undefined> {
  const { rows } = await sql<{ posts: PostsAfterDeletion }>`
    select posts from account_deletion where member_id = ${memberId}`.execute(db);
  return rows[0]?.posts;
}

export async function listPendingAccountDeletions(db: Queryable): Promise<number[]> {
  const { rows } = await sql<{ member_id: number }>`
    select member_id from account_deletion order by started_at limit 100`.execute(db);
  return rows.map((row) => row.member_id);
}

/**
 * Marks an account deletion as finished if it began so long ago that no earlier request is still running. Returns
 * whether it did.
 */
export async function finishAccountDeletion(
  db: Database,
  { memberId, seconds }: { memberId: number; seconds: number },
): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    delete from account_deletion
    where member_id = ${memberId} and started_at < now() - make_interval(secs => ${seconds})`.execute(db);
  return numAffectedRows > 0n;
}
