import { type RawBuilder, sql } from 'kysely';
import type { Tx } from '#server/core/database.ts';
import type { PostRef } from '#shared/core/fields.ts';

/**
 * SQL: whether the author of a row of `hidden_post` can object. The removal of all activity of an account is no decision
 * about one post.
 */
export const canObject: RawBuilder<unknown> = sql`(hidden_post.objection is null and hidden_post.activity_removal_id is null)`;

type Objectionable = { post_kind: PostRef['kind']; post_id: number; can_object: boolean };

/** Returns the member's own removed post, locked until the transaction ends. */
export async function lockOwnHiddenPost(
  tx: Tx,
  { id, memberId }: { id: number; memberId: number },
): Promise<Objectionable | undefined> {
  const { rows } = await sql<Objectionable>`
    select post_kind, post_id, ${canObject} as can_object from hidden_post
    where id = ${id} and author_id = ${memberId} for update`.execute(tx);
  return rows[0];
}

/** Stores the objection and puts the post into the review queue. */
export async function insertObjection(
  tx: Tx,
  { id, post, text }: { id: number; post: PostRef; text: string },
): Promise<void> {
  await sql`
    with objection as (update hidden_post set objection = ${text} where id = ${id})
    insert into review_item (post_kind, post_id, open_reports, other_cause, hidden_post_id)
    values (${post.kind}, ${post.id}, 0, 'objection', ${id})`.execute(tx);
}

/** Marks the objection of a removed post as decided. */
export async function setObjectionDecided(tx: Tx, hiddenPostId: number): Promise<void> {
  await sql`update hidden_post set objection_decided_at = now() where id = ${hiddenPostId}`.execute(tx);
}
