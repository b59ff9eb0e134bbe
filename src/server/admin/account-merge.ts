import { type Database, type Reader, type Tx, transaction } from '#server/core/database.ts';
import { isImportRunning } from '#server/core/import-lock.ts';
import { invalidFieldError, ProblemError } from '#server/core/errors.ts';
import { publishAll } from '#server/core/events.ts';
import type { JobDefinition, JobQueue } from '#server/core/job-queue.ts';
import type { OperatorSettings } from '#server/core/operator-settings.ts';
import { lockMembers, recordSecurityEvent, type RequirePassword } from '#server/identity/index.ts';
import { type Admin, insertLogEntry } from '#server/moderation/index.ts';
import { buildProfileEvents, removeAvatarOf } from '#server/posts/index.ts';
import type { MergePreview } from '#shared/admin/account-merges.ts';
import type { Reauthentication } from '#shared/identity/two-factor.ts';
import { listMergeColumns } from './account-merge-columns.ts';
import {
  addMergeProgress,
  countMerge,
  deleteRowsOf,
  emptyMergedMember,
  findMergeMembers,
  finishMerge,
  insertMerge,
  listRunningMerges,
  lockMerge,
  type MergeMember,
} from './account-merge-queries.ts';
import { listMergeSteps, type Merge, type MergeStep } from './account-merge-steps.ts';

/** Queues the background part of a merge, in its transaction. Absent without jobs. */
export type QueueAccountMerge = (tx: Tx) => Promise<void>;

/**
 * Counts what a merge would move and drop. Changes nothing.
 * @throws ProblemError 'not-found', 'not-allowed', 'already-handled' as for the merge
 */
export async function previewMerge(db: Reader, merge: Merge): Promise<MergePreview> {
  const { from, into } = checkMembers(await findMergeMembers(db, merge), merge);
  return {
    from: { id: from.id, displayName: from.name },
    into: { id: into.id, displayName: into.name },
    ...(await countMerge(db, merge)),
  };
}

/**
 * Merges an account into another one, permanently. One transaction ends all access to the account and removes what
 * identifies it; the job moves everything else in small steps.
 * @param merge.name the name of the merged account, as a confirmation
 * @throws ProblemError 'invalid' for another name or a wrong password, 'not-found', 'not-allowed', 'already-handled'
 */
export async function startMerge(
  db: Database,
  {
    admin,
    merge,
    proof,
    requirePassword,
    queueMerge,
  }: {
    admin: Admin;
    merge: Merge & { name: string };
    proof: Reauthentication;
    requirePassword: RequirePassword;
    queueMerge: QueueAccountMerge | undefined;
  },
): Promise<void> {
  await requirePassword(admin, proof);
  await transaction(db, (tx) =>
    mergeInTransaction(tx, { merge, moderatorId: admin.id, reason: '', queueMerge }),
  );
}

/**
 * Starts a merge in the transaction.
 * @param wanted.merge.name must be the name of the merged account, unless it is absent
 * @param wanted.moderatorId null for a claim that a member proved
 * @throws ProblemError as `startMerge`
 */
export async function mergeInTransaction(
  tx: Tx,
  wanted: {
    merge: Merge & { name?: string };
    moderatorId: number | null;
    reason: string;
    queueMerge: QueueAccountMerge | undefined;
  },
): Promise<void> {
  const { merge, moderatorId, reason, queueMerge } = wanted;
  await lockMembers(tx, [merge.fromId, merge.intoId]);
  const { from, into } = checkMembers(await findMergeMembers(tx, merge), merge);
  if (merge.name !== undefined && merge.name.trim() !== from.name.trim())
    throw invalidFieldError('name', 'merge-name-wrong');
  const counts = await countMerge(tx, merge);
  const posts = counts.questions + counts.answers + counts.replies;
  await insertMerge(tx, { ...merge, moderatorId, posts, votes: counts.votes });
  for (const each of listMergeColumns('removed')) await deleteRowsOf(tx, each, from.id);
  await removeAvatarOf(tx, from.id);
  await emptyMergedMember(tx, { from, into });
  // Addresses of both: the merged account has none any more.
  for (const { email } of [from, into])
    if (email !== null)
      await recordSecurityEvent(tx, { memberId: into.id, event: 'account-merged', to: email });
  await insertLogEntry(tx, {
    moderatorId,
    action: 'merge_account',
    reason,
    post: null,
    memberId: into.id,
    before: { merged: from.id, posts, votes: counts.votes },
  });
  await publishAll(tx, [
    { topic: `member:${from.id}`, event: { kind: 'sessions-ended', sessionId: null, except: null } },
    { topic: `member:${into.id}`, event: { kind: 'member-status-changed' } },
    { topic: 'moderation', event: { kind: 'moderation-changed' } },
    ...buildProfileEvents([from.id, into.id]),
    { topic: `profile:${from.id}`, event: { kind: 'member-renamed' } },
  ]);
  await queueMerge?.(tx);
}

function checkMembers(members: readonly MergeMember[], { fromId, intoId }: Merge) {
  const from = members.find(({ id }) => id === fromId);
  const into = members.find(({ id }) => id === intoId);
  if (from === undefined || into === undefined) throw new ProblemError('user-not-found');
  if (from === into) throw new ProblemError('merge-into-itself');
  if (from.role !== 'member') throw new ProblemError('merge-of-moderator');
  if (from.isBot || into.isBot) throw new ProblemError('merge-of-service-account');
  if (from.isApplicant || into.isApplicant) throw new ProblemError('merge-of-applicant');
  if (from.isDeleted || into.isDeleted) throw new ProblemError('merge-of-deleted');
  // Otherwise the member could not sign in any more.
  if (into.email === null && from.email !== null) throw new ProblemError('merge-into-imported');
  if (from.isMerging || into.isMerging) throw new ProblemError('merge-running');
  if (from.isRemoved || into.isRemoved) throw new ProblemError('merge-of-removed');
  return { from, into };
}

const jobName = 'account-merge';

/** Seconds that one run may take. The run a minute later does what is left. */
const roundSeconds = 240;

/** Seconds after which every request of the merged account from before has ended. */
const inFlightRequestSeconds = 120;

/** Continues all merges, also after a crash. */
export function createAccountMergeJob(deps: { db: Database; settings: OperatorSettings }): JobDefinition {
  return {
    name: jobName,
    retries: { limit: 0, delaySeconds: 1, maxDelaySeconds: 1 },
    timeoutSeconds: roundSeconds + 60,
    concurrency: 1,
    runsEvery: 'minute',
    run: () => runAccountMerges(deps, { until: Date.now() + roundSeconds * 1_000 }),
  };
}

/** Starts the job in the background. If one is running, the next run does the work. */
export function createAccountMergeQueue(jobs: JobQueue): QueueAccountMerge {
  return (tx) => jobs.enqueue(tx, jobName, { key: jobName, data: {} });
}

/**
 * Continues all merges in transactions of one thread, 100 votes or 500 other rows. None ends while an import is running,
 * which may have begun before the merge: it gives its new posts to the merged account when it ends.
 * @param options.until milliseconds since 1970. At least one step runs.
 * @param options.waitSeconds for requests that were running when the merge started
 */
export async function runAccountMerges(
  { db, settings }: { db: Database; settings: Pick<OperatorSettings, 'allowsSelfVotes'> },
  { until, waitSeconds = inFlightRequestSeconds }: { until: number; waitSeconds?: number },
): Promise<void> {
  const steps = listMergeSteps(settings);
  // Asked before the steps, which then see the rows of an import that ends meanwhile.
  const isImporting = await isImportRunning(db);
  for (const fromId of await listRunningMerges(db)) {
    for (const step of steps) {
      while (await runStep(db, fromId, step)) if (Date.now() >= until) return;
    }
    if (!isImporting) await finish(db, { fromId, seconds: waitSeconds });
  }
}

/** Returns whether there may be more to do. */
async function runStep(db: Database, fromId: number, step: MergeStep): Promise<boolean> {
  return transaction(db, async (tx) => {
    const merge = await lockMerge(tx, fromId);
    if (merge === undefined) return false;
    const { rows, posts, votes } = await step(tx, merge);
    if (posts + votes > 0) await addMergeProgress(tx, { fromId, posts, votes });
    return rows > 0;
  });
}

async function finish(db: Database, merge: { fromId: number; seconds: number }): Promise<void> {
  await transaction(db, async (tx) => {
    const running = await lockMerge(tx, merge.fromId);
    if (running === undefined || !(await finishMerge(tx, merge))) return;
    const { intoId } = running;
    await publishAll(tx, [
      { topic: `member:${intoId}`, event: { kind: 'member-status-changed' } },
      { topic: `member:${intoId}`, event: { kind: 'notifications-changed' } },
      { topic: `member:${intoId}`, event: { kind: 'bookmarks-changed' } },
      { topic: 'moderation', event: { kind: 'moderation-changed' } },
    ]);
  });
}
