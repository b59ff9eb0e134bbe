import { type Database, type Tx, transaction } from '#server/core/database.ts';
import { invalidFieldError, ProblemError } from '#server/core/errors.ts';
import { publishAll, type TopicEvent } from '#server/core/events.ts';
import { buildDuplicateEvents } from '#server/posts/posts-events.ts';
import { lockQuestionThread } from '#server/posts/questions.ts';
import type { PostRef, PostAction, PostActionDraft } from '#shared/moderation/moderation.ts';
import { lockQuestionKey, lockReportedPost } from './reports-queries.ts';
import { resolveReports } from './reports.ts';
import { type LogEntryDraft, insertLogEntry } from './moderation-log-queries.ts';
import { insertModeratorMessage } from './moderator-messages-queries.ts';
import type { Moderator } from './moderator.ts';
import { restorePost, hidePost } from './hidden-posts.ts';
import { findVisiblePost, findHiddenPost } from './hidden-posts-queries.ts';
import { findLastAction, setDuplicate, setLock } from './post-actions-queries.ts';

export type PostActionRequest = { moderator: Moderator; draft: PostActionDraft };

/**
 * Does what an operator decided about a post, once: of two who decide at the same moment the second is told of the first.
 * Everything is written down in the same transaction, with the reason and with how it was before.
 * @throws ProblemError 'done-meanwhile', 'not-found', 'invalid' without a reason where one is needed
 */
export async function actOnPost(db: Database, { moderator, draft }: PostActionRequest): Promise<void> {
  const { action, kind, id, reason } = draft;
  if (reason === '' && action !== 'dismiss' && action !== 'restore')
    throw invalidFieldError('reason', 'Say why in a few words');
  await transaction(db, async (tx) => {
    const post: PostRef = { kind, id };
    await requireStillOpen(tx, { operator: moderator, post, queueItemId: draft.queueItemId });
    await actionHandlers[action](tx, { moderator, post, draft });
  });
}

type PostActionContext = { moderator: Moderator; post: PostRef; draft: PostActionDraft };

const actionHandlers: Readonly<Record<PostAction, (tx: Tx, step: PostActionContext) => Promise<void>>> = {
  dismiss: async (tx, { moderator, post, draft }) => {
    const as = await requirePost(tx, post);
    const reportsCount = await resolveReports(tx, { post, outcome: 'dismissed' });
    if (reportsCount === 0) throw await createAlreadyHandledError(tx, post);
    await logAction(tx, { moderator, post, draft, ...as, before: { reportsCount } }, []);
  },
  hide: (tx, step) => hideOrDelete(tx, step, 'hidden'),
  delete: (tx, step) => hideOrDelete(tx, step, 'deleted'),
  restore: async (tx, { moderator, post, draft }) => {
    const row = await findHiddenPost(tx, post);
    if (row === undefined) throw await createAlreadyHandledError(tx, post);
    await restorePost(tx, row);
    const as = { question_id: row.question_id, author_id: row.author_id };
    await logAction(
      tx,
      { moderator, post, draft, ...as, before: { status: row.status } },
      createStatusEvents(row.author_id),
    );
  },
  lock: (tx, step) => lockOrUnlock(tx, step, step.draft.reason),
  unlock: (tx, step) => lockOrUnlock(tx, step, null),
  duplicate: (tx, step) => markDuplicate(tx, step, step.draft.duplicateOf),
  not_duplicate: (tx, step) => markDuplicate(tx, step, null),
};

async function hideOrDelete(
  tx: Tx,
  { moderator, post, draft }: PostActionContext,
  how: 'hidden' | 'deleted',
): Promise<void> {
  // Before the post goes: then its reports were answered, and not lost with it.
  const reportsCount = await resolveReports(tx, { post, outcome: 'acted' });
  const as = await hidePost(tx, { post, how, reason: draft.reason, activityRemovalId: null });
  if (as === undefined) throw await createAlreadyHandledError(tx, post);
  if (as.author_id !== null)
    await insertModeratorMessage(tx, {
      memberId: as.author_id,
      kind: how,
      reason: draft.reason,
      until: null,
      title: as.title,
    });
  await logAction(
    tx,
    { moderator, post, draft, ...as, before: { reportsCount } },
    createStatusEvents(as.author_id),
  );
}

async function lockOrUnlock(
  tx: Tx,
  { moderator, post, draft }: PostActionContext,
  lockReason: string | null,
) {
  const as = await requirePost(tx, post);
  const question = await lockQuestionThread(tx, as.question_id);
  if ((question.lock_reason === null) === (lockReason === null)) throw createUnchangedError();
  const reportsCount = await resolveReports(tx, { post, outcome: 'acted' });
  await setLock(tx, { questionId: question.id, lockReason });
  await logAction(
    tx,
    { moderator, post, draft, ...as, before: { reportsCount, lockReason: question.lock_reason } },
    [{ topic: `question:${question.id}`, event: { kind: 'edited' } }],
  );
}

async function markDuplicate(
  tx: Tx,
  { moderator, post, draft }: PostActionContext,
  duplicateOf: number | null,
) {
  if (post.kind !== 'question') throw invalidFieldError('kind', 'Only a question repeats another one.');
  if (draft.action === 'duplicate' && (duplicateOf === null || duplicateOf === post.id))
    throw invalidFieldError('duplicateOf', 'Name the question that was asked before.');
  const as = await requirePost(tx, post);
  if (duplicateOf !== null) await requireOriginal(tx, { id: post.id, duplicateOf });
  const question = await lockQuestionThread(tx, post.id);
  if (question.duplicate_of === duplicateOf) throw createUnchangedError();
  const reportsCount = await resolveReports(tx, { post, outcome: 'acted' });
  const changed = await setDuplicate(tx, { questionId: post.id, duplicateOf });
  const before = { reportsCount, duplicateOf: question.duplicate_of };
  const events = changed.flatMap((id) => buildDuplicateEvents(id, duplicateOf));
  await logAction(tx, { moderator, post, draft, ...as, before }, events);
}

/** The question that was asked before is there, and repeats no other: whoever follows the link finds answers. */
async function requireOriginal(
  tx: Tx,
  { id, duplicateOf }: { id: number; duplicateOf: number },
): Promise<void> {
  // Both in the order of their ids, as all do who need more than one question.
  if (duplicateOf > id) await lockQuestionThread(tx, id);
  if (!(await lockQuestionKey(tx, duplicateOf)))
    throw invalidFieldError('duplicateOf', 'There is no question with this number.');
  if ((await lockQuestionThread(tx, duplicateOf)).duplicate_of !== null)
    throw invalidFieldError('duplicateOf', 'That question repeats another one itself. Name that one.');
}

async function requirePost(tx: Tx, post: PostRef) {
  const as = await findVisiblePost(tx, post);
  if (as === undefined) throw await createAlreadyHandledError(tx, post);
  return as;
}

/** Whoever looks at a place of the queue acts on it only while it is there. */
async function requireStillOpen(
  tx: Tx,
  { operator, post, queueItemId }: { operator: Moderator; post: PostRef; queueItemId: number | null },
): Promise<void> {
  if (queueItemId === null) return;
  const as = await findVisiblePost(tx, post);
  if (as !== undefined) await lockQuestionKey(tx, as.question_id);
  if (!(await lockReportedPost(tx, { id: queueItemId, post })))
    throw await createAlreadyHandledError(tx, post, operator);
}

const createUnchangedError = () =>
  new ProblemError('done-meanwhile', 'It is so already; somebody was faster.');

/** Says what was done before, where anything was. */
async function createAlreadyHandledError(tx: Tx, post: PostRef, operator?: Moderator): Promise<ProblemError> {
  const last = await findLastAction(tx, post);
  if (last === undefined) return new ProblemError('not-found', 'There is no such post any more.');
  const who = last.moderator_id === operator?.id ? 'You have' : `${last.operator_name ?? 'Somebody'} has`;
  return new ProblemError('done-meanwhile', `${who} dealt with this already.`, {
    extension: { action: last.action, reason: last.reason, at: last.created_at.toISOString() },
  });
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
    action: draft.action,
    reason: draft.reason,
    post: { ...post, questionId },
    memberId,
    before,
  });
  await publishAll(tx, [...events, { topic: 'care', event: { kind: 'care-changed' } }]);
}

/** The author has something to see, or one post more or less that others do not see. */
function createStatusEvents(authorId: number | null): TopicEvent[] {
  return authorId === null ? [] : [{ topic: `member:${authorId}`, event: { kind: 'standing-changed' } }];
}
