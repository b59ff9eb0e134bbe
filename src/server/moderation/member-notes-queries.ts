import { sql } from 'kysely';
import { isBefore } from '#server/core/cursor.ts';
import type { Database, Reader, Tx } from '#server/core/database.ts';
import { jsonTime, unnamedMember } from '#server/core/sql.ts';
import type { MemberNote } from '#shared/moderation/member-page.ts';

const columns = sql`
  note.id, text, author_id as "authorId", coalesce(author.display_name, ${unnamedMember}) as "authorName",
  ${jsonTime(sql`note.created_at`)} as "createdAt", ${jsonTime(sql`edited_at`)} as "editedAt"`;

export async function listNotes(
  db: Reader,
  { memberId, before, limit }: { memberId: number; before: number | null; limit: number },
): Promise<MemberNote[]> {
  const { rows } = await sql<MemberNote>`
    select ${columns} from member_note note join member author on author.id = author_id
    where member_id = ${memberId} and note.deleted_at is null
      and ${isBefore(sql`note.id`, before)}
    order by note.id desc limit ${sql.lit(limit)}`.execute(db);
  return rows;
}

/** Returns the id of the new note, undefined if there is no such member. */
export async function insertNote(
  tx: Tx,
  { memberId, authorId, text }: { memberId: number; authorId: number; text: string },
): Promise<number | undefined> {
  const { rows } = await sql<{ id: number }>`
    insert into member_note (member_id, author_id, text)
    select id, ${authorId}::bigint, ${text}::text from member where id = ${memberId} returning id`.execute(
    tx,
  );
  return rows[0]?.id;
}

export async function lockNote(tx: Tx, id: number) {
  const { rows } = await sql<{ authorId: number; deleted: boolean }>`
    select author_id as "authorId", deleted_at is not null as deleted from member_note where id = ${id} for update`.execute(
    tx,
  );
  return rows[0];
}

export async function updateNote(tx: Tx, { id, text }: { id: number; text: string }): Promise<void> {
  await sql`update member_note set text = ${text}, edited_at = now() where id = ${id} and text <> ${text}`.execute(
    tx,
  );
}

export async function setNoteDeleted(
  tx: Tx,
  { id, deleted }: { id: number; deleted: boolean },
): Promise<void> {
  await sql`
    update member_note set deleted_at = case when ${deleted}::boolean then coalesce(deleted_at, now()) end
    where id = ${id}`.execute(tx);
}

/** Hours in which a deletion can be undone. */
const retentionHours = 24;

export async function purgeDeletedNotes(db: Database): Promise<void> {
  await sql`
    delete from member_note where deleted_at < now() - make_interval(hours => ${sql.lit(retentionHours)})`.execute(
    db,
  );
}
