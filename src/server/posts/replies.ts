import { removePost } from './post-removal.ts';
import { addToStatistics } from './statistics-changes.ts';
import { endDraft } from './drafts.ts';
import { saveUploadReferences } from './uploads.ts';
import { refuseManyMentions } from './mentions-limits.ts';
import { findMentions } from './mentions.ts';
import { notifyOfReply } from '#server/notifications/index.ts';
import { type Database, type Reader, transaction, type Tx } from '#server/core/database.ts';
import { publishAll } from '#server/core/events.ts';
import { invalidFieldError, ProblemError } from '#server/core/errors.ts';
import type { Viewer } from '#server/core/http.ts';
import { decodeCursor, paginate } from '#server/core/cursor.ts';
import { holdPost, type NewPostId } from './held-posts.ts';
import { postOnce } from './idempotency.ts';
import { queueForReview, type ReviewSettings } from './review-items.ts';
import { lockQuestionOfReply, refuseLocked } from './posts-locks.ts';
import { lockQuestionThread, touchQuestion } from './questions.ts';
import { draftTargets } from '#shared/posts/drafts.ts';
import { limits, serverLimits } from '#shared/core/limits.ts';
import type { RepliesPage, Reply, ReplyDraft } from '#shared/posts/replies.ts';
import {
  findReplyById,
  findTargetAuthor,
  insertReply,
  listFirstReplies,
  listRepliesAfter,
  lockParentReply,
  lockReply,
  type ReplyRow,
  type ReplyTarget,
} from './replies-queries.ts';

export type { ReplyTarget };

const replyNotFound = () => new ProblemError('reply-not-found');

type NewReply = {
  on: ReplyTarget;
  viewer: Viewer;
  key: string | undefined;
  draft: ReplyDraft;
  /** The reserved id of a held reply that a moderator approves: it is not held again. */
  approvedId?: number;
  publicUrl: string | null;
  settings: ReviewSettings;
};

/**
 * Posts a reply to an answer, a question or another reply there, once per idempotency key, or holds it for approval.
 * @throws ProblemError 'not-found' for a parent that is deleted or elsewhere, 'invalid' below level 3
 */
export async function postReply(db: Database, reply: NewReply): Promise<NewPostId> {
  const { on, viewer, key, draft } = reply;
  return transaction(db, (tx) =>
    postOnce(tx, { viewer, key, kind: 'reply', request: [on, draft] }, () => storeReply(tx, reply)),
  );
}

/**
 * Posts a reply, or holds it for approval.
 * @throws ProblemError as `postReply` does
 */
export async function storeReply(tx: Tx, reply: NewReply): Promise<NewPostId> {
  const { on, viewer, key, draft, approvedId, publicUrl, settings } = reply;
  const mentioned = findMentions(draft.content, publicUrl);
  refuseLocked((await lockQuestionThread(tx, on.questionId, 'changes')).lock_reason);
  // The answer may have been hidden before the lock.
  const repliedPostAuthorId = await findTargetAuthor(tx, on);
  if (repliedPostAuthorId === undefined) throw new ProblemError('answer-not-found');
  const { parentReplyId, content } = draft;
  const parent = parentReplyId === null ? null : await lockVisibleParent(tx, { parentReplyId, on });
  const level = parent === null ? 0 : parent.level + 1;
  // The mentions of a held reply were counted when it was held.
  if (approvedId === undefined)
    await refuseManyMentions(tx, { memberId: viewer.id, text: content, added: mentioned, publicUrl });
  const draftTarget = draftTargets.reply(getRepliedPost({ on, parentReplyId }));
  const ended = { memberId: viewer.id, target: draftTarget, key, text: draft };
  if (approvedId === undefined) {
    const held = { kind: 'reply', ...on, parentReplyId, title: null, tags: null, content } as const;
    const wanted = { held, text: content, viewer, postId: null, draft: ended };
    const heldId = await holdPost(tx, { ...wanted, settings, publicUrl });
    if (heldId !== null) return { id: heldId, held: true };
  }
  const { id, created_at: at } = await insertReply(tx, {
    id: approvedId ?? null,
    on,
    parentReplyId,
    level,
    authorId: viewer.id,
    content,
  });
  await saveUploadReferences(tx, { post: { kind: 'reply', id }, text: content, ownerIds: [viewer.id] });
  await addToStatistics(tx, { questionIds: [], answerIds: [], replyIds: [id] });
  const active = await touchQuestion(tx, { id: on.questionId, at });
  const notificationEvents = await notifyOfReply(tx, {
    replyId: id,
    senderId: viewer.id,
    ...on,
    parentAuthorId: parent?.author_id ?? null,
    repliedPostAuthorId,
    mentioned,
  });
  const { questionId, answerId } = on;
  const posted = {
    kind: 'reply-posted',
    replyId: id,
    answerId,
    parentReplyId,
    authorId: viewer.id,
  } as const;
  const draftEvents = await endDraft(tx, ended);
  const written = { post: { kind: 'reply', id } as const, viewer, text: content, before: null };
  const reviewEvents = await queueForReview(tx, { settings, publicUrl, posts: [written] });
  await publishAll(tx, [
    ...notificationEvents,
    ...reviewEvents,
    ...draftEvents,
    { topic: `question:${questionId}`, event: posted },
    active,
  ]);
  return { id, held: false };
}

/** The first replies of each answer, oldest first, by answer id. */
export async function listFirstRepliesByAnswer(
  db: Reader,
  { answerIds, viewer }: { answerIds: readonly number[]; viewer: Pick<Viewer, 'id'> },
): Promise<Map<number, RepliesPage>> {
  if (answerIds.length === 0) return new Map();
  return toPagesByAnswer(
    await listFirstReplies(db, { answerIds, viewerId: viewer.id, limit: serverLimits.repliesPage + 1 }),
  );
}

function toPagesByAnswer(rows: readonly ReplyRow[]): Map<number, RepliesPage> {
  const groups = Map.groupBy(rows, ({ reply }) => reply.answerId ?? 0);
  return new Map([...groups].map(([answerId, replies]) => [answerId, toPage(replies)]));
}

/** A page of the replies to an answer or question, oldest first. */
export async function listReplies(
  db: Reader,
  { on, viewer, cursor }: { on: ReplyTarget; viewer: Pick<Viewer, 'id'>; cursor: string | undefined },
): Promise<RepliesPage> {
  const afterId = decodeCursor(cursor)?.id ?? 0;
  const limit = serverLimits.repliesPage + 1;
  return toPage(await listRepliesAfter(db, { on, afterId, viewerId: viewer.id, limit }));
}

/**
 * Returns a reply.
 * @throws ProblemError 'not-found'
 */
export async function readReply(
  db: Reader,
  { id, viewer }: { id: number; viewer: Pick<Viewer, 'id'> },
): Promise<Reply> {
  const row = await findReplyById(db, { id, viewerId: viewer.id });
  if (row === undefined) throw replyNotFound();
  return row.reply;
}

/**
 * Deletes a reply. One with replies leaves a placeholder. Otherwise deleted ancestors whose last child it was are
 * deleted too (docs/product.md 6.5).
 */
export async function deleteReply(
  db: Database,
  { id, viewer }: { id: number; viewer: Pick<Viewer, 'id'> },
): Promise<void> {
  await transaction(db, async (tx) => {
    await lockQuestionOfReply(tx, id);
    const reply = await lockReply(tx, id);
    if (reply === undefined || reply.deleted) throw replyNotFound();
    if (reply.author_id !== viewer.id) throw new ProblemError('reply-deletion-not-author');
    const question = { id: reply.question_id, accepted_answer_id: null };
    await removePost(tx, { post: { kind: 'reply', id }, question, hiddenBy: null });
  });
}

/** Locks the parent reply and checks it: not deleted, in the same thread, not too deep. */
async function lockVisibleParent(tx: Tx, { parentReplyId, on }: { parentReplyId: number; on: ReplyTarget }) {
  const parent = await lockParentReply(tx, parentReplyId);
  if (parent === undefined || parent.deleted) throw new ProblemError('parent-reply-not-found');
  if (parent.question_id !== on.questionId || parent.answer_id !== on.answerId)
    throw new ProblemError('parent-reply-elsewhere');
  if (parent.level >= limits.replyLevel)
    throw invalidFieldError('parentReplyId', 'thread-too-deep', { max: limits.replyLevel });
  return parent;
}

/** The post that a reply is a reply to. */
function getRepliedPost({ on, parentReplyId }: { on: ReplyTarget; parentReplyId: number | null }) {
  if (parentReplyId !== null) return { kind: 'reply', id: parentReplyId } as const;
  if (on.answerId !== null) return { kind: 'answer', id: on.answerId } as const;
  return { kind: 'question', id: on.questionId } as const;
}

function toPage(rows: readonly ReplyRow[]): RepliesPage {
  const { items, nextCursor } = paginate(rows, serverLimits.repliesPage, (row) => ({ after: 0, id: row.id }));
  return { items: items.map(({ reply }) => reply), nextCursor };
}
