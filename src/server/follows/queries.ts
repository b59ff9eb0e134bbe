import { sql } from 'kysely';
import type { Queryable } from '#server/platform/database.ts';

export async function insertQuestionFollow(
  db: Queryable,
  { questionId, memberId }: { questionId: number; memberId: number },
) {
  await sql`
    insert into question_follow (question_id, member_id)
    select id, ${memberId} from question where id = ${questionId} on conflict do nothing`.execute(db);
}

export async function deleteQuestionFollow(
  db: Queryable,
  { questionId, memberId }: { questionId: number; memberId: number },
) {
  await sql`
    delete from question_follow where question_id = ${questionId} and member_id = ${memberId}`.execute(db);
}
