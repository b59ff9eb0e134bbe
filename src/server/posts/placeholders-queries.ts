import { sql } from 'kysely';
import type { Tx } from '#server/core/database.ts';

/** A reply and what is below it, hidden or not. */
type ReplyBranch = {
  parent_reply_id: number | null;
  hidden: boolean;
  deleted: boolean;
  /** Whether the thread shows a reply below it. */
  has_replies: boolean;
  /** The action that hid a reply below it. */
  hidden_child: number | null;
};

export async function lockReplyBranch(tx: Tx, id: number): Promise<ReplyBranch | undefined> {
  // First, so that the next statement sees what the transaction changed that held the lock.
  await sql`select from base_reply where id = ${id} for update`.execute(tx);
  const { rows } = await sql<ReplyBranch>`
    select parent_reply_id, hidden_by is not null as hidden, deleted_at is not null as deleted,
      exists (select from thread_reply child where child.parent_reply_id = reply.id) as has_replies,
      (select max(hidden_by) from base_reply child where child.parent_reply_id = reply.id) as hidden_child
    from base_reply reply where id = ${id}`.execute(tx);
  return rows[0];
}

export async function setPlaceholder(tx: Tx, id: number, isPlaceholder: boolean): Promise<void> {
  await sql`update base_reply set is_placeholder = ${isPlaceholder} where id = ${id} and hidden_by is not null`.execute(
    tx,
  );
}

export async function setHiddenBy(tx: Tx, id: number, hiddenBy: number | null): Promise<void> {
  await sql`update base_reply set hidden_by = ${hiddenBy} where id = ${id}`.execute(tx);
}

export async function deleteReplyRow(tx: Tx, id: number): Promise<void> {
  await sql`delete from base_reply where id = ${id}`.execute(tx);
}

/** Empties a reply that has replies of its own, and deletes its votes, revisions and notifications. */
export async function blankReply(tx: Tx, id: number): Promise<void> {
  await sql`
    with votes as (delete from vote where reply_id = ${id}), versions as (delete from revision where reply_id = ${id}),
    notifications as (delete from base_notification where reply_id = ${id})
    update base_reply set content = '', deleted_at = now(), updated_at = now(), edited_at = null, hidden_by = null,
      is_placeholder = false, upvotes = imported_upvotes, downvotes = imported_downvotes
    where id = ${id}`.execute(tx);
}
