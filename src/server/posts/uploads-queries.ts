import { sql } from 'kysely';
import type { Database, Queryable, Reader, Tx } from '#server/core/database.ts';
import { one } from '#server/core/sql.ts';
import type { PostRef } from '#shared/core/fields.ts';
import { findUploadNames, type PictureSize, type UploadFile } from '#shared/core/uploads.ts';
import type { EncodedFile, UploadKind } from './uploads-encoding.ts';

/** Whose uploads a text may show. Null: imported pictures, which have no owner. */
export type OwnerIds = readonly (number | null)[];

/** Identifies a file that was uploaded, or imported without an owner (null). `hash`: SHA-256 of its bytes. */
export type UploadContent = { memberId: number | null; kind: UploadKind; hash: Buffer };

/** Returns the upload of the same file by the same owner, which counts as uploaded now. */
export async function touchUpload(
  db: Queryable,
  { memberId, kind, hash }: UploadContent,
): Promise<UploadFile | undefined> {
  const { rows } = await sql<UploadFile>`
    update upload set uploaded_at = now()
    where ${memberId === null ? sql`member_id is null` : sql`member_id = ${memberId}`} and kind = ${kind} and content_hash = ${hash}
    returning name, width, height`.execute(db);
  return rows[0];
}

/** Returns the bytes of all files of a member. */
export async function countUploadedBytes(db: Queryable, memberId: number): Promise<number> {
  const { rows } = await sql<{ bytes: number }>`
    select coalesce(sum(bytes), 0)::float8 as bytes from upload where member_id = ${memberId}`.execute(db);
  return rows[0]?.bytes ?? 0;
}

/** Stores an upload, unless a concurrent request stored the same file. Returns the stored one. */
export async function insertUpload(
  tx: Tx,
  upload: UploadContent & { name: string; size: PictureSize; files: readonly EncodedFile[] },
): Promise<UploadFile> {
  const { memberId, kind, hash, name, size, files } = upload;
  const bytes = files.reduce((sum, { content }) => sum + content.length, 0);
  const { rows } = await sql<UploadFile & { id: number; is_new: boolean }>`
    insert into upload as stored (name, member_id, kind, content_hash, width, height, bytes)
    values (${name}, ${memberId}, ${kind}, ${hash}, ${size.width}, ${size.height}, ${bytes})
    on conflict (member_id, kind, content_hash) do update set uploaded_at = now()
    returning id, name, width, height, name = ${name} as is_new`.execute(tx);
  const row = one(rows);
  if (row.is_new)
    await sql`
      insert into upload_file (upload_id, width, height, content)
      select ${row.id}, * from unnest(
        ${files.map(({ width }) => width)}::int[], ${files.map(({ height }) => height)}::int[],
        ${files.map(({ content }) => Buffer.from(content))}::bytea[]
      )`.execute(tx);
  return { name: row.name, width: row.width, height: row.height };
}

/** SQL: whether a visible post shows an upload. */
const isShown = sql`exists (
  select from upload_reference reference where reference.upload_id = upload.id and (
    exists (select from question where id = question_id) or exists (select from answer where id = answer_id)
    or exists (select from reply where id = reply_id and deleted_at is null)
  )
)`;

/** A file: its content, or its key in the object store. */
export type FileContent = { content: Buffer | null; key: string | null };

/**
 * Returns a file that the viewer may see: as its owner or a moderator, as the avatar of a member, or
 * because a visible post shows it.
 */
export async function findUploadFile(
  db: Reader,
  { file, viewer }: { file: UploadFile; viewer: { id: number; isModerator: boolean } },
): Promise<FileContent | undefined> {
  const { name, width, height } = file;
  const { rows } = await sql<FileContent>`
    select content, object_key as key from upload join upload_file on upload_id = upload.id
    where name = ${name} and upload_file.width = ${width} and upload_file.height = ${height} and (
      ${viewer.isModerator} or kind = 'avatar' or member_id = ${viewer.id}
      or ${isShown}
    )`.execute(db);
  return rows[0];
}

/** Returns the largest file of an upload; undefined if it was deleted meanwhile. */
export async function findLargestFile(db: Reader, name: string): Promise<FileContent | undefined> {
  const { rows } = await sql<FileContent>`
    select content, object_key as key from upload join upload_file on upload_id = upload.id and upload_file.width = upload.width
    where name = ${name}`.execute(db);
  return rows[0];
}

/**
 * Stores that a post shows the uploads with these names: those of the owners, and those that a visible post shows.
 * Otherwise, anyone who knows the address of a picture could show it again after its post was deleted or hidden.
 */
export async function insertUploadReferences(
  tx: Tx,
  { post: { kind, id }, names, ownerIds }: { post: PostRef; names: readonly string[]; ownerIds: OwnerIds },
): Promise<void> {
  await sql`
    insert into upload_reference (upload_id, ${sql.ref(`${kind}_id`)})
    select id, ${id}::bigint from upload where name = any(${[...names]}::text[]) and (
      coalesce(member_id, 0) = any(${ownerIds.map((ownerId) => ownerId ?? 0)}::bigint[]) or ${isShown}
    )
    order by id for key share
    on conflict do nothing`.execute(tx);
}

/** The same for new answers, as a CTE for the statement that inserts them; empty if no answer shows an upload. */
export function insertAnswerUploadReferences(
  answers: readonly { id: number; authorId: number; content: string }[],
) {
  const shown = answers.flatMap(({ content, ...answer }) =>
    findUploadNames(content).map((name) => ({ ...answer, name })),
  );
  if (shown.length === 0) return sql``;
  return sql`upload_references as (
    insert into upload_reference (upload_id, answer_id)
    select upload.id, answer_id
    from unnest(
      ${shown.map(({ id }) => id)}::bigint[], ${shown.map(({ authorId }) => authorId)}::bigint[], ${shown.map(({ name }) => name)}::text[]
    ) shown (answer_id, author_id, name)
    join upload on upload.name = shown.name and (member_id = author_id or ${isShown})
  ),`;
}

/**
 * SQL: whether nothing shows an upload. An avatar is deleted when its member no longer has it. A draft, a suggested
 * edit and a held post of its owner count, a deleted reply does not.
 */
const isUnused = sql`
  kind = 'picture' and not exists (
    select from upload_reference reference left join base_reply on base_reply.id = reply_id
    where reference.upload_id = upload.id and deleted_at is null
  )
  and not exists (
    select from draft where draft.member_id = upload.member_id and position(name in fields::text) > 0
  )
  and not exists (
    select from edit_suggestion
    where edit_suggestion.member_id = upload.member_id and status = 'open' and position(name in content) > 0
  )
  and not exists (
    select from held_post where held_post.member_id = upload.member_id and position(name in content) > 0
  )`;

/** Deletes uploads older than `hours` that nothing shows, at most `limit`. Returns how many. */
export async function deleteUnusedUploads(
  db: Database,
  { hours, limit }: { hours: number; limit: number },
): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from upload where id = any(array(
      select id from upload where uploaded_at < now() - make_interval(hours => ${hours}) and ${isUnused}
      limit ${limit} for update skip locked
    ))`.execute(db);
  return Number(numAffectedRows);
}

/** Shows an upload as the avatar of its member, and deletes the one before. Returns false if the account is deleted. */
export async function setAvatar(
  tx: Tx,
  { memberId, name }: { memberId: number; name: string },
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update member set avatar = ${name}, updated_at = now() where id = ${memberId} and deleted_at is null`.execute(
    tx,
  );
  await sql`delete from upload where member_id = ${memberId} and kind = 'avatar' and name <> ${name}`.execute(
    tx,
  );
  return numAffectedRows === 1n;
}

/** The foreign key of `member.avatar` clears the column. Returns false if there was none. */
export async function deleteAvatar(tx: Tx, memberId: number): Promise<boolean> {
  const { numAffectedRows } =
    await sql`delete from upload where member_id = ${memberId} and kind = 'avatar'`.execute(tx);
  return numAffectedRows === 1n;
}

/** Deletes the uploads of a former member that nothing shows. The others lose their owner. */
export async function releaseUploadsOf(tx: Tx, memberId: number): Promise<number> {
  const deleted = await sql`delete from upload where member_id = ${memberId} and ${isUnused}`.execute(tx);
  const released = await sql`update upload set member_id = null where member_id = ${memberId}`.execute(tx);
  return Number((deleted.numAffectedRows ?? 0n) + (released.numAffectedRows ?? 0n));
}
