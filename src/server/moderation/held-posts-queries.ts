import { sql } from 'kysely';
import type { Cursor } from '#server/core/cursor.ts';
import type { Queryable, Reader } from '#server/core/database.ts';
import { heldPostColumns, type HeldPostRow, ownHeldPostColumns } from '#server/posts/index.ts';

type HeldPostWithNames = HeldPostRow & { author_name: string | null };

/**
 * Held posts of a question, the question itself included: the author's own, or all for moderators. The latest first,
 * after `position`, whose id is that of a hidden post, or negative for a held one.
 */
export async function listHeldPosts(
  db: Reader,
  {
    questionId,
    authorId,
    position,
    limit,
  }: { questionId: number; authorId: number | null; position: Cursor | null; limit: number },
) {
  const columns = authorId === null ? heldPostColumns : ownHeldPostColumns;
  const { rows } = await sql<HeldPostWithNames>`
    select ${columns}, (select display_name from member where member.id = member_id) as author_name
    from held_post
    where (question_id = ${questionId} or (post_kind = 'question' and post_id = ${questionId}))
      and ${authorId === null ? sql`true` : sql`member_id = ${authorId}`}
      and ${position === null ? sql`true` : sql`(created_at, -id) < (${new Date(position.after)}::timestamptz, ${position.id})`}
    order by created_at desc, id limit ${sql.lit(limit)}`.execute(db);
  return rows;
}

/** The question of a held answer or reply; undefined if the post is not held. */
export async function findHeldPostQuestion(
  db: Queryable,
  { kind, id }: { kind: string; id: number },
): Promise<{ question_id: number | null } | undefined> {
  const { rows } = await sql<{ question_id: number | null }>`
    select question_id from held_post where post_kind = ${kind} and post_id = ${id}`.execute(db);
  return rows[0];
}
