import { sql } from 'kysely';
import type { Queryable, Reader } from '#server/core/database.ts';

/** Counts the posts in the review queue, up to `max`. */
export async function countReviewItems(db: Queryable | Reader, max: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from (select from reported_post limit ${sql.lit(max)}) waiting`.execute(db);
  return rows[0]?.count ?? 0;
}
