import type { Client, ClientBase } from 'pg';
import { transactionOfClient } from '#server/core/database.ts';
import { type Progress, runWithProgress } from '#server/core/progress.ts';
import { deletePosts } from '#server/posts/index.ts';
import { type ImportRun, listRuns } from './import-runs.ts';
import { runInImportSession, runInTransaction } from './import-session.ts';
import * as queries from './import-undo-queries.ts';
import { ArchiveError } from './stack-exchange-errors.ts';
import { showHiddenPosts } from './stack-exchange-gone.ts';

/** What the undoing of an import removes. */
export type UndoPreview = queries.UndoCounts & { run: ImportRun };

/**
 * Counts what the undoing of an import would remove: what it added, and what members here added to that.
 * @throws ArchiveError if there is no such import, or a later one with rows of its site
 */
export async function previewUndo(client: Client, id: number): Promise<UndoPreview> {
  return runInImportSession({ client }, () =>
    runInTransaction(client, 'rollback', async () => {
      const { run } = await requireLatestRun(client, id);
      await queries.collectRemoved(client, {
        runId: id,
        questionIds: await queries.listQuestions(client, id),
      });
      return { run, ...(await queries.countRemoved(client, id)) };
    }),
  );
}

/** Questions in one transaction. Requests wait for at most one. */
export const questionsPerStep = 100;

/**
 * Undoes the latest import of a site: removes what it added, with everything below that, and shows posts again that it hid.
 * Texts and counts that it changed stay as they are. It works in small transactions, so that members can go on working. If
 * it ends before it is done, running it again does the rest.
 * @throws ArchiveError as `previewUndo`, ConnectionLostError if the connection broke, and the signal's reason if it was
 * aborted
 */
export async function undoImport(
  client: Client,
  id: number,
  { progress, signal }: { progress?: Progress | undefined; signal?: AbortSignal | undefined } = {},
): Promise<void> {
  await runInImportSession({ client, signal }, async () => {
    const { sourceId } = await requireLatestRun(client, id);
    const hiddenIds = await queries.listHiddenBy(client, id);
    const questionIds = await queries.listQuestions(client, id);
    const total = hiddenIds.length + questionIds.length;
    const inTransaction = (run: () => Promise<unknown>) => runInTransaction(client, 'commit', run);
    await runWithProgress({ progress, signal }, total, async (report) => {
      for (const hiddenId of hiddenIds) {
        await inTransaction(() => showHiddenPosts(client, { sourceId, ids: [hiddenId] }));
        report('posts that it hid', 1, 0);
      }
      for (let start = 0; start < questionIds.length; start += questionsPerStep) {
        const step = questionIds.slice(start, start + questionsPerStep);
        await inTransaction(() => removePosts(client, { runId: id, questionIds: step }));
        report('posts', step.length, step.length);
      }
      report('members and topics', 0, 0);
      await inTransaction(() => removeRest(client, id));
    });
  });
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

/** Removes the posts of the import from these questions, or with them. */
async function removePosts(
  client: ClientBase,
  from: { runId: number; questionIds: readonly number[] },
): Promise<void> {
  await queries.lockQuestions(client, from.questionIds);
  await queries.collectRemoved(client, from);
  await deletePosts(transactionOfClient(client), await queries.listRemoved(client));
  await queries.forgetRemoved(client, from.runId);
}

async function removeRest(client: ClientBase, id: number): Promise<void> {
  await queries.deleteBadges(client, id);
  await queries.deleteMembers(client, id);
  await queries.deleteTagTexts(client, id);
  await queries.deleteTags(client, id);
  await queries.deleteRun(client, id);
  await queries.publishRemoval(client);
}
