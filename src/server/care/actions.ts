import { type Database, type Tx, transaction } from '#server/platform/database.ts';
import { invalidField, ProblemError } from '#server/platform/errors.ts';
import { publishAll, type StreamedEvent } from '#server/platform/events.ts';
import { duplicateMarked } from '#server/posts/told.ts';
import { lockQuestionThread } from '#server/questions/questions.ts';
import type { CarePost, PostAction, PostActionDraft } from '#shared/care.ts';
import { keepQuestion, lockFlagged } from './flag-queries.ts';
import { answerFlags } from './flags.ts';
import { type Done, insertLog } from './log-queries.ts';
import { insertNotice } from './notice-queries.ts';
import type { Operator } from './operator.ts';
import { bringBack, putAway } from './put-away.ts';
import { postAsIs, putAwayOf } from './put-away-queries.ts';
import { lastDoneTo, setDuplicate, setLock } from './thread-queries.ts';

export type Doing = { operator: Operator; draft: PostActionDraft };

/**
 * Does what an operator decided about a post, once: of two who decide at the same moment the second is told of the first.
 * Everything is written down in the same transaction, with the reason and with how it was before.
 * @throws ProblemError 'done-meanwhile', 'not-found', 'invalid' without a reason where one is needed
 */
export async function actOnPost(db: Database, { operator, draft }: Doing): Promise<void> {
  const { action, kind, id, reason } = draft;
  if (reason === '' && action !== 'dismiss' && action !== 'restore')
    throw invalidField('reason', 'Say why in a few words');
  await transaction(db, async (tx) => {
    const post: CarePost = { kind, id };
    await requireStillOpen(tx, { operator, post, flaggedId: draft.flaggedId });
    await doings[action](tx, { operator, post, draft });
  });
}

type Step = { operator: Operator; post: CarePost; draft: PostActionDraft };

const doings: Readonly<Record<PostAction, (tx: Tx, step: Step) => Promise<void>>> = {
  dismiss: async (tx, { operator, post, draft }) => {
    const as = await requirePost(tx, post);
    const flags = await answerFlags(tx, { post, outcome: 'dismissed' });
    if (flags === 0) throw await doneMeanwhile(tx, post);
    await note(tx, { operator, post, draft, ...as, before: { flags } }, []);
  },
  hide: (tx, step) => takeAway(tx, step, 'hidden'),
  delete: (tx, step) => takeAway(tx, step, 'deleted'),
  restore: async (tx, { operator, post, draft }) => {
    const row = await putAwayOf(tx, post);
    if (row === undefined) throw await doneMeanwhile(tx, post);
    await bringBack(tx, row);
    const as = { question_id: row.question_id, author_id: row.author_id };
    await note(tx, { operator, post, draft, ...as, before: { how: row.status } }, standing(row.author_id));
  },
  lock: (tx, step) => lockOrUnlock(tx, step, step.draft.reason),
  unlock: (tx, step) => lockOrUnlock(tx, step, null),
  duplicate: (tx, step) => markDuplicate(tx, step, step.draft.duplicateOf),
  not_duplicate: (tx, step) => markDuplicate(tx, step, null),
};

async function takeAway(tx: Tx, { operator, post, draft }: Step, how: 'hidden' | 'deleted'): Promise<void> {
  // Before the post goes: then its flags were answered, and not lost with it.
  const flags = await answerFlags(tx, { post, outcome: 'acted' });
  const as = await putAway(tx, { post, how, reason: draft.reason, undoingId: null });
  if (as === undefined) throw await doneMeanwhile(tx, post);
  if (as.author_id !== null)
    await insertNotice(tx, {
      memberId: as.author_id,
      kind: how,
      reason: draft.reason,
      until: null,
      title: as.title,
    });
  await note(tx, { operator, post, draft, ...as, before: { flags } }, standing(as.author_id));
}

async function lockOrUnlock(tx: Tx, { operator, post, draft }: Step, lockedFor: string | null) {
  const as = await requirePost(tx, post);
  const question = await lockQuestionThread(tx, as.question_id);
  if ((question.lock_reason === null) === (lockedFor === null)) throw asItIs();
  const flags = await answerFlags(tx, { post, outcome: 'acted' });
  await setLock(tx, { questionId: question.id, lockedFor });
  await note(tx, { operator, post, draft, ...as, before: { flags, lockedFor: question.lock_reason } }, [
    { topic: `question:${question.id}`, event: { kind: 'edited' } },
  ]);
}

async function markDuplicate(tx: Tx, { operator, post, draft }: Step, duplicateOf: number | null) {
  if (post.kind !== 'question') throw invalidField('kind', 'Only a question repeats another one.');
  if (draft.action === 'duplicate' && (duplicateOf === null || duplicateOf === post.id))
    throw invalidField('duplicateOf', 'Name the question that was asked before.');
  const as = await requirePost(tx, post);
  if (duplicateOf !== null) await keepOriginal(tx, { id: post.id, duplicateOf });
  const question = await lockQuestionThread(tx, post.id);
  if (question.duplicate_of === duplicateOf) throw asItIs();
  const flags = await answerFlags(tx, { post, outcome: 'acted' });
  const changed = await setDuplicate(tx, { questionId: post.id, duplicateOf });
  const before = { flags, duplicateOf: question.duplicate_of };
  const events = changed.flatMap((id) => duplicateMarked(id, duplicateOf));
  await note(tx, { operator, post, draft, ...as, before }, events);
}

/** The question that was asked before is there, and repeats no other: whoever follows the link finds answers. */
async function keepOriginal(tx: Tx, { id, duplicateOf }: { id: number; duplicateOf: number }): Promise<void> {
  // Both in the order of their ids, as all do who need more than one question.
  if (duplicateOf > id) await lockQuestionThread(tx, id);
  if (!(await keepQuestion(tx, duplicateOf)))
    throw invalidField('duplicateOf', 'There is no question with this number.');
  if ((await lockQuestionThread(tx, duplicateOf)).duplicate_of !== null)
    throw invalidField('duplicateOf', 'That question repeats another one itself. Name that one.');
}

async function requirePost(tx: Tx, post: CarePost) {
  const as = await postAsIs(tx, post);
  if (as === undefined) throw await doneMeanwhile(tx, post);
  return as;
}

/** Whoever looks at a place of the queue acts on it only while it is there. */
async function requireStillOpen(
  tx: Tx,
  { operator, post, flaggedId }: { operator: Operator; post: CarePost; flaggedId: number | null },
): Promise<void> {
  if (flaggedId === null) return;
  const as = await postAsIs(tx, post);
  if (as !== undefined) await keepQuestion(tx, as.question_id);
  if (!(await lockFlagged(tx, { id: flaggedId, post }))) throw await doneMeanwhile(tx, post, operator);
}

const asItIs = () => new ProblemError('done-meanwhile', 'It is so already; somebody was faster.');

/** Says what was done before, where anything was. */
async function doneMeanwhile(tx: Tx, post: CarePost, operator?: Operator): Promise<ProblemError> {
  const last = await lastDoneTo(tx, post);
  if (last === undefined) return new ProblemError('not-found', 'There is no such post any more.');
  const who = last.moderator_id === operator?.id ? 'You have' : `${last.operator_name ?? 'Somebody'} has`;
  return new ProblemError('done-meanwhile', `${who} dealt with this already.`, {
    extension: { action: last.action, reason: last.reason, at: last.created_at.toISOString() },
  });
}

type Noted = Pick<Step, 'operator' | 'post' | 'draft'> & {
  question_id: number;
  author_id: number | null;
  before: Done['before'];
};

async function note(tx: Tx, noted: Noted, events: readonly StreamedEvent[]): Promise<void> {
  const { operator, post, draft, question_id: questionId, author_id: memberId, before } = noted;
  await insertLog(tx, {
    operatorId: operator.id,
    action: draft.action,
    reason: draft.reason,
    post: { ...post, questionId },
    memberId,
    before,
  });
  await publishAll(tx, [...events, { topic: 'care', event: { kind: 'care-changed' } }]);
}

/** The author has something to see, or one post more or less that others do not see. */
function standing(authorId: number | null): StreamedEvent[] {
  return authorId === null ? [] : [{ topic: `member:${authorId}`, event: { kind: 'standing-changed' } }];
}
