import type { Tx } from '#server/core/database.ts';
import {
  blankReply,
  deleteReplyRow,
  lockReplyBranch,
  setHiddenBy,
  setPlaceholder,
} from './placeholders-queries.ts';

/**
 * Deletes a reply whose votes and counts are settled. One with replies below it leaves a placeholder
 * (docs/product.md 6.5).
 */
export async function deleteReplyFromThread(tx: Tx, id: number): Promise<void> {
  const branch = await lockReplyBranch(tx, id);
  if (branch === undefined) return;
  if (branch.has_replies || branch.hidden_child !== null) {
    await blankReply(tx, id);
    await removeEmptyPlaceholders(tx, id);
  } else {
    await deleteReplyRow(tx, id);
    await removeEmptyPlaceholders(tx, branch.parent_reply_id);
  }
}

/**
 * Removes the placeholders from this reply upwards that have no replies below them any more. A deleted reply with
 * hidden replies below it is hidden like them, and comes back with them.
 */
export async function removeEmptyPlaceholders(tx: Tx, from: number | null): Promise<void> {
  for (let id = from; id !== null;) {
    const branch = await lockReplyBranch(tx, id);
    if (branch === undefined || branch.has_replies || !(branch.deleted || branch.hidden)) return;
    if (!branch.deleted) await setPlaceholder(tx, id, false);
    else if (branch.hidden_child === null) await deleteReplyRow(tx, id);
    else await setHiddenBy(tx, id, branch.hidden_child);
    id = branch.parent_reply_id;
  }
}

/** Of a reply that was hidden: with replies below it, it leaves a placeholder, as a deleted one does. */
export async function hideReplyInThread(tx: Tx, id: number): Promise<void> {
  const branch = await lockReplyBranch(tx, id);
  if (branch?.has_replies === true) await setPlaceholder(tx, id, true);
  else await removeEmptyPlaceholders(tx, branch?.parent_reply_id ?? null);
}

/** Shows the placeholders above a reply that is visible again. */
export async function showReplyInThread(tx: Tx, replyId: number): Promise<void> {
  const reply = await lockReplyBranch(tx, replyId);
  for (let id = reply?.parent_reply_id ?? null; id !== null;) {
    const branch = await lockReplyBranch(tx, id);
    if (branch === undefined || !branch.hidden) return;
    await (branch.deleted ? setHiddenBy(tx, id, null) : setPlaceholder(tx, id, true));
    id = branch.parent_reply_id;
  }
}
