import { sql } from 'kysely';
import type { Queryable, Reader, Tx } from '#server/core/database.ts';
import type { ApplicationStatus } from '#shared/identity/applications.ts';
import type { SignUpAnswer } from '#shared/identity/sign-up-questions.ts';

export async function insertSignUpAnswers(
  tx: Tx,
  { memberId, answers }: { memberId: number; answers: readonly SignUpAnswer[] },
): Promise<void> {
  await sql`
    insert into sign_up_answer (member_id, position, question, answer)
    select ${memberId}, position, question, answer
    from unnest(${answers.map(({ question }) => question)}::text[], ${answers.map(({ answer }) => answer)}::text[])
      with ordinality as given (question, answer, position)`.execute(tx);
}

export async function deleteSignUpAnswers(tx: Tx, memberId: number): Promise<void> {
  await sql`delete from sign_up_answer where member_id = ${memberId}`.execute(tx);
}

/** The answers of a member as JSON, in the order of the questions, as SQL for a row with the column member.id. */
export const signUpAnswersOf = sql<SignUpAnswer[]>`coalesce((
  select jsonb_agg(jsonb_build_object('question', question, 'answer', answer) order by position)
  from sign_up_answer where member_id = member.id
), '[]')`;

export type OwnApplicationRow = {
  status: ApplicationStatus;
  displayName: string;
  email: string;
  appliedAt: Date;
  reason: string;
  hasPassword: boolean;
  signUpAnswers: SignUpAnswer[];
};

/** Returns undefined for a member. */
export async function findOwnApplication(
  db: Reader,
  memberId: number,
): Promise<OwnApplicationRow | undefined> {
  const { rows } = await sql<OwnApplicationRow>`
    select application as status, coalesce(display_name, email) as "displayName", email, created_at as "appliedAt",
      case when application = 'refused' then coalesce(review.reason, '') else '' end as reason,
      exists (
        select from account where account.member_id = member.id and provider_id = 'credential' and password is not null
      ) as "hasPassword",
      ${signUpAnswersOf} as "signUpAnswers"
    from member left join membership_application review on review.member_id = member.id
    where member.id = ${memberId} and application is not null and email is not null`.execute(db);
  return rows[0];
}

/** Returns the state of the account, null for a member. The account is then locked until the transaction ends. */
export async function lockApplication(tx: Tx, memberId: number): Promise<ApplicationStatus | null> {
  const { rows } = await sql<{ application: ApplicationStatus | null }>`
    select application from member where id = ${memberId} for no key update`.execute(tx);
  return rows[0]?.application ?? null;
}

/** Whether an account waits, except for one. The index member_application serves the query. */
export async function isAnotherWaiting(db: Queryable, except: number | null): Promise<boolean> {
  const { rows } = await sql`
    select from member where application = 'waiting' and id is distinct from ${except}::bigint limit 1`.execute(
    db,
  );
  return rows.length > 0;
}
