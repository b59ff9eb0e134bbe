import { type Database, type Reader, type Tx, transaction } from '#server/core/database.ts';
import { invalidFieldError, ProblemError } from '#server/core/errors.ts';
import { publish } from '#server/core/events.ts';
import { isMerging, lockMembers } from '#server/identity/index.ts';
import { limits } from '#shared/core/limits.ts';
import type { Removal, RemovalPreview, RemovalSelection } from '#shared/moderation/removals.ts';
import { endOpenActivity } from './activity-removal.ts';
import { insertLogEntry } from './moderation-log-queries.ts';
import {
  listMemberActivity,
  type Candidate,
  type RemovalTarget,
  countOthersPosts,
  insertRemoval,
  insertActivityRemovals,
  listLatestPosts,
  lockRemoval,
  type RemovalRow,
  selectCandidates,
  selectRemovals,
  startRestoring,
} from './removals-queries.ts';

/** Accounts and posts that a preview lists at most, and removals in one response. */
const pageSizes = { accounts: 100, posts: 10, removals: 20 } as const;

/** `moderatorId` is null for the command line. `moderation` queues the work of the same transaction. */
export type RemovalContext = {
  moderatorId: number | null;
  queueWork?: ((tx: Tx) => Promise<void>) | undefined;
};

/**
 * Counts what a removal would take. Changes nothing.
 * @throws ProblemError 'invalid' if the selection is empty.
 */
export async function previewRemoval(db: Reader, selection: RemovalSelection): Promise<RemovalPreview> {
  const candidates = await selectAllowedCandidates(db, selection);
  const memberIds = listRemovableIds(candidates);
  const [accounts, othersPosts, sample] = await Promise.all([
    listMemberActivity(db, memberIds),
    countOthersPosts(db, memberIds),
    listLatestPosts(db, { memberIds, limit: pageSizes.posts }),
  ]);
  const sum = (kind: 'questions' | 'answers' | 'replies' | 'votes') =>
    accounts.reduce((total, each) => total + each[kind], 0);
  return {
    accounts: accounts.length,
    moderators: candidates.filter((each) => each.isModerator).length,
    alreadyRemoved: candidates.filter((each) => each.isRemoved && !each.isModerator).length,
    questions: sum('questions'),
    answers: sum('answers'),
    replies: sum('replies'),
    votes: sum('votes'),
    othersPosts,
    items: accounts.slice(0, pageSizes.accounts),
    sample: sample.map((post) => ({ ...post, createdAt: post.createdAt.toISOString() })),
  };
}

/**
 * Starts to remove all activity of the selected accounts, except for moderators and for accounts whose activity is
 * removed already. The job works in small steps (activity-removal.ts). Returns the id of the removal.
 * @throws ProblemError 'invalid' if the selection is empty, 'already-handled' if no account is left to remove, or while one
 * of them is merged
 */
export async function beginRemoval(
  db: Database,
  { selection, reason, remover }: { selection: RemovalSelection; reason: string; remover: RemovalContext },
): Promise<number> {
  if (reason.trim() === '') throw invalidFieldError('reason', 'reason-required');
  const { moderatorId } = remover;
  return transaction(db, async (tx) => {
    const memberIds = listRemovableIds(await selectAllowedCandidates(tx, selection));
    await lockMembers(tx, memberIds);
    if (await isMerging(tx, memberIds)) throw new ProblemError('merge-running');
    const id = await insertRemoval(tx, { moderatorId, reason });
    const { firstId: _, ...begun } = await insertActivityRemovals(tx, {
      removalId: id,
      memberIds,
      moderatorId,
      reason,
    });
    if (begun.accounts === 0) throw new ProblemError('removal-empty');
    await endOpenActivity(tx, { memberIds, reason });
    const before = { removal: id, ...begun };
    await insertLogEntry(tx, {
      moderatorId,
      action: 'bulk_remove_activity',
      reason,
      post: null,
      memberId: null,
      before,
    });
    await remover.queueWork?.(tx);
    await publish(tx, 'moderation', { kind: 'moderation-changed' });
    return id;
  });
}

/**
 * Starts to restore everything that a removal took.
 * @throws ProblemError 'not-found', 'already-handled'
 */
export async function beginRestoration(
  db: Database,
  { id, reason, remover }: { id: number; reason: string; remover: RemovalContext },
): Promise<void> {
  if (reason.trim() === '') throw invalidFieldError('reason', 'reason-required');
  const { moderatorId } = remover;
  await transaction(db, async (tx) => {
    if ((await lockRemoval(tx, id)) === undefined) throw createRemovalNotFound();
    const [row] = await selectRemovals(tx, { id, limit: 1 });
    if (row?.state !== 'removed')
      throw new ProblemError(row?.state === 'removing' ? 'activity-removal-running' : 'restored-already');
    const accounts = await startRestoring(tx, { column: 'bulk_removal_id', id });
    const before = { removal: id, accounts };
    await insertLogEntry(tx, {
      moderatorId,
      action: 'bulk_restore_activity',
      reason,
      post: null,
      memberId: null,
      before,
    });
    await remover.queueWork?.(tx);
    await publish(tx, 'moderation', { kind: 'moderation-changed' });
  });
}

/** Returns the latest removals, newest first. */
export async function readRemovals(db: Reader): Promise<Removal[]> {
  return (await selectRemovals(db, { id: null, limit: pageSizes.removals })).map(toRemoval);
}

/** @throws ProblemError 'not-found' */
export async function readRemoval(db: Reader, id: number): Promise<Removal> {
  const [row] = await selectRemovals(db, { id, limit: 1 });
  if (row === undefined) throw createRemovalNotFound();
  return toRemoval(row);
}

async function selectAllowedCandidates(db: Reader | Tx, selection: RemovalSelection): Promise<Candidate[]> {
  const candidates = await selectCandidates(db, {
    chosen: toRemovalTarget(selection),
    limit: limits.removalAccounts + 1,
  });
  if (candidates.length > limits.removalAccounts)
    throw invalidFieldError('from', 'removal-too-large', { max: limits.removalAccounts });
  if (candidates.length === 0) throw invalidFieldError('memberIds', 'no-account-selected');
  return candidates;
}

function toRemovalTarget({ memberIds, network, from, to }: RemovalSelection): RemovalTarget {
  const isByNetwork = network !== null;
  if (isByNetwork === memberIds.length > 0) throw invalidFieldError('memberIds', 'selection-required');
  if (!isByNetwork) return { memberIds };
  return { network, from: from === null ? null : new Date(from), to: to === null ? null : new Date(to) };
}

const listRemovableIds = (candidates: readonly Candidate[]) =>
  candidates.filter((each) => !each.isModerator && !each.isRemoved).map(({ id }) => id);

const toRemoval = (row: RemovalRow): Removal => ({ ...row, createdAt: row.createdAt.toISOString() });

const createRemovalNotFound = () => new ProblemError('removal-not-found');
