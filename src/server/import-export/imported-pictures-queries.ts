import { sql } from 'kysely';
import { type Database, removeStatementTimeout, transaction, type Tx } from '#server/core/database.ts';
import { one } from '#server/core/sql.ts';
import type { PostKind, PostRef } from '#shared/core/fields.ts';

/** A visible imported post with pictures. */
export type PostWithPictures = { id: number; content: string };

/**
 * The next visible posts that were imported and may show pictures, by id. Those of a move are this community's own: they
 * have no source.
 */
export async function listPostsWithPictures(
  db: Database,
  { kind, after, limit }: { kind: PostKind; after: number; limit: number },
): Promise<PostWithPictures[]> {
  return withoutTimeout(db, async (tx) => {
    const { rows } = await sql<PostWithPictures>`
      select id, content from ${sql.table(kind)}
      where id > ${after} and ${hasPictures(kind)}
      order by id limit ${limit}`.execute(tx);
    return rows;
  });
}

/** The number of posts that `listPostsWithPictures` returns. It reads all imported texts. */
export async function countPostsWithPictures(db: Database): Promise<number> {
  const count = (kind: PostKind) => sql`(
    select count(*) from ${sql.table(kind)}
    where ${hasPictures(kind)})`;
  return withoutTimeout(db, async (tx) => {
    const { rows } = await sql<{ count: number }>`
      select ${count('question')} + ${count('answer')} + ${count('reply')} as count`.execute(tx);
    return one(rows).count;
  });
}

/** For statements that read many texts. */
const withoutTimeout = <Result>(db: Database, read: (tx: Tx) => Promise<Result>): Promise<Result> =>
  transaction(db, async (tx) => {
    await removeStatementTimeout(tx);
    return read(tx);
  });

/** Locks posts and returns those that are still visible. */
export async function lockPosts(
  tx: Tx,
  { kind, ids }: { kind: PostKind; ids: readonly number[] },
): Promise<(PostWithPictures & { question_id: number })[]> {
  const questionId = sql.ref(kind === 'question' ? 'id' : 'question_id');
  const { rows } = await sql<PostWithPictures & { question_id: number }>`
    select id, content, ${questionId} as question_id from ${sql.table(kind)}
    where id = any(${[...ids]}::bigint[]) ${isShown(kind)} order by id for no key update`.execute(tx);
  return rows;
}

const hasPictures = (kind: PostKind) => sql`
  id in (select id from imported_row where kind = ${kind}) and content like '%![%' ${isShown(kind)}`;

const isShown = (kind: PostKind) => (kind === 'reply' ? sql`and deleted_at is null` : sql``);

/** Changes only how a text shows its pictures: it does not count as edited. */
export async function updateContent(tx: Tx, { kind, id }: PostRef, content: string): Promise<void> {
  await sql`update ${sql.table(kind)} set content = ${content} where id = ${id}`.execute(tx);
}

export type KnownPicture = { address: string; path: string | null; refusal: string | null };

/** What earlier runs decided about these addresses. `path`: the picture on this site. */
export async function listKnownPictures(db: Database, addresses: readonly string[]): Promise<KnownPicture[]> {
  const { rows } = await sql<KnownPicture>`
    select address, refusal, '/uploads/' || name || '/' || width || 'x' || height || '.webp' as path
    from imported_picture left join upload on upload.name = imported_picture.upload
    where address = any(${[...addresses]}::text[]) and (name is not null or refusal is not null)`.execute(db);
  return rows;
}

export async function saveImportedPicture(
  db: Database | Tx,
  picture: { address: string; upload: string } | { address: string; refusal: string },
): Promise<void> {
  const { address, upload, refusal } = { upload: null, refusal: null, ...picture };
  await sql`
    insert into imported_picture (address, upload, refusal) values (${address}, ${upload}, ${refusal})
    on conflict (address) do update set upload = excluded.upload, refusal = excluded.refusal`.execute(db);
}
