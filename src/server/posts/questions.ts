import { endDraft } from './drafts.ts';
import { saveUploadReferences } from './uploads.ts';
import { addToStatistics } from './statistics-changes.ts';
import { refuseManyMentions } from './mentions-limits.ts';
import { findMentions } from './mentions.ts';
import { notifyOfMentions } from '#server/notifications/index.ts';
import { type Database, type Reader, transaction, type Tx } from '#server/core/database.ts';
import { publishAll, type TopicEvent } from '#server/core/events.ts';
import { ProblemError } from '#server/core/errors.ts';
import type { Viewer } from '#server/core/http.ts';
import { holdPost, type NewPostId } from './held-posts.ts';
import { postOnce, type PostRequest } from './idempotency.ts';
import { joinTexts, queueForReview } from './review-items.ts';
import { removePost } from './post-removal.ts';
import { buildProfileEvents, buildQuestionActivityEvent } from './posts-events.ts';
import { countQuestionTags } from './tags.ts';
import { refuseTags, type TagSettings } from './tag-rules.ts';
import { proposeTags, resolveProposedTags } from './tag-proposals.ts';
import { ensureTags } from './tags-queries.ts';
import { draftTargets } from '#shared/posts/drafts.ts';
import type { Question } from '#shared/posts/questions.ts';
import type { NewQuestionDraft } from '#shared/posts/tag-proposals.ts';
import { createExcerpt } from './excerpt.ts';
import {
  findQuestion,
  insertQuestion,
  listQuestionTitles,
  lockQuestion,
  type LockStrength,
  lockWithDuplicates,
  questionExists,
  updateQuestionActivity,
} from './questions-queries.ts';

export const questionNotFound = () => new ProblemError('question-not-found');

type NewQuestion = {
  viewer: Viewer;
  key: string | undefined;
  draft: NewQuestionDraft;
  /** The reserved id of a held question that a moderator approves: it is not held again. */
  approvedId?: number;
  publicUrl: string | null;
  settings: TagSettings;
};

/** Posts a question once per idempotency key, or holds it for approval. */
export async function askQuestion(db: Database, question: NewQuestion): Promise<NewPostId> {
  const { viewer, key, draft } = question;
  const posting: PostRequest = { viewer, key, kind: 'question', request: draft };
  return transaction(db, (tx) => postOnce(tx, posting, () => storeQuestion(tx, question)));
}

/** Posts a question, or holds it for approval. */
export async function storeQuestion(tx: Tx, question: NewQuestion): Promise<NewPostId> {
  const { viewer, key, approvedId, publicUrl, settings } = question;
  const { tags: wantedTags, proposed } = await resolveProposedTags(tx, {
    ...question,
    questionId: null,
    isApproval: approvedId !== undefined,
  });
  const draft = { title: question.draft.title, content: question.draft.content, tags: wantedTags };
  const mentioned = findMentions(draft.content, publicUrl);
  // The mentions of a held question were counted when it was held.
  if (approvedId === undefined)
    await refuseManyMentions(tx, { memberId: viewer.id, text: draft.content, added: mentioned, publicUrl });
  await refuseTags(tx, { viewer, tags: draft.tags, settings });
  const ended = { memberId: viewer.id, target: draftTargets.ask, key, text: draft };
  if (approvedId === undefined) {
    const place = { questionId: null, answerId: null, parentReplyId: null };
    const held = { kind: 'question', ...place, ...draft, proposedTags: proposed } as const;
    const wanted = { held, text: joinTexts(draft), viewer, postId: null, draft: ended };
    const heldId = await holdPost(tx, { ...wanted, settings, publicUrl });
    if (heldId !== null) return { id: heldId, held: true };
  }
  const tags = await ensureTags(tx, draft.tags);
  const { id, created_at: at } = await insertQuestion(tx, {
    id: approvedId ?? null,
    authorId: viewer.id,
    draft,
    tags,
    excerpt: createExcerpt(draft.content),
  });
  const tagEvents = await countQuestionTags(tx, { ids: tags.map((tag) => tag.id), by: 1, at });
  await saveUploadReferences(tx, {
    post: { kind: 'question', id },
    text: draft.content,
    ownerIds: [viewer.id],
  });
  await addToStatistics(tx, { questionIds: [id], answerIds: [], replyIds: [] });
  const location = { senderId: viewer.id, questionId: id, answerId: null, replyId: null };
  const notificationEvents = await notifyOfMentions(tx, { ...location, mentioned });
  const draftEvents = await endDraft(tx, ended);
  const written = { post: { kind: 'question', id } as const, viewer, text: joinTexts(draft), before: null };
  const reviewEvents = await queueForReview(tx, { settings, publicUrl, posts: [written] });
  const proposalEvents = await proposeTags(tx, { memberId: viewer.id, questionId: id, proposed });
  await publishAll(tx, [
    ...notificationEvents,
    ...reviewEvents,
    ...proposalEvents,
    ...draftEvents,
    {
      topic: 'feeds',
      event: {
        kind: 'question-posted',
        questionId: id,
        authorId: viewer.id,
        tags: tags.map((tag) => tag.name),
      },
    },
    ...tagEvents,
    ...buildProfileEvents([viewer.id]),
  ]);
  return { id, held: false };
}

/**
 * Returns a question.
 * @throws ProblemError 'not-found'
 */
export async function readQuestion(
  db: Reader,
  { id, viewer }: { id: number; viewer: Pick<Viewer, 'id'> },
): Promise<Question> {
  const question = await findQuestion(db, { id, viewerId: viewer.id });
  if (question === undefined) throw questionNotFound();
  return question;
}

/** The titles for links to questions. Ids without a question are omitted. */
export async function readQuestionTitles(db: Reader, ids: readonly number[]) {
  return ids.length === 0 ? [] : listQuestionTitles(db, ids);
}

/**
 * Locks a question so that its answers and counts can change.
 * @throws ProblemError 'not-found'
 */
export async function lockQuestionThread(tx: Tx, id: number, against: LockStrength = 'everything') {
  const question = await lockQuestion(tx, id, against);
  if (question === undefined) throw questionNotFound();
  return question;
}

/** The same for a question that may not exist. */
export async function lockQuestionIfExists(tx: Tx, id: number) {
  return lockQuestion(tx, id, 'everything');
}

/**
 * Updates the activity time of a question, so that the following feed lists it as active. Returns the events to
 * publish.
 */
export async function touchQuestion(tx: Tx, { id, at }: { id: number; at: Date }): Promise<TopicEvent> {
  return buildQuestionActivityEvent(id, await updateQuestionActivity(tx, { id, at }));
}

/**
 * Checks that a question exists.
 * @throws ProblemError 'not-found'
 */
export async function requireQuestion(db: Reader, id: number): Promise<void> {
  if (!(await questionExists(db, id))) throw questionNotFound();
}

/** Deletes the question and everything below it, and corrects the counts of every member (docs/product.md 4.4). */
export async function deleteQuestion(
  db: Database,
  { id, viewer }: { id: number; viewer: Pick<Viewer, 'id'> },
): Promise<void> {
  await transaction(db, async (tx) => {
    await lockWithDuplicates(tx, id);
    const question = await lockOwnQuestion(tx, {
      id,
      viewer,
      refusal: 'question-deletion-not-author',
      missing: 'question-already-deleted',
    });
    await removePost(tx, { post: { kind: 'question', id }, question, hiddenBy: null });
  });
}

/** Locks a question of the viewer. */
export async function lockOwnQuestion(
  tx: Tx,
  wanted: {
    id: number;
    viewer: Pick<Viewer, 'id'>;
    refusal: 'question-deletion-not-author' | 'acceptance-not-author';
    missing?: 'question-already-deleted';
    against?: LockStrength;
  },
) {
  const question = await lockQuestion(tx, wanted.id, wanted.against ?? 'everything');
  if (question === undefined) throw new ProblemError(wanted.missing ?? 'question-not-found');
  if (question.author_id !== wanted.viewer.id) throw new ProblemError(wanted.refusal);
  return question;
}
