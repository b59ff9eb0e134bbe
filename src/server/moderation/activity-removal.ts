import { type Database, type Reader, type Tx, transaction } from '#server/core/database.ts';
import { ProblemError } from '#server/core/errors.ts';
import { publishAll } from '#server/core/events.ts';
import { setVotesOfMember } from '#server/engagement/votes.ts';
import type { MemberActivityRemoval } from '#shared/moderation/moderation.ts';
import { resolveReports } from './reports.ts';
import { restorePost, canRestorePost, hidePost } from './hidden-posts.ts';
import {
  isModerator,
  lockRemoval,
  findNextActivityRemoval,
  listRunningRemovals,
} from './removals-queries.ts';
import {
  countActivity,
  restoreVoteDates,
  finishActivityRemoval,
  deleteRemovedVotes,
  lockCurrentActivityRemoval,
  insertActivityRemoval,
  insertRemovedVotes,
  findLastHiddenPost,
  detachHiddenPost,
  lockActivityRemoval,
  findNewestPost,
  listVotes,
  addProgress,
  listRunningActivityRemovals,
  startRestoring,
  type ActivityRemovalRow,
  findLatestActivityRemoval,
  listRemovedVotes,
} from './activity-removal-queries.ts';

/** Votes that are taken back, or set again, in one transaction. */
const votesPerStep = 100;

/** Everything the member has done by now is to be undone. Returns the id. @throws ProblemError 'done-meanwhile' */
export async function startActivityRemoval(
  tx: Tx,
  wanted: { memberId: number; operatorId: number; reason: string },
): Promise<number> {
  if ((await lockCurrentActivityRemoval(tx, wanted.memberId)) !== undefined)
    throw new ProblemError('done-meanwhile', 'Everything this account did is undone already.');
  return insertActivityRemoval(tx, { ...wanted, ...(await countActivity(tx, wanted.memberId)) });
}

/** It is all to come back. Returns the id. @throws ProblemError 'done-meanwhile' where it is not undone */
export async function startActivityRestoration(tx: Tx, memberId: number): Promise<number> {
  const current = await lockCurrentActivityRemoval(tx, memberId);
  if (current?.state !== 'undone')
    throw new ProblemError(
      'done-meanwhile',
      current?.state === 'undoing'
        ? 'It is still being undone. Wait until that has ended.'
        : 'Nothing is undone here.',
    );
  await startRestoring(tx, current.id);
  return current.id;
}

/** The latest undoing of a member; null where there was none. */
export async function getLatestActivityRemoval(
  db: Reader,
  memberId: number,
): Promise<MemberActivityRemoval | null> {
  const row = await findLatestActivityRemoval(db, memberId);
  if (row === undefined) return null;
  const { id, state, posts, votes, posts_done: postsDone, votes_done: votesDone } = row;
  return { id, state, posts, votes, postsDone, votesDone };
}

/**
 * Goes on with what is begun, a post or a hundred votes in a transaction each: whatever ends the process, the next round
 * goes on behind what is committed. @param until in milliseconds since 1970; what is left is the next round's
 */
export async function runActivityRemovals(db: Database, until: number): Promise<void> {
  for (const id of await listRunningActivityRemovals(db)) {
    while (Date.now() < until && (await runStep(db, id))) continue;
  }
  for (const id of await listRunningRemovals(db)) {
    while (Date.now() < until && (await runRemovalStep(db, id))) continue;
  }
}

/** Goes on with a removal of many accounts, likewise. Returns whether there may be more to do. */
export async function runRemovalStep(db: Database, removalId: number): Promise<boolean> {
  return transaction(db, async (tx) => {
    // Accounts come one after the other, also where two nodes take turns.
    if ((await lockRemoval(tx, removalId)) === undefined) return false;
    const id = await findNextActivityRemoval(tx, removalId);
    if (id === undefined) return false;
    await runStepIn(tx, id);
    return true;
  });
}

/** Returns whether there may be more to do. */
async function runStep(db: Database, id: number): Promise<boolean> {
  return transaction(db, (tx) => runStepIn(tx, id));
}

async function runStepIn(tx: Tx, id: number): Promise<boolean> {
  // Two nodes take turns.
  const run = await lockActivityRemoval(tx, id);
  if (run === undefined) return false;
  const done = run.state === 'undoing' ? await removeNext(tx, run) : await restoreNext(tx, run);
  if (done !== null) {
    await addProgress(tx, { id, ...done });
    return true;
  }
  await finishActivityRemoval(tx, id);
  await publishAll(tx, [
    { topic: `member:${run.member_id}`, event: { kind: 'standing-changed' } },
    { topic: 'care', event: { kind: 'care-changed' } },
  ]);
  return false;
}

type Progress = { posts: number; votes: number };

/** Null where nothing is left of what the member did before it began. */
async function removeNext(tx: Tx, run: ActivityRemovalRow): Promise<Progress | null> {
  // Became a moderator since.
  if (await isModerator(tx, run.member_id)) return null;
  const post = await findNewestPost(tx, { memberId: run.member_id, before: run.created_at });
  if (post !== undefined) {
    await resolveReports(tx, { post, outcome: 'acted' });
    await hidePost(tx, { post, how: 'hidden', reason: run.reason, activityRemovalId: run.id });
    return { posts: 1, votes: 0 };
  }
  const votes = await listVotes(tx, {
    memberId: run.member_id,
    before: run.created_at,
    limit: votesPerStep,
  });
  if (votes.length === 0) return null;
  await insertRemovedVotes(tx, { activityRemovalId: run.id, votes });
  await setVotesOfMember(tx, {
    memberId: run.member_id,
    votes: votes.map(({ kind, id }) => ({ target: { kind, id }, vote: null })),
  });
  return { posts: 0, votes: votes.length };
}

/** The last that was put away comes back first, so that what hangs on something finds it. */
async function restoreNext(tx: Tx, run: ActivityRemovalRow): Promise<Progress | null> {
  const row = await findLastHiddenPost(tx, run.id);
  if (row !== undefined) {
    // Where what it hangs on went meanwhile, it stays away by itself, and can be brought back from the log.
    if (await canRestorePost(tx, row)) await restorePost(tx, row);
    else await detachHiddenPost(tx, row.id);
    return { posts: 1, votes: 0 };
  }
  const votes = await listRemovedVotes(tx, { activityRemovalId: run.id, limit: votesPerStep });
  if (votes.length === 0) return null;
  await setVotesOfMember(tx, {
    memberId: run.member_id,
    votes: votes.map(({ kind, id, direction }) => ({ target: { kind, id }, vote: direction })),
  });
  await restoreVoteDates(tx, { memberId: run.member_id, votes });
  await deleteRemovedVotes(tx, { activityRemovalId: run.id, votes });
  return { posts: 0, votes: votes.length };
}
