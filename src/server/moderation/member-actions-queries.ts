import { unnamedMember } from '#server/core/sql.ts';
import { sql } from 'kysely';
import type { Reader, Tx } from '#server/core/database.ts';
import { signUpAnswersOf } from '#server/identity/index.ts';
import type { ModeratedMember } from '#shared/moderation/moderation.ts';
import type { PendingStep } from '#shared/identity/accounts.ts';
import type { ApplicationStatus } from '#shared/identity/applications.ts';
import type { SignUpAnswer } from '#shared/identity/sign-up-questions.ts';
import type { Role } from '#shared/identity/roles.ts';

export type ModeratedMemberRow = {
  id: number;
  name: string;
  avatar: string | null;
  role: Role;
  suspended_until: Date | null;
  suspension_reason: string | null;
  warnings: number;
  hidden_posts: number;
  invited_by: ModeratedMember['invitedBy'];
  invitation_note: string | null;
  email: string | null;
  email_verified: boolean;
  email_off_at: Date | null;
  email_off_reason: string | null;
  created_at: Date;
  pending_step: PendingStep | null;
  application: ApplicationStatus | null;
  refusal_reason: string;
  sign_up_answers: SignUpAnswer[];
  reputation: number;
  questions_count: number;
  answers_count: number;
  sign_in_methods: ModeratedMember['signInMethods'];
  merge: ModeratedMember['merge'];
};

const columns = sql`
  member.id, coalesce(display_name, ${unnamedMember}) as name, avatar, role, suspended_until, suspension_reason,
  (select count(*) from moderator_message where member_id = member.id and kind = 'warning') as warnings,
  (select count(*) from hidden_post where author_id = member.id) as hidden_posts, (
    select json_build_object('id', inviter.id, 'displayName', coalesce(inviter.display_name, ${unnamedMember}))
    from invited_member join invitation on invitation.id = invitation_id join member inviter on inviter.id = created_by
    where invited_member.member_id = member.id
  ) as invited_by,
  (select note from invited_member join invitation on invitation.id = invitation_id
    where invited_member.member_id = member.id) as invitation_note,
  email, email_verified, email_off_at, email_off_reason, member.created_at, reputation, questions_count, answers_count,
  (select pending_step from registration where registration.member_id = member.id) as pending_step,
  application, coalesce((
    select reason from membership_application where membership_application.member_id = member.id
  ), '') as refusal_reason, ${signUpAnswersOf} as sign_up_answers,
  json_build_object(
    'password', exists (select from account where account.member_id = member.id and password is not null),
    'provider', exists (select from account where account.member_id = member.id and provider_id <> 'credential'),
    'passkeys', (select count(*) from passkey where passkey.member_id = member.id),
    'twoFactor', exists (select from two_factor where two_factor.member_id = member.id)
  ) as sign_in_methods,
  (select json_build_object(
      'into', json_build_object('id', target.id, 'displayName', coalesce(target.display_name, ${unnamedMember})),
      'finished', finished_at is not null, 'done', posts_done + votes_done,
      'total', greatest(posts + votes, posts_done + votes_done)
    ) from account_merge join member target on target.id = into_id where account_merge.member_id = member.id
  ) as merge`;

export async function findModeratedMember(db: Reader, id: number): Promise<ModeratedMemberRow | undefined> {
  const { rows } = await sql<ModeratedMemberRow>`select ${columns} from member where id = ${id}`.execute(db);
  return rows[0];
}

export async function lockModeratedMember(tx: Tx, id: number): Promise<ModeratedMemberRow | undefined> {
  const { rows } = await sql<ModeratedMemberRow>`
    select ${columns} from member where id = ${id} for no key update`.execute(tx);
  return rows[0];
}

export async function setSuspension(
  tx: Tx,
  { memberId, until, reason }: { memberId: number; until: Date | null; reason: string | null },
) {
  await sql`
    update member set suspended_until = ${until}, suspension_reason = ${reason} where id = ${memberId}`.execute(
    tx,
  );
}
