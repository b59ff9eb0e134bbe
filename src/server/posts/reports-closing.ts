import { sql } from 'kysely';
import type { Tx } from '#server/core/database.ts';
import type { PostIds } from './posts.ts';

/**
 * Closes the open reports of posts that are deleted, and takes them out of the review queue. Reports refer to posts
 * without a foreign key, because they outlive them. This area writes to tables of moderation, because authors delete
 * posts as well.
 */
export async function closeReportsOfDeletedPosts(
  tx: Tx,
  { questionIds, answerIds, replyIds }: PostIds,
): Promise<void> {
  await sql`
    with deleted (kind, id) as (
      select 'question', unnest(${[...questionIds]}::bigint[])
      union all select 'answer', unnest(${[...answerIds]}::bigint[])
      union all select 'reply', unnest(${[...replyIds]}::bigint[])
    ), closed as (
      update report set closed_at = now(), outcome = 'deleted' from deleted
      where post_kind = deleted.kind and post_id = deleted.id and closed_at is null
    )
    delete from review_item using deleted where post_kind = deleted.kind and post_id = deleted.id`.execute(
    tx,
  );
}
