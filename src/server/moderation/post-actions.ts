import { type Database, type Tx, transaction } from '#server/core/database.ts';
import { invalidFieldError, ProblemError } from '#server/core/errors.ts';
import { publishAll, type TopicEvent } from '#server/core/events.ts';
import {
  buildDuplicateEvents,
  forgetSpam,
  isPresentVersion,
  type LockedHeldPost,
  learnSpam,
  lockExistingQuestions,
  lockHeldPost,
  lockHiddenPost,
  lockQuestionIfExists,
  lockQuestionThread,
  readSpamFeatures,
} from '#server/posts/index.ts';
import { actionsWithoutReason } from '#shared/moderation/action-reasons.ts';
import { type PostAction, type PostActionDraft, spamReason } from '#shared/moderation/moderation.ts';
import type { PostRef } from '#shared/core/fields.ts';
import { endCloseVotes } from './close-votes-queries.ts';
import { approveHeldPost, type Posting, rejectHeldPost } from './held-posts.ts';
import { findHeldPostQuestion } from './held-posts-queries.ts';
import { resolveReports } from './reports.ts';
import { setObjectionDecided } from './objections-queries.ts';
import { refuseOthersClaim, removeFromReviewQueue } from './review-queue.ts';
import { type LockedReviewItem, lockReviewItem } from './review-queue-queries.ts';
import { type LogEntryDraft, insertLogEntry } from './moderation-log-queries.ts';
import { insertModeratorMessage } from './moderator-messages-queries.ts';
import type { Moderator } from './moderator.ts';
import { restorePost, hidePost } from './hidden-posts.ts';
import {
  findHiddenPost,
  findQuestionTitle,
  findVisiblePost,
  type HiddenPostRow,
} from './hidden-posts-queries.ts';
import {
  findLastAction,
  findLastRemoval,
  hasOtherModerators,
  lockPostVersion,
  lockQuestionToAct,
  setDuplicate,
  setLock,
} from './post-actions-queries.ts';

export type PostActionRequest = { moderator: Moderator; draft: PostActionDraft; posting: Posting };

/**
 * Applies a moderator's decision about a post. Of two moderators who decide at the same time, the second gets an error
 * with the first decision. The log entry with the reason and the state before is written in the same transaction.
 * @throws ProblemError 'already-handled', 'not-found', 'not-allowed' for the moderator's own post, 'edit-conflict' if the
 * post was edited since the moderator read it, 'invalid' if a required reason is missing
 */
export async function actOnPost(
  db: Database,
  { moderator, draft, posting }: PostActionRequest,
): Promise<void> {
  const { action, kind, id, reason } = draft;
  if (reason === '' && !actionsWithoutReason.has(action))
    throw invalidFieldError('reason', 'reason-required');
  await transaction(db, async (tx) => {
    const post: PostRef = { kind, id };
    const open = await lockOpenPost(tx, { moderator, post, draft });
    if (open.authorId === moderator.id) await refuseOwnPost(tx, { moderator, post, draft });
    await actionHandlers[action](tx, { moderator, post, draft, posting, ...open });
  });
}

type PostActionContext = {
  moderator: Moderator;
  post: PostRef;
  draft: PostActionDraft;
  posting: Posting;
} & OpenPost;

/** A post with what is locked of it. */
type OpenPost = {
  authorId: number | null;
  /** Undefined for a post that everyone sees. */
  heldPost: LockedHeldPost | undefined;
  /** Its entry in the review queue. */
  item: LockedReviewItem | undefined;
};

const actionHandlers: Readonly<Record<PostAction, (tx: Tx, step: PostActionContext) => Promise<void>>> = {
  dismiss: async (tx, { moderator, post, draft }) => {
    const visible = await requirePost(tx, post);
    const reportsCount = await resolveReports(tx, { post, outcome: 'dismissed' });
    if (reportsCount === 0) throw await createAlreadyHandledError(tx, post);
    await learnSpam(tx, { post, isSpam: false, tokens: await readSpamFeatures(tx, post) });
    await logAction(tx, { moderator, post, draft, ...visible, before: { reportsCount } }, []);
  },
  approve: async (tx, { moderator, post, draft, posting, heldPost: row, item }) => {
    if (row !== undefined) {
      const tokens = await readSpamFeatures(tx, post);
      await approveHeldPost(tx, { row, moderator, draft }, posting);
      return learnSpam(tx, { post, isSpam: false, tokens });
    }
    const visible = await requirePost(tx, post);
    if (item === undefined) throw await createAlreadyHandledError(tx, post);
    if (item.open_reports > 0) throw new ProblemError('reported-meanwhile');
    await resolveReports(tx, { post, outcome: 'dismissed' });
    await learnSpam(tx, { post, isSpam: false, tokens: await readSpamFeatures(tx, post) });
    await logAction(tx, { moderator, post, draft, ...visible, before: { cause: item.cause } }, []);
  },
  reject: async (tx, { moderator, post, draft, heldPost: row }) => {
    if (row === undefined) throw await createAlreadyHandledError(tx, post);
    return rejectHeldPost(tx, { row, moderator, draft });
  },
  hide: (tx, step) => hideOrDelete(tx, step, 'hidden'),
  delete: (tx, step) => hideOrDelete(tx, step, 'deleted'),
  spam: async (tx, step) => {
    const { moderator, post, heldPost: row } = step;
    const draft = { ...step.draft, reason: step.draft.reason || spamReason };
    const tokens = await readSpamFeatures(tx, post);
    await (row === undefined
      ? hideOrDelete(tx, { ...step, draft }, 'deleted')
      : rejectHeldPost(tx, { row, moderator, draft }));
    await learnSpam(tx, { post, isSpam: true, tokens });
  },
  restore: async (tx, { moderator, post, draft, item }) => {
    const row = await findHiddenPost(tx, post);
    if (row === undefined) throw await createAlreadyHandledError(tx, post);
    await endObjection(tx, { row, draft, item, kind: 'restored' });
    await restorePost(tx, row);
    await forgetSpam(tx, { post, isSpam: true });
    const visible = { question_id: row.question_id, author_id: row.author_id };
    await logAction(
      tx,
      { moderator, post, draft, ...visible, before: { status: row.status } },
      createStatusEvents(row.author_id),
    );
  },
  decline_objection: async (tx, { moderator, post, draft, item }) => {
    const row = await findHiddenPost(tx, post);
    if (row === undefined || !(await endObjection(tx, { row, draft, item, kind: 'objection_declined' })))
      throw await createAlreadyHandledError(tx, post);
    const visible = { question_id: row.question_id, author_id: row.author_id };
    const before = { status: row.status };
    await logAction(tx, { moderator, post, draft, ...visible, before }, createStatusEvents(row.author_id));
  },
  lock: (tx, step) => lockOrUnlock(tx, step, step.draft.reason),
  unlock: (tx, step) => lockOrUnlock(tx, step, null),
  duplicate: (tx, step) => markDuplicate(tx, step, step.draft.duplicateOf),
  not_duplicate: (tx, step) => markDuplicate(tx, step, null),
};

async function hideOrDelete(
  tx: Tx,
  { moderator, post, draft }: PostActionContext,
  status: 'hidden' | 'deleted',
): Promise<void> {
  // Before the post is hidden: its reports are resolved, not hidden with it.
  const reportsCount = await resolveReports(tx, { post, outcome: 'resolved' });
  const visible = await hidePost(tx, { post, status, reason: draft.reason, activityRemovalId: null });
  if (visible === undefined) throw await createAlreadyHandledError(tx, post);
  if (visible.author_id !== null)
    await insertModeratorMessage(tx, {
      memberId: visible.author_id,
      kind: status,
      reason: draft.reason,
      until: null,
      title: visible.title,
      questionId: post.kind === 'question' ? null : visible.question_id,
      hiddenPostId: visible.hidden_post_id,
    });
  await logAction(
    tx,
    { moderator, post, draft, ...visible, before: { reportsCount } },
    createStatusEvents(visible.author_id),
  );
}

/** Ends the open objection to a removal, and tells the author. Returns whether there was one. */
async function endObjection(
  tx: Tx,
  wanted: Pick<PostActionContext, 'draft' | 'item'> & {
    row: HiddenPostRow;
    kind: 'restored' | 'objection_declined';
  },
): Promise<boolean> {
  const { row, draft, item, kind } = wanted;
  if (item?.cause !== 'objection') return false;
  await removeFromReviewQueue(tx, { kind: row.post_kind, id: row.post_id });
  await setObjectionDecided(tx, row.id);
  if (row.author_id !== null) {
    const title = await findQuestionTitle(tx, row);
    await insertModeratorMessage(tx, {
      memberId: row.author_id,
      kind,
      reason: draft.reason,
      until: null,
      title,
      questionId: row.post_kind === 'question' ? null : row.question_id,
    });
  }
  return true;
}

async function lockOrUnlock(
  tx: Tx,
  { moderator, post, draft, authorId }: PostActionContext,
  lockReason: string | null,
) {
  const visible = await requirePost(tx, post);
  const question = await lockQuestionThread(tx, visible.question_id);
  if ((question.lock_reason === null) === (lockReason === null)) throw createUnchangedError();
  const reportsCount = await resolveReportsUnlessOwn(tx, { post, authorId, moderator });
  await setLock(tx, { questionId: question.id, lockReason });
  await logAction(
    tx,
    { moderator, post, draft, ...visible, before: { reportsCount, lockReason: question.lock_reason } },
    [{ topic: `question:${question.id}`, event: { kind: 'edited' } }],
  );
}

async function markDuplicate(
  tx: Tx,
  { moderator, post, draft, authorId }: PostActionContext,
  duplicateOf: number | null,
) {
  if (post.kind !== 'question') throw invalidFieldError('kind', 'duplicate-not-question');
  const visible = await requirePost(tx, post);
  if (draft.action === 'duplicate') await requireOriginal(tx, { id: post.id, duplicateOf });
  const question = await lockQuestionThread(tx, post.id);
  if (question.duplicate_of === duplicateOf) throw createUnchangedError();
  const reportsCount = await resolveReportsUnlessOwn(tx, { post, authorId, moderator });
  const changed = await setDuplicate(tx, { questionId: post.id, duplicateOf });
  await endCloseVotes(tx, { questionId: post.id, closers: [] });
  const before = { reportsCount, duplicateOf: question.duplicate_of };
  const events = changed.flatMap((id) => buildDuplicateEvents(id, duplicateOf));
  await logAction(tx, { moderator, post, draft, ...visible, before }, events);
}

/**
 * The original must be another question and must not be a duplicate, so that its link leads to answers. Both must be
 * locked.
 */
export async function requireOriginal(
  tx: Tx,
  { id, duplicateOf }: { id: number; duplicateOf: number | null },
): Promise<void> {
  if (duplicateOf === null || duplicateOf === id) throw invalidFieldError('duplicateOf', 'original-required');
  const original = await lockQuestionIfExists(tx, duplicateOf);
  if (original === undefined) throw invalidFieldError('duplicateOf', 'original-not-found');
  if (original.duplicate_of !== null) throw invalidFieldError('duplicateOf', 'original-is-duplicate');
}

async function requirePost(tx: Tx, post: PostRef) {
  const visible = await findVisiblePost(tx, post);
  if (visible === undefined) throw await createAlreadyHandledError(tx, post);
  return visible;
}

/**
 * Locks a post's question, the post if it is held or hidden, and its entry in the review queue. An action from the review
 * queue needs the entry to be still open. While another moderator works on a post, it has to be taken over first, wherever
 * the action comes from. Locks the question as strongly as the action will need it: of two transactions that both have a
 * weaker lock, neither could get the stronger one.
 */
async function lockOpenPost(
  tx: Tx,
  { moderator, post, draft }: { moderator: Moderator; post: PostRef; draft: PostActionDraft },
): Promise<OpenPost> {
  const visible = await findVisiblePost(tx, post);
  if (visible !== undefined && (draft.action === 'dismiss' || draft.action === 'approve')) {
    // Changes nothing of the question: votes, views and answers do not wait.
    await lockExistingQuestions(tx, [visible.question_id]);
  } else {
    const found = visible ?? (await findHiddenPost(tx, post)) ?? (await findHeldPostQuestion(tx, post));
    const duplicateOf = draft.action === 'duplicate' ? draft.duplicateOf : null;
    const withDuplicates = post.kind === 'question';
    if (found?.question_id != null)
      await lockQuestionToAct(tx, { id: found.question_id, duplicateOf, withDuplicates });
  }
  // Before its entry, as its author does who deletes or edits it, or objects to its removal.
  const heldPost = await lockHeldPost(tx, post);
  const hiddenPost = visible === undefined ? await findHiddenPost(tx, post) : undefined;
  if (hiddenPost !== undefined) await lockHiddenPost(tx, hiddenPost.id);
  const version = draft.basedOn === undefined ? undefined : await lockPostVersion(tx, post);
  const item = await lockReviewItem(tx, post);
  if (item !== undefined) refuseOthersClaim(item, moderator);
  if (draft.queueItemId !== null && item?.id !== draft.queueItemId)
    throw await createAlreadyHandledError(tx, post, moderator);
  // Of a hidden or held post there is one version.
  if (version !== undefined && draft.basedOn !== undefined && !isPresentVersion(draft.basedOn, version))
    throw new ProblemError('edited-meanwhile');
  const { author_id: authorId = heldPost?.member_id ?? null } = visible ?? hiddenPost ?? {};
  return { authorId, heldPost, item };
}

/** Decisions that a post stays. */
const approvingActions: ReadonlySet<PostAction> = new Set(['dismiss', 'approve', 'restore']);

/**
 * A moderator does not decide that an own post stays, unless no one else moderates (docs/product.md 14.2). Restoring what
 * the moderator removed is no such decision, unless the removal ended reports.
 * @throws ProblemError 'not-allowed'
 */
async function refuseOwnPost(
  tx: Tx,
  { moderator, post, draft }: Pick<PostActionContext, 'moderator' | 'post' | 'draft'>,
): Promise<void> {
  if (!approvingActions.has(draft.action) || !(await hasOtherModerators(tx, moderator.id))) return;
  const removal = draft.action === 'restore' ? await findLastRemoval(tx, post) : undefined;
  if (removal?.moderator_id !== moderator.id || removal.reports > 0)
    throw new ProblemError('own-post-decision');
}

/** Ends the reports of a post that stays visible. Those of an own post stay for others, unless no one else moderates. */
export async function resolveReportsUnlessOwn(
  tx: Tx,
  { post, authorId, moderator }: { post: PostRef; authorId: number | null; moderator: { id: number } },
): Promise<number> {
  if (authorId === moderator.id && (await hasOtherModerators(tx, moderator.id))) return 0;
  return resolveReports(tx, { post, outcome: 'resolved' });
}

const createUnchangedError = () => new ProblemError('handled-already');

/** Names the moderator and the action if there was one. */
async function createAlreadyHandledError(
  tx: Tx,
  post: PostRef,
  moderator?: Moderator,
): Promise<ProblemError> {
  const last = await findLastAction(tx, post);
  if (last === undefined) return new ProblemError('post-deleted');
  const extension = { action: last.action, reason: last.reason, at: last.created_at.toISOString() };
  if (last.moderator_id === moderator?.id) return new ProblemError('handled-by-you', { extension });
  const name = last.moderator_name;
  if (name === null) return new ProblemError('handled-already', { extension });
  return new ProblemError('handled-by-moderator', { params: { name }, extension });
}

type LoggedAction = Pick<PostActionContext, 'moderator' | 'post' | 'draft'> & {
  question_id: number;
  author_id: number | null;
  before: LogEntryDraft['before'];
};

async function logAction(tx: Tx, logged: LoggedAction, events: readonly TopicEvent[]): Promise<void> {
  const { moderator, post, draft, question_id: questionId, author_id: memberId, before } = logged;
  await insertLogEntry(tx, {
    moderatorId: moderator.id,
    action: draft.action === 'spam' ? 'delete' : draft.action,
    reason: draft.reason,
    post: { ...post, questionId },
    memberId,
    before,
  });
  await publishAll(tx, [...events, { topic: 'moderation', event: { kind: 'moderation-changed' } }]);
}

/** The author reads their messages and hidden posts again. */
function createStatusEvents(authorId: number | null): TopicEvent[] {
  return authorId === null ? [] : [{ topic: `member:${authorId}`, event: { kind: 'member-changed' } }];
}
