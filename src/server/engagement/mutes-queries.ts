import { sql } from 'kysely';
import type { Reader, Tx } from '#server/core/database.ts';
import type { Cursor } from '#server/core/cursor.ts';
import { isTagVisible } from '#server/posts/index.ts';
import { serverLimits } from '#shared/core/limits.ts';

type QuestionMute = { questionId: number; memberId: number };
type TagMute = { tagId: number; memberId: number };

/** Returns false if the question was already muted. */
export async function insertQuestionMute(tx: Tx, { questionId, memberId }: QuestionMute): Promise<boolean> {
  const { rows } = await sql`
    insert into question_mute (question_id, member_id)
    select id, ${memberId} from question where id = ${questionId}
    on conflict do nothing returning question_id`.execute(tx);
  return rows.length > 0;
}

/** Returns false if the question was not muted. */
export async function deleteQuestionMute(tx: Tx, { questionId, memberId }: QuestionMute): Promise<boolean> {
  const { rows } = await sql`
    delete from question_mute where question_id = ${questionId} and member_id = ${memberId}
    returning question_id`.execute(tx);
  return rows.length > 0;
}

/** Returns false if the tag was already muted. */
export async function insertTagMute(tx: Tx, { tagId, memberId }: TagMute): Promise<boolean> {
  const { rows } = await sql`
    insert into tag_mute (tag_id, member_id) values (${tagId}, ${memberId})
    on conflict do nothing returning tag_id`.execute(tx);
  return rows.length > 0;
}

/** Returns false if the tag was not muted. */
export async function deleteTagMute(tx: Tx, { tagId, memberId }: TagMute): Promise<boolean> {
  const { rows } = await sql`
    delete from tag_mute where tag_id = ${tagId} and member_id = ${memberId} returning tag_id`.execute(tx);
  return rows.length > 0;
}

export async function countTagMutes(tx: Tx, memberId: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from tag_mute where member_id = ${memberId}`.execute(tx);
  return rows[0]?.count ?? 0;
}

export async function listMutedTags(db: Reader, memberId: number) {
  const { rows } = await sql<{ name: string; created_at: Date }>`
    select tag.name, mute.created_at from tag_mute mute join tag on tag.id = mute.tag_id
    where mute.member_id = ${memberId} and ${isTagVisible}
    order by mute.created_at desc, tag.id desc limit ${serverLimits.mutedTags}`.execute(db);
  return rows;
}

/** The index question_mute_member serves the order. */
export async function listMutedQuestions(
  db: Reader,
  { memberId, cursor, limit }: { memberId: number; cursor: Cursor | null; limit: number },
) {
  const afterCursor =
    cursor === null
      ? sql``
      : sql`and (mute.created_at, mute.question_id) < (${new Date(cursor.after)}::timestamptz, ${cursor.id})`;
  const { rows } = await sql<{ id: number; title: string; created_at: Date }>`
    select question.id, question.title, mute.created_at
    from question_mute mute join question on question.id = mute.question_id
    where mute.member_id = ${memberId} ${afterCursor}
    order by mute.created_at desc, mute.question_id desc limit ${limit}`.execute(db);
  return rows;
}
