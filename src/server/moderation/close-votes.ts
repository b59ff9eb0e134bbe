import { type Database, type Reader, transaction, type Tx } from '#server/core/database.ts';
import { ProblemError } from '#server/core/errors.ts';
import { publish, publishAll } from '#server/core/events.ts';
import type { Viewer } from '#server/core/http.ts';
import {
  buildDuplicateEvents,
  lockQuestionThread,
  readQuestionTitles,
  refuseLocked,
} from '#server/posts/index.ts';
import { canModerate } from '#shared/identity/roles.ts';
import type { CloseVoteDraft, CloseVotes } from '#shared/moderation/close-votes.ts';
import type { AbilitySettings } from './abilities.ts';
import {
  type ClosableQuestion,
  type CloseVoteRow,
  deleteCloseVote,
  endCloseVotes,
  findClosableQuestion,
  listCloseVotes,
  putCloseVote,
} from './close-votes-queries.ts';
import { findReputation } from './edit-suggestions-queries.ts';
import { insertLogEntry } from './moderation-log-queries.ts';
import { requireModerator } from './moderator.ts';
import { requireOriginal, resolveReportsUnlessOwn } from './post-actions.ts';
import { lockQuestionToAct, setDuplicate } from './post-actions-queries.ts';
import { resolveDuplicateReports } from './reports.ts';
import { refuseOthersClaim } from './review-queue.ts';
import { lockReviewItem } from './review-queue-queries.ts';

type Wanted = { id: number; viewer: Viewer; settings: AbilitySettings };

/**
 * Returns the votes on a question, and whether the viewer may vote.
 * @throws ProblemError 'not-found'
 */
export async function readCloseVotes(db: Reader, { id, viewer, settings }: Wanted): Promise<CloseVotes> {
  const question = await findClosableQuestion(db, id);
  if (question === undefined) throw new ProblemError('question-not-found');
  const days = settings.get('closeVoteDays');
  const votes = await listCloseVotes(db, { questionId: id, days });
  const right = await findRight(db, { question, votes, viewer, settings });
  const mine = votes.find((vote) => vote.member_id === viewer.id);
  const ids = [...new Set(votes.flatMap(({ duplicate_of: original }) => original ?? []))];
  // A question that is hidden meanwhile has no title.
  const titles = right === null ? [] : await readQuestionTitles(db, ids);
  const originals = titles.map((original) => ({ ...original, votes: countFor(votes, original.id) }));
  return {
    canVote: right !== null,
    isDecisive: right === 'decisive',
    needed: settings.get('closeVotesNeeded'),
    days,
    duplicateOf: question.duplicate_of,
    originals: originals.toSorted((a, b) => b.votes - a.votes || a.id - b.id),
    reopenVotes: right === null ? 0 : countFor(votes, null),
    myVote: mine === undefined ? null : mine.duplicate_of === null ? 'reopen' : 'close',
    myDuplicateOf: mine?.duplicate_of ?? null,
  };
}

/**
 * Votes to close a question as a duplicate or to reopen it, or withdraws the vote. Enough votes for one original question,
 * or one by the author or a moderator, have the effect at once (docs/product.md 24.7).
 * @throws ProblemError 'not-found', 'not-allowed', 'locked', 'invalid', 'already-handled' if it is closed or open already, or
 * for a moderator while another one works on it
 */
export async function setCloseVote(db: Database, vote: Wanted & { draft: CloseVoteDraft }): Promise<void> {
  const { id, viewer, settings, draft } = vote;
  const { vote: wanted, duplicateOf } = draft;
  const original = wanted === 'close' ? duplicateOf : null;
  await transaction(db, async (tx) => {
    // Checked before any lock, so that a request without the right makes no other one wait.
    if (wanted !== null) await requireRight(tx, { id, original, viewer, settings });
    if (wanted === 'close') {
      await lockQuestionToAct(tx, { id, duplicateOf, withDuplicates: true });
      await requireOriginal(tx, { id, duplicateOf });
    }
    const question = await lockQuestionThread(tx, id);
    refuseLocked(question.lock_reason);
    if (wanted === null) return deleteCloseVote(tx, { questionId: id, memberId: viewer.id });
    const right = await requireRight(tx, { id, original, viewer, settings });
    if ((question.duplicate_of !== null) === (wanted === 'close')) throw new ProblemError('handled-already');
    await putCloseVote(tx, { questionId: id, memberId: viewer.id, duplicateOf: original });
    const votes = await listCloseVotes(tx, { questionId: id, days: settings.get('closeVoteDays') });
    if (right === 'decisive' || countFor(votes, original) >= settings.get('closeVotesNeeded'))
      await closeOrReopen(tx, { id, original, question, votes, viewer });
  });
}

async function closeOrReopen(
  tx: Tx,
  closing: {
    id: number;
    original: number | null;
    question: ClosableQuestion;
    votes: readonly CloseVoteRow[];
    viewer: Viewer;
  },
): Promise<void> {
  const { id, original, question, votes, viewer } = closing;
  const post = { kind: 'question', id } as const;
  const isModerator = canModerate(viewer.memberStatus.role);
  if (isModerator) {
    const item = await lockReviewItem(tx, post);
    if (item !== undefined) refuseOthersClaim(item, requireModerator(viewer));
  }
  const voters = votes.filter((vote) => vote.duplicate_of === original).map((vote) => vote.member_id);
  const changed = await setDuplicate(tx, { questionId: id, duplicateOf: original });
  await endCloseVotes(tx, { questionId: id, closers: original === null ? [] : voters });
  if (isModerator) {
    const reportsCount = await resolveReportsUnlessOwn(tx, {
      post,
      authorId: question.author_id,
      moderator: viewer,
    });
    await insertLogEntry(tx, {
      moderatorId: viewer.id,
      action: original === null ? 'not_duplicate' : 'duplicate',
      reason: '',
      post: { ...post, questionId: id },
      memberId: question.author_id,
      before: { reportsCount, duplicateOf: question.duplicate_of },
    });
    await publish(tx, 'moderation', { kind: 'moderation-changed' });
  } else await resolveDuplicateReports(tx, id);
  await publishAll(
    tx,
    changed.flatMap((each) => buildDuplicateEvents(each, original)),
  );
}

/** @throws ProblemError 'not-found', 'not-allowed' */
async function requireRight(
  tx: Tx,
  { id, original, viewer, settings }: Wanted & { original: number | null },
): Promise<'decisive' | 'counts'> {
  const question = await findClosableQuestion(tx, id);
  if (question === undefined) throw new ProblemError('question-not-found');
  const all = await listCloseVotes(tx, { questionId: id, days: settings.get('closeVoteDays') });
  const votes = all.filter((vote) => vote.duplicate_of === original);
  const right = await findRight(tx, { question, votes, viewer, settings });
  if (right === null) throw new ProblemError('close-vote-not-allowed');
  return right;
}

/**
 * The right of a member to vote: a moderator's vote decides, and that of the author when another member has voted. Null
 * for members without enough reputation.
 * @param wanted.votes for the same original question, or for any before the member has chosen one
 */
async function findRight(
  db: Reader,
  wanted: {
    question: ClosableQuestion;
    votes: readonly CloseVoteRow[];
    viewer: Viewer;
    settings: AbilitySettings;
  },
): Promise<'decisive' | 'counts' | null> {
  const { question, votes, viewer, settings } = wanted;
  if (canModerate(viewer.memberStatus.role)) return 'decisive';
  const isAuthor = question.author_id === viewer.id;
  if (isAuthor && votes.some((vote) => vote.member_id !== viewer.id)) return 'decisive';
  const reputation = await findReputation(db, viewer.id);
  return reputation >= settings.get('closeVoteReputation') ? 'counts' : null;
}

const countFor = (votes: readonly CloseVoteRow[], original: number | null): number =>
  votes.filter((vote) => vote.duplicate_of === original).length;
