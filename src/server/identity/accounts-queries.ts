import { type RawBuilder, sql } from 'kysely';
import type { Queryable, Tx } from '#server/core/database.ts';
import type { PendingStep } from '#shared/identity/accounts.ts';
import type { ApplicationStatus } from '#shared/identity/applications.ts';
import type { Role } from '#shared/identity/roles.ts';
import { maxSessionsPerMember } from './sessions.ts';
import { accessStateOf } from './sign-in-methods-queries.ts';

export async function findMemberByEmail(db: Queryable, email: string) {
  const { rows } = await sql<{ id: number; language: string | null }>`
    select id, language from member where email = ${email}`.execute(db);
  return rows[0];
}

/** Returns the password hash and the access state of the member with an address; undefined if there is none. */
export async function findCredential(db: Queryable, email: string) {
  const { rows } = await sql<{ memberId: number; password: string | null; accessState: string | null }>`
    select member.id as "memberId", password, ${accessStateOf} as "accessState" from member join account on account.member_id = member.id
    where email = ${email} and provider_id = 'credential'`.execute(db);
  return rows[0];
}

type AccountStatusRow = {
  role: Role;
  suspended_until: Date | null;
  suspension_reason: string | null;
  application: ApplicationStatus | null;
  pending_step: PendingStep | null;
};

const accountStatus = sql`role, suspended_until, suspension_reason, application,
  (select pending_step from registration where registration.member_id = member.id) as pending_step`;

type OwnMemberRow = AccountStatusRow & {
  id: number;
  display_name: string | null;
  avatar: string | null;
  email: string | null;
  email_verified: boolean;
  language: string | null;
  email_off_at: Date | null;
  email_off_reason: string | null;
  bio: string | null;
  created_at: Date;
  updated_at: Date;
  reputation: number;
  questions_count: number;
  answers_count: number;
  unread_moderator_messages: number;
  hidden_posts: number;
};

export async function findOwnMember(db: Queryable, id: number) {
  const { rows } = await sql<OwnMemberRow>`
    select id, display_name, avatar, email, email_verified, language, email_off_at, email_off_reason, bio, created_at,
      updated_at, reputation, questions_count, answers_count, ${accountStatus},
      ${countUpTo100(sql`moderator_message where member_id = member.id and seen_at is null`)} as unread_moderator_messages,
      ${countUpTo100(sql`(
        select from hidden_post where author_id = member.id and status = 'hidden'
        union all select from held_post where member_id = member.id
      ) hidden`)} as hidden_posts
    from member where id = ${id}`.execute(db);
  return rows[0];
}

/** Counts up to 100, the highest number shown. */
const countUpTo100 = (rows: RawBuilder<unknown>) =>
  sql`(select count(*) from (select from ${rows} limit 100) few)`;

/** Returns undefined for a deleted account: a session or API token can be created while it is deleted. */
export async function findAccountStatus(db: Queryable, id: number) {
  const { rows } = await sql<AccountStatusRow>`
    select ${accountStatus} from member where id = ${id} and deleted_at is null`.execute(db);
  return rows[0];
}

/** Returns a session that has not expired and the status of its account; undefined for a deleted one. */
export async function findSession(db: Queryable, token: string) {
  const { rows } = await sql<AccountStatusRow & { sessionId: number; memberId: number; expiresAt: Date }>`
    select session.id as "sessionId", member.id as "memberId", session.expires_at as "expiresAt", ${accountStatus}
    from session join member on member.id = session.member_id
    where session.token = ${token} and session.expires_at > now() and deleted_at is null`.execute(db);
  return rows[0];
}

export async function listSessions(db: Queryable, memberId: number) {
  const { rows } = await sql<{
    id: number;
    created_at: Date;
    updated_at: Date;
    expires_at: Date;
    user_agent: string | null;
  }>`
    select id, created_at, updated_at, expires_at, user_agent from session
    where member_id = ${memberId} and expires_at > now()
    order by created_at desc limit ${maxSessionsPerMember}`.execute(db);
  return rows;
}

/** Deletes one session of a member. Returns whether it existed. */
export async function deleteSession(db: Queryable, { id, memberId }: { id: number; memberId: number }) {
  const { numAffectedRows = 0n } = await sql`
    delete from session where id = ${id} and member_id = ${memberId}`.execute(db);
  return numAffectedRows > 0n;
}

/** Returns false if the member has no such session. */
export async function updateSessionToken(
  tx: Tx,
  { id, memberId, token }: { id: number; memberId: number; token: string },
): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    update session set token = ${token}, updated_at = now() where id = ${id} and member_id = ${memberId}`.execute(
    tx,
  );
  return numAffectedRows > 0n;
}

/** Returns the number of deleted sessions. */
export async function deleteOtherSessions(
  db: Queryable,
  { exceptSessionId, memberId }: { exceptSessionId: number; memberId: number },
): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from session where member_id = ${memberId} and id <> ${exceptSessionId}`.execute(db);
  return Number(numAffectedRows);
}

/** Compares addresses trimmed and without case. */
export async function listMembersByEmail(db: Queryable, emails: readonly string[]) {
  const wanted = emails.map((email) => email.trim().toLowerCase());
  const { rows } = await sql<{ id: number; email: string }>`
    select id, email from member where email = any(${wanted}::text[]) order by id`.execute(db);
  return rows;
}
