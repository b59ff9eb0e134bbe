import { type Database, transaction, type Tx } from '#server/core/database.ts';
import { invalidFieldError, ProblemError } from '#server/core/errors.ts';
import { publishAll, type TopicEvent } from '#server/core/events.ts';
import type { Viewer } from '#server/core/http.ts';
import { runInTurns } from '#server/core/steps.ts';
import { limits } from '#shared/core/limits.ts';
import { tagKey } from '#shared/core/text.ts';
import type { ProposedTag } from '#shared/posts/tag-proposals.ts';
import { normalizeTags } from '#shared/posts/tags.ts';
import { buildQuestionEditedEvents } from './posts-events.ts';
import { lockQuestion } from './questions-queries.ts';
import { enterReviewQueue } from './review-items.ts';
import { changeTagsInStatistics } from './statistics-changes.ts';
import {
  listProposalsOfToday,
  type DecidedProposalRow,
  deleteProposalsOfQuestions,
  insertProposalMessage,
  insertTagProposal,
  findQuestionToApply,
  listOpenProposalKeys,
  listProposalsToApply,
  requeueProposals,
  setAllApplied,
  setProposalApplied,
  unqueueHiddenProposals,
} from './tag-proposals-queries.ts';
import { listUsableTags, mayCreateTags, newTagError, type TagSettings } from './tag-rules.ts';
import { listQuestionTagNames, setQuestionTags } from './tags.ts';

/** The tags of a question: those that it gets now, and those that a moderator decides about. */
type ResolvedTags = { tags: string[]; proposed: ProposedTag[] };

/**
 * Separates the proposed tags of a question that exist, or that the viewer may create, from those that a moderator has to
 * decide about (docs/product.md 9.11).
 * @param questionId null for a new question
 * @param isApproval whether a moderator approves the held question: the author's limits do not apply again
 * @throws ProblemError 'invalid' for too many tags in all, 'too-many' after the proposals of a day
 */
export async function resolveProposedTags(
  tx: Tx,
  wanted: {
    viewer: Viewer;
    questionId: number | null;
    draft: { tags: readonly string[]; proposedTags?: readonly ProposedTag[] | undefined };
    isApproval: boolean;
    settings: TagSettings;
  },
): Promise<ResolvedTags> {
  const { viewer, questionId, draft, isApproval, settings } = wanted;
  const typed = [...new Map((draft.proposedTags ?? []).map((tag) => [tagKey(tag.name), tag])).values()];
  if (typed.length === 0) return { tags: [...draft.tags], proposed: [] };
  const usable = await listUsableTags(tx, { tags: typed.map((tag) => tag.name), settings });
  const mayCreate = !isApproval && (await mayCreateTags(tx, { viewer, settings }));
  const isTag = ({ name }: ProposedTag) => mayCreate || usable.has(tagKey(name));
  const tags = normalizeTags([...draft.tags, ...typed.filter(isTag).map((tag) => tag.name)]);
  const proposed = typed.filter((tag) => !isTag(tag));
  if (tags.length + proposed.length > limits.tagsPerQuestion)
    throw invalidFieldError('tags', 'too-many-tags', { max: limits.tagsPerQuestion });
  if (isApproval || proposed.length === 0) return { tags, proposed };
  const perDay = settings.get('tagProposalsPerDay');
  if (perDay === 0) throw newTagError('tags', proposed[0]?.name ?? '', settings);
  const open = new Set(questionId === null ? [] : await listOpenProposalKeys(tx, questionId));
  const added = proposed.filter(({ name }) => !open.has(tagKey(name)));
  const today = added.length === 0 ? [] : await listProposalsOfToday(tx, viewer.id);
  const excess = today.length + added.length - perDay;
  if (added.length > 0 && excess > 0)
    throw new ProblemError('too-many-tag-proposals', {
      params: { max: perDay },
      retryAfter: today[excess - 1] ?? 24 * 60 * 60,
    });
  return { tags, proposed: added };
}

/** Puts the proposed tags of a stored question into the review queue. Returns the events to publish. */
export async function proposeTags(
  tx: Tx,
  wanted: { memberId: number; questionId: number; proposed: readonly ProposedTag[] },
): Promise<TopicEvent[]> {
  const { memberId, questionId, proposed } = wanted;
  if (proposed.length === 0) return [];
  // Sorted, so that two transactions with the same names take locks in the same order.
  const sorted = proposed.toSorted((a, b) => (tagKey(a.name) < tagKey(b.name) ? -1 : 1));
  const insert = async () => {
    for (const tag of sorted) await insertTagProposal(tx, { tag, questionId, memberId });
  };
  return enterReviewQueue(tx, insert, memberId);
}

/**
 * Withdraws what was proposed for questions that are deleted.
 * @param ids the proposals that were pending for them
 */
export async function withdrawTagProposals(
  tx: Tx,
  withdrawn: { questionIds: readonly number[]; ids: readonly number[] },
): Promise<void> {
  if (withdrawn.ids.length === 0) return;
  await deleteProposalsOfQuestions(tx, withdrawn);
}

/**
 * Takes proposals without a visible question out of the review queue, after a question was hidden.
 * @param ids the proposals that were pending for it
 */
export async function suspendTagProposals(tx: Tx, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return;
  await unqueueHiddenProposals(tx, ids);
}

/** Puts the proposals for a question back into the review queue, after it was restored. */
export async function resumeTagProposals(tx: Tx, questionId: number): Promise<TopicEvent[]> {
  return enterReviewQueue(tx, () => requeueProposals(tx, questionId));
}

/**
 * Applies decisions about proposed tags: each question gets its tag, if it exists and has room, and its author a message.
 * Each question is a transaction of its own; if the process ends, the next run continues. A hidden question gets its tag
 * after it was restored.
 * @param until milliseconds since 1970. The next run does what is left.
 */
export async function applyTagProposals(db: Database, until: number): Promise<void> {
  const ids = await listProposalsToApply(db);
  await runInTurns(
    ids.map((id) => () => applyToNextQuestion(db, id)),
    until,
  );
}

/** Returns whether there may be more to do. */
async function applyToNextQuestion(db: Database, id: number): Promise<boolean> {
  const questionId = await findQuestionToApply(db, id);
  await transaction(db, (tx) =>
    questionId === undefined ? setAllApplied(tx, id) : applyProposal(tx, { id, questionId }),
  );
  return questionId !== undefined;
}

const messageKinds = { approved: 'tag_approved', synonym: 'tag_synonym', rejected: 'tag_rejected' } as const;

async function applyProposal(tx: Tx, ref: { id: number; questionId: number }): Promise<void> {
  const question = await lockQuestion(tx, ref.questionId, 'changes');
  // It was hidden or deleted meanwhile.
  if (question === undefined) return;
  const tagEvents: TopicEvent[] = [];
  const decided: DecidedProposalRow | undefined = await setProposalApplied(tx, ref);
  if (decided === undefined) return;
  if (decided.tag !== null) tagEvents.push(...(await addTagToQuestion(tx, { question, tag: decided.tag })));
  const isNew = await insertProposalMessage(tx, {
    proposalId: ref.id,
    memberId: decided.member_id,
    kind: messageKinds[decided.status],
    reason: decided.reason,
    title: question.title,
    questionId: question.id,
  });
  await publishAll(tx, [
    ...tagEvents,
    ...(isNew ? [{ topic: `member:${decided.member_id}`, event: { kind: 'member-changed' } } as const] : []),
  ]);
}

type LockedQuestion = NonNullable<Awaited<ReturnType<typeof lockQuestion>>>;

/** Adds a tag to a locked question that has room for it. Like a merge of tags, it is no edit. Returns the events. */
async function addTagToQuestion(
  tx: Tx,
  { question, tag }: { question: LockedQuestion; tag: string },
): Promise<TopicEvent[]> {
  const { id } = question;
  const before = await listQuestionTagNames(tx, id);
  if (before.length >= limits.tagsPerQuestion || before.some((name) => tagKey(name) === tagKey(tag)))
    return [];
  const { tags, added, removed, events } = await setQuestionTags(tx, {
    questionId: id,
    tags: [...before, tag],
  });
  await changeTagsInStatistics(tx, { questionId: id, added, removed });
  return [...buildQuestionEditedEvents({ ...question, tags }), ...events];
}
