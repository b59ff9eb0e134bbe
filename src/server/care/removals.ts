import { type Database, type Reader, type Tx, transaction } from '#server/platform/database.ts';
import { invalidField, ProblemError } from '#server/platform/errors.ts';
import { publish } from '#server/platform/events.ts';
import { limits } from '#shared/limits.ts';
import type { Removal, RemovalPreview, RemovalSelection } from '#shared/removals.ts';
import { insertLog } from './log-queries.ts';
import {
  activityOfMembers,
  type Candidate,
  type Chosen,
  countOthersPosts,
  insertRemoval,
  insertUndoings,
  latestPostsOf,
  lockRemoval,
  type RemovalRow,
  selectCandidates,
  selectRemovals,
  setAllRestoring,
} from './removal-queries.ts';

/** Accounts that a preview lists, posts that it shows, and removals that a page lists. */
const listed = { accounts: 100, posts: 10, removals: 20 } as const;

/** Who removes: a moderator, or (null) the command line; and what is to follow in the same transaction. */
export type Remover = { operatorId: number | null; work?: ((tx: Tx) => Promise<void>) | undefined };

/** What a removal would take. Nothing changes. @throws ProblemError 'invalid' for a selection that selects nobody */
export async function previewRemoval(db: Reader, selection: RemovalSelection): Promise<RemovalPreview> {
  const candidates = await candidatesFor(db, selection);
  const memberIds = removable(candidates);
  const [accounts, othersPosts, sample] = await Promise.all([
    activityOfMembers(db, memberIds),
    countOthersPosts(db, memberIds),
    latestPostsOf(db, { memberIds, limit: listed.posts }),
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
    items: accounts.slice(0, listed.accounts),
    sample: sample.map((post) => ({ ...post, createdAt: post.createdAt.toISOString() })),
  };
}

/**
 * Begins to remove all activity of the selected accounts; moderators, and accounts whose activity is removed already, are
 * left out. The work is done in small steps (undoing.ts). Returns the removal's id.
 * @throws ProblemError 'invalid' for a selection that selects nobody, 'done-meanwhile' where nobody of it is left
 */
export async function beginRemoval(
  db: Database,
  { selection, reason, remover }: { selection: RemovalSelection; reason: string; remover: Remover },
): Promise<number> {
  if (reason.trim() === '') throw invalidField('reason', 'Say why in a few words');
  const { operatorId } = remover;
  return transaction(db, async (tx) => {
    const memberIds = removable(await candidatesFor(tx, selection));
    const id = await insertRemoval(tx, { operatorId, reason });
    const begun = await insertUndoings(tx, { removalId: id, memberIds, operatorId, reason });
    if (begun.accounts === 0)
      throw new ProblemError(
        'done-meanwhile',
        'Nothing is left to remove: the selected accounts are moderators, or their activity is removed already.',
      );
    const before = { removal: id, ...begun };
    await insertLog(tx, {
      operatorId,
      action: 'remove_activity',
      reason,
      post: null,
      memberId: null,
      before,
    });
    await remover.work?.(tx);
    await publish(tx, 'care', { kind: 'care-changed' });
    return id;
  });
}

/** Everything that a removal took is to come back. @throws ProblemError 'not-found', 'done-meanwhile' */
export async function beginRestoration(
  db: Database,
  { id, reason, remover }: { id: number; reason: string; remover: Remover },
): Promise<void> {
  if (reason.trim() === '') throw invalidField('reason', 'Say why in a few words');
  const { operatorId } = remover;
  await transaction(db, async (tx) => {
    if ((await lockRemoval(tx, id)) === undefined) throw missing();
    const [row] = await selectRemovals(tx, { id, limit: 1 });
    if (row?.state !== 'removed')
      throw new ProblemError(
        'done-meanwhile',
        row?.state === 'removing'
          ? 'The removal is still running. Wait until it has finished.'
          : 'Another moderator has restored this already.',
      );
    const accounts = await setAllRestoring(tx, id);
    const before = { removal: id, accounts };
    await insertLog(tx, {
      operatorId,
      action: 'restore_activity',
      reason,
      post: null,
      memberId: null,
      before,
    });
    await remover.work?.(tx);
    await publish(tx, 'care', { kind: 'care-changed' });
  });
}

/** The latest removals, newest first. */
export async function readRemovals(db: Reader): Promise<Removal[]> {
  return (await selectRemovals(db, { id: null, limit: listed.removals })).map(toRemoval);
}

/** @throws ProblemError 'not-found' */
export async function readRemoval(db: Reader, id: number): Promise<Removal> {
  const [row] = await selectRemovals(db, { id, limit: 1 });
  if (row === undefined) throw missing();
  return toRemoval(row);
}

async function candidatesFor(db: Reader | Tx, selection: RemovalSelection): Promise<Candidate[]> {
  const candidates = await selectCandidates(db, {
    chosen: chosenBy(selection),
    limit: limits.removalAccounts + 1,
  });
  if (candidates.length > limits.removalAccounts)
    throw invalidField(
      'from',
      `A removal can take up to ${limits.removalAccounts} accounts. Choose a shorter time span.`,
    );
  if (candidates.length === 0) throw invalidField('memberIds', 'No account matches the selection.');
  return candidates;
}

function chosenBy({ memberIds, network, from, to }: RemovalSelection): Chosen {
  const isByNetwork = network !== null;
  if (isByNetwork === memberIds.length > 0)
    throw invalidField('memberIds', 'Select accounts, or a network and a time span.');
  if (!isByNetwork) return { memberIds };
  return { network, from: from === null ? null : new Date(from), to: to === null ? null : new Date(to) };
}

const removable = (candidates: readonly Candidate[]) =>
  candidates.filter((each) => !each.isModerator && !each.isRemoved).map(({ id }) => id);

const toRemoval = (row: RemovalRow): Removal => ({ ...row, createdAt: row.createdAt.toISOString() });

const missing = () => new ProblemError('not-found', 'There is no such removal.');
