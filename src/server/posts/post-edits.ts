import { type Database, transaction, type Tx } from '#server/core/database.ts';
import { ProblemError } from '#server/core/errors.ts';
import { publishAll, type TopicEvent } from '#server/core/events.ts';
import type { Viewer } from '#server/core/http.ts';
import { notifyOfMentions } from '#server/notifications/index.ts';
import type { PostKind, PostRef } from '#shared/core/fields.ts';
import { tagKey } from '#shared/core/text.ts';
import { draftTargets } from '#shared/posts/drafts.ts';
import type { OwnQuestionEdit } from '#shared/posts/tag-proposals.ts';
import { lockAnswer, updateAnswer } from './answers-queries.ts';
import { endDraft } from './drafts.ts';
import { createExcerpt } from './excerpt.ts';
import { refuseManyMentions } from './mentions-limits.ts';
import { findAddedMentions, findMentions } from './mentions.ts';
import { buildQuestionActivityEvent, buildQuestionEditedEvents } from './posts-events.ts';
import { lockQuestionOfReply, refuseLocked } from './posts-locks.ts';
import { findQuestionOf, lockQuestion, updateQuestion } from './questions-queries.ts';
import { touchQuestion } from './questions.ts';
import { lockReply, updateReply } from './replies-queries.ts';
import { findQueuedEditEvents, joinTexts, queueForReview } from './review-items.ts';
import { refuseStaleEdit, saveRevision } from './revisions.ts';
import { changeTagsInStatistics } from './statistics-changes.ts';
import { proposeTags, resolveProposedTags } from './tag-proposals.ts';
import { refuseTags, type TagSettings } from './tag-rules.ts';
import { listQuestionTagNames, setQuestionTags } from './tags.ts';
import { saveUploadReferences } from './uploads.ts';

/** The texts of a post; title and tags of questions only. */
export type EditedTexts = { title: string | null; content: string; tags: string[] | null };

/** A locked post of any kind, with what an edit needs. */
export type EditablePost = EditedTexts & {
  post: PostRef;
  /** As in notifications. */
  location: { questionId: number; answerId: number | null; replyId: number | null };
  author_id: number | null;
  created_at: Date;
  edited_at: Date | null;
  /** Why its question is locked. */
  lockReason: string | null;
};

/**
 * Locks a post and its question, in the order of all transactions that change a thread.
 * @throws ProblemError 'not-found' for a post that is hidden or deleted
 */
export async function lockEditablePost(tx: Tx, post: PostRef): Promise<EditablePost> {
  const { kind, id } = post;
  if (kind === 'question') {
    const question = await lockQuestion(tx, id, 'changes');
    if (question === undefined) throw new ProblemError('question-not-found');
    return {
      ...question,
      post,
      location: { questionId: id, answerId: null, replyId: null },
      tags: await listQuestionTagNames(tx, id),
      lockReason: question.lock_reason,
    };
  }
  if (kind === 'answer') {
    const questionId = await findQuestionOf(tx, { kind: 'answer', id });
    const question = questionId === null ? undefined : await lockQuestion(tx, questionId, 'changes');
    const answer = question === undefined ? undefined : await lockAnswer(tx, id);
    if (question === undefined || answer === undefined) throw new ProblemError('answer-not-found');
    const location = { questionId: question.id, answerId: id, replyId: null };
    return { ...answer, post, location, title: null, tags: null, lockReason: question.lock_reason };
  }
  const question = await lockQuestionOfReply(tx, id);
  const reply = await lockReply(tx, id);
  if (question === undefined || reply === undefined || reply.deleted)
    throw new ProblemError('reply-not-found');
  const location = { questionId: reply.question_id, answerId: reply.answer_id, replyId: id };
  return { ...reply, post, location, title: null, tags: null, lockReason: question.lock_reason };
}

/** A suggested edit that is approved: who wrote it, and the text whose mentions counted when it was suggested. */
type Suggested = { editorId: number; content: string };

type Edit = {
  /** Who wrote the edit, or approves it. */
  viewer: Viewer;
  /** The key of the draft, if any. */
  key: string | undefined;
  publicUrl: string | null;
  settings: TagSettings;
};

/** Replaces the text of an own answer or reply. */
export async function editOwnPost(
  db: Database,
  edit: Edit & { post: PostRef; draft: { content: string; basedOn?: string | null | undefined } },
): Promise<void> {
  const { content, basedOn } = edit.draft;
  await transaction(db, async (tx) => {
    const post = await lockOwnPost(tx, edit);
    await editPost(tx, { ...edit, post, texts: { title: null, content, tags: null }, basedOn });
  });
}

/** Replaces title, text and tags of an own question, and proposes tags. */
export async function editOwnQuestion(
  db: Database,
  edit: Edit & { id: number; draft: OwnQuestionEdit },
): Promise<void> {
  const { id, viewer, draft } = edit;
  await transaction(db, async (tx) => {
    const post = await lockOwnPost(tx, { post: { kind: 'question', id }, viewer });
    const { tags, proposed } = await resolveProposedTags(tx, { ...edit, questionId: id, isApproval: false });
    const { title, content, basedOn } = draft;
    await editPost(tx, { ...edit, post, texts: { title, content, tags }, basedOn });
    await publishAll(tx, await proposeTags(tx, { memberId: viewer.id, questionId: id, proposed }));
  });
}

async function lockOwnPost(tx: Tx, { post: ref, viewer }: { post: PostRef; viewer: Pick<Viewer, 'id'> }) {
  const post = await lockEditablePost(tx, ref);
  if (post.author_id !== viewer.id) throw new ProblemError(`${ref.kind}-edit-not-author`);
  return post;
}

/**
 * Edits a locked post of any author. The earlier version stays readable. Without a change, also for a repeated request
 * whose first response was lost, no revision is created.
 * @param edit `basedOn`: `editedAt` of the version that the member saw; undefined if it was compared before.
 * `suggestionId`: of an edit by another member, the suggestion that names the editor of the new version. `suggested`: the
 * suggestion that the viewer approves
 * @throws ProblemError 'locked', 'edit-conflict', 'invalid' for tags that are not allowed
 */
export async function editPost(
  tx: Tx,
  edit: Edit & {
    post: EditablePost;
    texts: EditedTexts;
    basedOn?: string | null | undefined;
    suggestionId?: number;
    suggested?: Suggested;
  },
): Promise<void> {
  const { post: old, texts, viewer, key, basedOn, suggestionId, publicUrl, settings } = edit;
  const editorId = edit.suggested?.editorId ?? viewer.id;
  const { post } = old;
  refuseLocked(old.lockReason);
  if (areTextsEqual(old, texts)) return;
  refuseStaleEdit({ kind: post.kind, old }, basedOn);
  const mentioned = await refuseTexts(tx, edit);
  await saveRevision(tx, { ...post, old, suggestionId });
  const editEvents = await writers[post.kind](tx, { old, texts });
  // Who approves a suggested edit can add pictures, too.
  await saveUploadReferences(tx, { post, text: texts.content, ownerIds: [editorId, viewer.id] });
  const notificationEvents = await notifyOfMentions(tx, { senderId: editorId, ...old.location, mentioned });
  const target = draftTargets.edit(post);
  const draftEvents = await endDraft(tx, { memberId: editorId, target, key, text: texts });
  const written = { post, viewer, editorId, text: joinTexts(texts), before: joinTexts(old) };
  const addedEvents = await queueForReview(tx, { settings, publicUrl, posts: [written] });
  const reviewEvents = addedEvents.length > 0 ? addedEvents : await findQueuedEditEvents(tx, post);
  await publishAll(tx, [...notificationEvents, ...reviewEvents, ...draftEvents, ...editEvents]);
}

/**
 * Refuses tags that neither member may set, and too many mentions. Returns the members that are newly mentioned.
 * @throws ProblemError 'invalid', 'too-many'
 */
export async function refuseTexts(
  tx: Tx,
  {
    post: old,
    texts,
    viewer,
    suggested,
    publicUrl,
    settings,
  }: Omit<Edit, 'key'> & { post: EditablePost; texts: EditedTexts; suggested?: Suggested },
): Promise<readonly number[]> {
  // A question from before the rules stays editable.
  if (texts.tags !== null && !areTagsEqual(old.tags, texts.tags))
    await refuseTags(tx, { viewer, editorId: suggested?.editorId, tags: texts.tags, settings });
  const added = findAddedMentions({ before: old.content, after: texts.content, publicUrl });
  // The mentions of a suggested edit were counted when it was suggested. The reviewer can add others.
  const counted = new Set(findMentions(suggested?.content ?? '', publicUrl));
  const mentioning = { memberId: viewer.id, text: texts.content, publicUrl };
  await refuseManyMentions(tx, { ...mentioning, added: added.filter((id) => !counted.has(id)) });
  return added;
}

type Change = { old: EditablePost; texts: EditedTexts };

/** Store the new texts of a post, and return the events for its readers. */
const writers: Readonly<Record<PostKind, (tx: Tx, change: Change) => Promise<TopicEvent[]>>> = {
  question: async (tx, { old, texts }) => {
    const { id } = old.post;
    const draft = { title: texts.title ?? '', content: texts.content, tags: texts.tags ?? [] };
    await updateQuestion(tx, { id, draft, excerpt: createExcerpt(draft.content) });
    const { tags, added, removed, events } = await setQuestionTags(tx, { questionId: id, tags: draft.tags });
    await changeTagsInStatistics(tx, { questionId: id, added, removed });
    return [
      ...buildQuestionEditedEvents({ id, tags, created_at: old.created_at }),
      buildQuestionActivityEvent(id, tags),
      ...events,
    ];
  },
  answer: async (tx, { old, texts }) => {
    const { id } = old.post;
    const { questionId } = old.location;
    const at = await updateAnswer(tx, { id, content: texts.content });
    return [
      { topic: `question:${questionId}`, event: { kind: 'answer-edited', answerId: id } },
      { topic: 'answers', event: { kind: 'answer-edited', answerId: id } },
      await touchQuestion(tx, { id: questionId, at }),
    ];
  },
  reply: async (tx, { old, texts }) => {
    const { id } = old.post;
    await updateReply(tx, { id, content: texts.content });
    return [{ topic: `question:${old.location.questionId}`, event: { kind: 'reply-edited', replyId: id } }];
  },
};

export const areTextsEqual = (a: EditedTexts, b: EditedTexts) =>
  a.title === b.title && a.content === b.content && areTagsEqual(a.tags, b.tags);

/** A tag is shown as first written, so a member may have typed it in another case. */
function areTagsEqual(a: readonly string[] | null, b: readonly string[] | null): boolean {
  if (a === null || b === null) return a === b;
  return a.length === b.length && a.every((tag, index) => tagKey(tag) === tagKey(b[index] ?? ''));
}
