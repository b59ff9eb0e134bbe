import type { Client, ClientBase } from 'pg';
import { sql } from 'kysely';
import { transactionOfClient, type Tx } from '#server/core/database.ts';
import { lockQuestionIfExists, purgePost, removePost } from '#server/posts/index.ts';
import type { PostKind } from '#shared/core/fields.ts';
import { type ImportRun, listRuns } from './import-runs.ts';
import { runInImportSession, runInTransaction } from './import-session.ts';
import * as queries from './import-undo-queries.ts';
import { ArchiveError } from './stack-exchange-errors.ts';
import { showHiddenPosts } from './stack-exchange-gone.ts';
import { recountQuestions } from './stack-exchange-recount.ts';

/** What the undoing of an import removes. */
export type UndoPreview = queries.UndoCounts & { run: ImportRun };

/**
 * Counts what the undoing of an import would remove: what it added, and what members here added to that.
 * @throws ArchiveError if there is no such import, or a later one with rows of its site
 */
export async function previewUndo(client: Client, id: number): Promise<UndoPreview> {
  return runInImportSession({ client }, async () => {
    const { run } = await requireLatestRun(client, id);
    await queries.collectRemoved(client, id);
    return { run, ...(await queries.countRemoved(client, id)) };
  });
}

/**
 * Undoes the latest import of a site, completely or not at all: removes what it added, with everything below that, and
 * shows posts again that it hid. Texts and counts that it changed stay as they are.
 * @throws ArchiveError as `previewUndo`, ConnectionLostError if the connection broke, and the signal's reason if it was
 * aborted
 */
export async function undoImport(client: Client, id: number, signal?: AbortSignal): Promise<UndoPreview> {
  return runInImportSession({ client, signal }, () =>
    runInTransaction(client, 'commit', async () => {
      const { run, sourceId } = await requireLatestRun(client, id);
      await queries.collectRemoved(client, id);
      const counts = await queries.countRemoved(client, id);
      await showHiddenPosts(client, { sourceId, ids: await queries.listHiddenBy(client, id) });
      await removePosts(client);
      await recountQuestions(client, 'select question_id from removed_place');
      await queries.deleteBadges(client, id);
      await queries.deleteTagTexts(client, id);
      await queries.deleteMembers(client, id);
      await queries.deleteTags(client, id);
      await queries.deleteRun(client, id);
      await queries.publishRemoval(client);
      return { run, ...counts };
    }),
  );
}

async function requireLatestRun(
  client: ClientBase,
  id: number,
): Promise<{ run: ImportRun; sourceId: string }> {
  const [run] = await listRuns(client, id);
  if (run === undefined) throw new ArchiveError(`There is no import ${id}. "parley import list" lists them.`);
  const { sourceId, later, laterSite } = await queries.findLaterRun(client, id);
  if (later !== null)
    throw new ArchiveError(
      `Import ${later} of ${laterSite} came after import ${id}. Undo import ${later} first.`,
    );
  return { run, sourceId };
}

/** Removes the collected posts as permanent deletions do. Those below a removed one go with it. */
async function removePosts(client: ClientBase): Promise<void> {
  const tx = transactionOfClient(client);
  for (const kind of ['question', 'answer', 'reply'] as const) {
    let batch = await queries.listRemoved(tx, kind);
    while (batch.length > 0) {
      for (const post of batch) await removeOne(tx, kind, post);
      batch = await queries.listRemoved(tx, kind);
    }
  }
}

async function removeOne(tx: Tx, kind: PostKind, post: queries.RemovedPost): Promise<void> {
  const question = await lockQuestionIfExists(tx, post.question_id);
  const current = await queries.readState(tx, kind, post.id);
  if (current?.isHidden === false && question !== undefined)
    await removePost(tx, { post: { kind, id: post.id }, question, hiddenBy: null });
  else if (current?.hiddenPostId != null) await purgePost(tx, current.hiddenPostId);
  // Hidden with the post above it, or the placeholder of a deleted reply: no count changes.
  await queries.deleteRow(tx, kind, post);
  await sql`update removed_post set is_removed = true where kind = ${kind} and id = ${post.id}`.execute(tx);
}
