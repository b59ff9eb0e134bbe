import { sql } from 'kysely';
import type { Database } from '#server/core/database.ts';
import { one } from '#server/core/sql.ts';

/** Identifies a file of an upload. */
export type FileRef = { uploadId: number; width: number };

/** A file with its object. `content`: null if it is in the object store only. */
export type StoredFile = FileRef & { key: string; content: Buffer | null };

/** Identifies the database: a copy that was restored from a backup or a dump has another id. */
export async function readDatabaseId(db: Database): Promise<string> {
  const { rows } = await sql<{ id: string }>`
    select system_identifier || '/' || oid as id from pg_control_system(), pg_database
    where datname = current_database()`.execute(db);
  return one(rows).id;
}

/** The number of files in the database and in the object store. */
export async function countUploadFiles(db: Database): Promise<{ database: number; objectStore: number }> {
  const { rows } = await sql<{ database: number; objectStore: number }>`
    select (select count(*) from upload_file where content is not null)::float8 as database,
      (select count(*) from upload_file where content is null)::float8 as "objectStore"`.execute(db);
  return rows[0] ?? { database: 0, objectStore: 0 };
}

/** Gives the next files that are in the database a key, which they keep if the node is killed. */
export async function assignObjectKeys(
  db: Database,
  { after, limit }: { after: FileRef; limit: number },
): Promise<(StoredFile & { content: Buffer })[]> {
  const { rows } = await sql<StoredFile & { content: Buffer }>`
    with next as materialized (
      select upload_id, width from upload_file
      where content is not null and (upload_id, width) > (${after.uploadId}, ${after.width})
      order by upload_id, width limit ${limit} for update
    ), assigned as (
      update upload_file file set object_key = coalesce(object_key, gen_random_uuid() || '.webp')
      from next where file.upload_id = next.upload_id and file.width = next.width
      returning file.*
    )
    select upload_id as "uploadId", width, object_key as key, content from assigned order by upload_id, width`.execute(
    db,
  );
  return rows;
}

/** The next files that are in the object store only. */
export async function listObjectFiles(
  db: Database,
  { after, limit }: { after: FileRef; limit: number },
): Promise<StoredFile[]> {
  const { rows } = await sql<StoredFile>`
    select upload_id as "uploadId", width, object_key as key, content from upload_file
    where content is null and (upload_id, width) > (${after.uploadId}, ${after.width})
    order by upload_id, width limit ${limit}`.execute(db);
  return rows;
}

/** Removes the content of a file whose object is complete. */
export async function removeContent(db: Database, { uploadId, width, key }: StoredFile): Promise<void> {
  await sql`
    update upload_file set content = null
    where upload_id = ${uploadId} and width = ${width} and object_key = ${key}`.execute(db);
}

/** Stores the content of a file in the database again, and queues the deletion of its object. */
export async function restoreContent(
  db: Database,
  { uploadId, width, key }: StoredFile,
  content: Buffer,
): Promise<void> {
  await sql`
    with restored as (
      update upload_file set content = ${content}, object_key = null
      where upload_id = ${uploadId} and width = ${width} and object_key = ${key} and content is null
      returning 1
    )
    insert into deleted_object (key) select ${key} from restored on conflict do nothing`.execute(db);
}

export async function listDeletedObjects(db: Database, limit: number): Promise<string[]> {
  const { rows } = await sql<{ key: string }>`
    select key from deleted_object order by deleted_at, key limit ${limit}`.execute(db);
  return rows.map(({ key }) => key);
}

export async function forgetDeletedObjects(db: Database, keys: readonly string[]): Promise<void> {
  await sql`delete from deleted_object where key = any(${[...keys]}::text[])`.execute(db);
}
