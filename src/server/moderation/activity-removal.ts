import { type Database, type Reader, type Tx, transaction } from '#server/core/database.ts';
import { ProblemError } from '#server/core/errors.ts';
import { publishAll } from '#server/core/events.ts';
import { runInTurns } from '#server/core/steps.ts';
import {
  buildProfileEvents,
  changeReviewQueue,
  forgetSpam,
  learnSpam,
  readSpamFeatures,
  rejectHeldPosts,
} from '#server/posts/index.ts';
import { isMerging } from '#server/identity/index.ts';
import { setVotesOfMember } from '#server/engagement/index.ts';
import type { MemberActivityRemoval } from '#shared/moderation/moderation.ts';
import { deleteCloseVotesOf } from './close-votes-queries.ts';
import { withdrawAllSuggestions } from './edit-suggestions-queries.ts';
import { resolveReports } from './reports.ts';
import { restorePost, canRestorePost, hidePost } from './hidden-posts.ts';
import {
  insertActivityRemovals,
  isModerator,
  lockRemoval,
  findNextActivityRemoval,
  listRunningRemovals,
  startRestoring,
} from './removals-queries.ts';
import {
  changeVotesOnHiddenPosts,
  finishActivityRemoval,
  deleteRemovedVotes,
  lockCurrentActivityRemoval,
  insertRemovedVotes,
  findLastHiddenPost,
  detachHiddenPost,
  lockActivityRemoval,
  findNewestPost,
  listVotes,
  addProgress,
  listRunningActivityRemovals,
  type ActivityRemovalRow,
  type RemovedVote,
  findLatestActivityRemoval,
  listRemovedVotes,
} from './activity-removal-queries.ts';

/** Votes on posts of one kind that one transaction removes or restores. */
const votesPerStep = 100;

/** Posts of one removal that teach the spam classifier, so that one account with many posts does not dominate it. */
export const learnedPostsPerRemoval = 5;

/**
 * Rejects the posts of these members that wait for approval, and withdraws their open suggested edits and close votes. A
 * removal of their activity starts with it; its restoration leaves it as it is.
 */
export async function endOpenActivity(
  tx: Tx,
  { memberIds, reason }: { memberIds: readonly number[]; reason: string },
): Promise<void> {
  await changeReviewQueue(tx, () => rejectHeldPosts(tx, { memberIds, reason }));
  await withdrawAllSuggestions(tx, memberIds);
  await deleteCloseVotesOf(tx, memberIds);
}

/**
 * Starts the removal of all the present posts and votes of a member, who must be locked. Returns the id.
 * @throws ProblemError 'already-handled' if their activity is already removed, or while a merge brings more of it
 */
export async function startActivityRemoval(
  tx: Tx,
  wanted: { memberId: number; moderatorId: number; reason: string },
): Promise<number> {
  const { memberId, ...rest } = wanted;
  const memberIds = [memberId];
  if (await isMerging(tx, memberIds)) throw new ProblemError('merge-running');
  await endOpenActivity(tx, { memberIds, reason: wanted.reason });
  const { firstId } = await insertActivityRemovals(tx, { removalId: null, memberIds, ...rest });
  if (firstId === null) throw new ProblemError('activity-already-removed');
  return firstId;
}

/**
 * Starts the restoration of all removed posts and votes. Returns the id.
 * @throws ProblemError 'already-handled' if the removal has not finished, or there is none.
 */
export async function startActivityRestoration(tx: Tx, memberId: number): Promise<number> {
  const current = await lockCurrentActivityRemoval(tx, memberId);
  if (current?.state !== 'removed')
    throw new ProblemError(
      current?.state === 'removing' ? 'activity-removal-running' : 'activity-not-removed',
    );
  await startRestoring(tx, { column: 'id', id: current.id });
  return current.id;
}

/** Returns the member's latest removal, null if there is none. */
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
 * Continues all running removals and restorations in transactions of one post or 100 votes, in turns. If the process
 * ends, the next run continues after the last commit.
 * @param until milliseconds since 1970. The next run does what is left.
 */
export async function runActivityRemovals(db: Database, until: number): Promise<void> {
  const ofOneAccount = await listRunningActivityRemovals(db);
  const ofManyAccounts = await listRunningRemovals(db);
  await runInTurns(
    [
      ...ofOneAccount.map((id) => () => runStep(db, id)),
      ...ofManyAccounts.map((id) => () => runRemovalStep(db, id)),
    ],
    until,
  );
}

/** Runs one step of a removal of many accounts. Returns whether there may be more to do. */
export async function runRemovalStep(db: Database, removalId: number): Promise<boolean> {
  return transaction(db, async (tx) => {
    // The lock makes nodes that run at the same time process one account after the other.
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
  // Two nodes may run this at the same time.
  const run = await lockActivityRemoval(tx, id);
  if (run === undefined) return false;
  const done = run.state === 'removing' ? await removeNext(tx, run) : await restoreNext(tx, run);
  if (done !== null) {
    await addProgress(tx, { id, ...done });
    return true;
  }
  await finishActivityRemoval(tx, id);
  await publishAll(tx, [
    ...buildProfileEvents([run.member_id]),
    { topic: `member:${run.member_id}`, event: { kind: 'member-changed' } },
    { topic: 'moderation', event: { kind: 'moderation-changed' } },
  ]);
  return false;
}

type Progress = { posts: number; votes: number };

/** Removes a post or some votes from before the removal started. Returns null if none is left. */
async function removeNext(tx: Tx, run: ActivityRemovalRow): Promise<Progress | null> {
  // The member became a moderator after the removal started.
  if (await isModerator(tx, run.member_id)) return null;
  const post = await findNewestPost(tx, { memberId: run.member_id, before: run.created_at });
  if (post !== undefined) {
    await resolveReports(tx, { post, outcome: 'resolved' });
    const tokens = run.posts_done < learnedPostsPerRemoval ? await readSpamFeatures(tx, post) : [];
    await hidePost(tx, { post, status: 'hidden', reason: run.reason, activityRemovalId: run.id });
    if (tokens.length > 0) await learnSpam(tx, { post, isSpam: true, tokens });
    return { posts: 1, votes: 0 };
  }
  const votes = takeOneKind(
    await listVotes(tx, { memberId: run.member_id, before: run.created_at, limit: votesPerStep }),
  );
  const [first] = votes;
  if (first === undefined) return null;
  await insertRemovedVotes(tx, { activityRemovalId: run.id, votes });
  await setVotesOfMember(tx, {
    kind: first.kind,
    memberId: run.member_id,
    votes: votes.map(({ id }) => ({ id, vote: null })),
  });
  await changeVotesOnHiddenPosts(tx, { memberId: run.member_id, votes, by: -1 });
  return { posts: 0, votes: votes.length };
}

/** The first votes, as far as they are on posts of the same kind. */
const takeOneKind = (votes: readonly RemovedVote[]) => votes.filter(({ kind }) => kind === votes[0]?.kind);

/** Restores in reverse order, so that a reply finds its answer and an answer its question. */
async function restoreNext(tx: Tx, run: ActivityRemovalRow): Promise<Progress | null> {
  const row = await findLastHiddenPost(tx, run.id);
  if (row !== undefined) {
    // A post whose question or answer was deleted meanwhile stays hidden. Moderators can restore it separately from the
    // log.
    if (await canRestorePost(tx, row)) {
      await restorePost(tx, row);
      await forgetSpam(tx, { post: { kind: row.post_kind, id: row.post_id }, isSpam: true });
    } else await detachHiddenPost(tx, row.id);
    return { posts: 1, votes: 0 };
  }
  const votes = takeOneKind(await listRemovedVotes(tx, { activityRemovalId: run.id, limit: votesPerStep }));
  const [first] = votes;
  if (first === undefined) return null;
  await setVotesOfMember(tx, {
    kind: first.kind,
    memberId: run.member_id,
    votes: votes.map(({ id, direction, created_at: castAt }) => ({ id, vote: direction, castAt })),
  });
  await changeVotesOnHiddenPosts(tx, { memberId: run.member_id, votes, by: 1 });
  await deleteRemovedVotes(tx, { activityRemovalId: run.id, votes });
  return { posts: 0, votes: votes.length };
}
