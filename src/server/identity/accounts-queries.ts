import { type RawBuilder, sql } from 'kysely';
import type { Queryable, Tx } from '#server/core/database.ts';
import type { PendingStep } from '#shared/identity/accounts.ts';
import { maxSessionsPerMember } from './sessions.ts';

export async function findMemberByEmail(db: Queryable, email: string) {
  return db.selectFrom('member').select(['id', 'language']).where('email', '=', email).executeTakeFirst();
}

/** Returns the password hash of the member with an address; undefined if there is none. */
export async function findCredential(db: Queryable, email: string) {
  return db
    .selectFrom('member')
    .innerJoin('account', 'account.member_id', 'member.id')
    .select(['member.id as memberId', 'account.password'])
    .where('member.email', '=', email)
    .where('account.provider_id', '=', 'credential')
    .executeTakeFirst();
}

export async function findOwnMember(db: Queryable, id: number) {
  return db
    .selectFrom('member')
    .select([
      'id',
      'display_name',
      'avatar',
      'email',
      'email_verified',
      'language',
      'email_off_at',
      'email_off_reason',
      'bio',
      'created_at',
      'updated_at',
      'reputation',
      'questions_count',
      'answers_count',
      'role',
      'suspended_until',
      'suspension_reason',
      'application',
      selectPendingStep,
      countUpTo100(sql`moderator_message where member_id = member.id and seen_at is null`).as(
        'unread_moderator_messages',
      ),
      countUpTo100(sql`(
        select from hidden_post where author_id = member.id and status = 'hidden'
        union all select from held_post where member_id = member.id
      ) hidden`).as('hidden_posts'),
    ])
    .where('id', '=', id)
    .executeTakeFirst();
}

const selectPendingStep = sql<PendingStep | null>`(
  select pending_step from registration where registration.member_id = member.id
)`.as('pending_step');

/** Counts up to 100, the highest number shown. */
const countUpTo100 = (rows: RawBuilder<unknown>) =>
  sql<number>`(select count(*) from (select from ${rows} limit 100) few)`;

export async function findAccountStatus(db: Queryable, id: number) {
  return db
    .selectFrom('member')
    .select(['role', 'suspended_until', 'suspension_reason', 'application', selectPendingStep])
    .where('id', '=', id)
    .executeTakeFirst();
}

export async function listSessions(db: Queryable, memberId: number) {
  return db
    .selectFrom('session')
    .select(['id', 'created_at', 'updated_at', 'expires_at', 'user_agent'])
    .where('member_id', '=', memberId)
    .where('expires_at', '>', sql<Date>`now()`)
    .orderBy('created_at', 'desc')
    .limit(maxSessionsPerMember)
    .execute();
}

/** Deletes one session of a member. Returns whether it existed. */
export async function deleteSession(db: Queryable, { id, memberId }: { id: number; memberId: number }) {
  const deleted = await db
    .deleteFrom('session')
    .where('id', '=', id)
    .where('member_id', '=', memberId)
    .executeTakeFirst();
  return deleted.numDeletedRows > 0n;
}

/** Returns false if the member has no such session. */
export async function updateSessionToken(
  tx: Tx,
  { id, memberId, token }: { id: number; memberId: number; token: string },
): Promise<boolean> {
  const updated = await tx
    .updateTable('session')
    .set({ token, updated_at: sql<Date>`now()` })
    .where('id', '=', id)
    .where('member_id', '=', memberId)
    .executeTakeFirst();
  return updated.numUpdatedRows > 0n;
}

/** Returns the number of deleted sessions. */
export async function deleteOtherSessions(
  db: Queryable,
  { exceptSessionId, memberId }: { exceptSessionId: number; memberId: number },
): Promise<number> {
  const deleted = await db
    .deleteFrom('session')
    .where('member_id', '=', memberId)
    .where('id', '!=', exceptSessionId)
    .executeTakeFirst();
  return Number(deleted.numDeletedRows);
}

/** Compares addresses trimmed and without case. */
export async function listMembersByEmail(db: Queryable, emails: readonly string[]) {
  const wanted = emails.map((email) => email.trim().toLowerCase());
  const { rows } = await sql<{ id: number; email: string }>`
    select id, email from member where email = any(${wanted}::text[]) order by id`.execute(db);
  return rows;
}
