import { type Database, type Reader, type Tx, transaction } from '#server/platform/database.ts';
import { ProblemError } from '#server/platform/errors.ts';
import { publishAll } from '#server/platform/events.ts';
import { changeVotesOf } from '#server/votes/votes.ts';
import type { Undoing } from '#shared/care.ts';
import { answerFlags } from './flags.ts';
import { bringBack, canComeBack, putAway } from './put-away.ts';
import { isModerator, lockRemoval, nextOfRemoval, runningRemovals } from './removal-queries.ts';
import {
  countDoings,
  dateVotes,
  finish,
  forgetUndoneVotes,
  heldUndoing,
  insertUndoing,
  keepUndoneVotes,
  lastPutAwayOf,
  leaveAway,
  lockUndoing,
  newestPostOf,
  newestVotesOf,
  noteProgress,
  runningUndoings,
  setRestoring,
  type UndoingRow,
  undoingOf,
  undoneVotes,
} from './undoing-queries.ts';

/** Votes that are taken back, or set again, in one transaction. */
const votesAtOnce = 100;

/** Everything the member has done by now is to be undone. Returns the id. @throws ProblemError 'done-meanwhile' */
export async function beginUndoing(
  tx: Tx,
  wanted: { memberId: number; operatorId: number; reason: string },
): Promise<number> {
  if ((await heldUndoing(tx, wanted.memberId)) !== undefined)
    throw new ProblemError('done-meanwhile', 'Everything this account did is undone already.');
  return insertUndoing(tx, { ...wanted, ...(await countDoings(tx, wanted.memberId)) });
}

/** It is all to come back. Returns the id. @throws ProblemError 'done-meanwhile' where it is not undone */
export async function beginRestoring(tx: Tx, memberId: number): Promise<number> {
  const held = await heldUndoing(tx, memberId);
  if (held?.state !== 'undone')
    throw new ProblemError(
      'done-meanwhile',
      held?.state === 'undoing'
        ? 'It is still being undone. Wait until that has ended.'
        : 'Nothing is undone here.',
    );
  await setRestoring(tx, held.id);
  return held.id;
}

/** The latest undoing of a member; null where there was none. */
export async function latestUndoing(db: Reader, memberId: number): Promise<Undoing | null> {
  const row = await undoingOf(db, memberId);
  if (row === undefined) return null;
  const { id, state, posts, votes, posts_done: postsDone, votes_done: votesDone } = row;
  return { id, state, posts, votes, postsDone, votesDone };
}

/**
 * Goes on with what is begun, a post or a hundred votes in a transaction each: whatever ends the process, the next round
 * goes on behind what is committed. @param until in milliseconds since 1970; what is left is the next round's
 */
export async function workOnUndoings(db: Database, until: number): Promise<void> {
  for (const id of await runningUndoings(db)) {
    while (Date.now() < until && (await step(db, id))) continue;
  }
  for (const id of await runningRemovals(db)) {
    while (Date.now() < until && (await stepOfRemoval(db, id))) continue;
  }
}

/** Goes on with a removal of many accounts, likewise. Returns whether there may be more to do. */
export async function stepOfRemoval(db: Database, removalId: number): Promise<boolean> {
  return transaction(db, async (tx) => {
    // Accounts come one after the other, also where two nodes take turns.
    if ((await lockRemoval(tx, removalId)) === undefined) return false;
    const id = await nextOfRemoval(tx, removalId);
    if (id === undefined) return false;
    await stepOf(tx, id);
    return true;
  });
}

/** Returns whether there may be more to do. */
async function step(db: Database, id: number): Promise<boolean> {
  return transaction(db, (tx) => stepOf(tx, id));
}

async function stepOf(tx: Tx, id: number): Promise<boolean> {
  // Two nodes take turns.
  const run = await lockUndoing(tx, id);
  if (run === undefined) return false;
  const done = run.state === 'undoing' ? await undoNext(tx, run) : await restoreNext(tx, run);
  if (done !== null) {
    await noteProgress(tx, { id, ...done });
    return true;
  }
  await finish(tx, id);
  await publishAll(tx, [
    { topic: `member:${run.member_id}`, event: { kind: 'standing-changed' } },
    { topic: 'care', event: { kind: 'care-changed' } },
  ]);
  return false;
}

type Progress = { posts: number; votes: number };

/** Null where nothing is left of what the member did before it began. */
async function undoNext(tx: Tx, run: UndoingRow): Promise<Progress | null> {
  // Became a moderator since.
  if (await isModerator(tx, run.member_id)) return null;
  const post = await newestPostOf(tx, { memberId: run.member_id, before: run.created_at });
  if (post !== undefined) {
    await answerFlags(tx, { post, outcome: 'acted' });
    await putAway(tx, { post, how: 'hidden', reason: run.reason, undoingId: run.id });
    return { posts: 1, votes: 0 };
  }
  const votes = await newestVotesOf(tx, {
    memberId: run.member_id,
    before: run.created_at,
    limit: votesAtOnce,
  });
  if (votes.length === 0) return null;
  await keepUndoneVotes(tx, { undoingId: run.id, votes });
  await changeVotesOf(tx, {
    memberId: run.member_id,
    votes: votes.map(({ kind, id }) => ({ target: { kind, id }, vote: null })),
  });
  return { posts: 0, votes: votes.length };
}

/** The last that was put away comes back first, so that what hangs on something finds it. */
async function restoreNext(tx: Tx, run: UndoingRow): Promise<Progress | null> {
  const row = await lastPutAwayOf(tx, run.id);
  if (row !== undefined) {
    // Where what it hangs on went meanwhile, it stays away by itself, and can be brought back from the log.
    if (await canComeBack(tx, row)) await bringBack(tx, row);
    else await leaveAway(tx, row.id);
    return { posts: 1, votes: 0 };
  }
  const votes = await undoneVotes(tx, { undoingId: run.id, limit: votesAtOnce });
  if (votes.length === 0) return null;
  await changeVotesOf(tx, {
    memberId: run.member_id,
    votes: votes.map(({ kind, id, direction }) => ({ target: { kind, id }, vote: direction })),
  });
  await dateVotes(tx, { memberId: run.member_id, votes });
  await forgetUndoneVotes(tx, { undoingId: run.id, votes });
  return { posts: 0, votes: votes.length };
}
