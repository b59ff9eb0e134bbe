import { tagKey } from '#shared/core/text.ts';
import { endDraft } from './drafts.ts';
import { refuseManyMentions } from './mentions-limits.ts';
import { findAddedMentions, findMentions } from './mentions.ts';
import { notifyOfMentions } from '#server/notifications/notifications.ts';
import { type Database, type Reader, transaction, type Tx } from '#server/core/database.ts';
import { publishAll, type TopicEvent } from '#server/core/events.ts';
import { ProblemError } from '#server/core/errors.ts';
import type { Viewer } from '#server/core/http.ts';
import { postOnce, type PostRequest } from './idempotency.ts';
import { toByline, toTimes } from './posts.ts';
import {
  type CurrentVersion,
  getRevision,
  listRevisions,
  refuseStaleEdit,
  saveRevision,
} from './revisions.ts';
import { refuseLocked } from './posts-locks.ts';
import { buildProfileEvents, buildQuestionActivityEvent } from './posts-events.ts';
import { listQuestionTagNames, resolveTagNames, setQuestionTags } from './tags.ts';
import { draftTargets } from '#shared/posts/drafts.ts';
import type { Question, QuestionDraft, QuestionEdit } from '#shared/posts/questions.ts';
import type { Revision, RevisionsPage } from '#shared/posts/revisions.ts';
import { createExcerpt } from './excerpt.ts';
import {
  changeQuestionsCount,
  findQuestionById,
  insertQuestion,
  listQuestionTitles,
  lockQuestion,
  type LockStrength,
  questionExists,
  type QuestionRow,
  updateQuestion,
  updateQuestionActivity,
} from './questions-queries.ts';

export const questionNotFound = () => new ProblemError('not-found', 'Question not found');

/** Posts a question once a key. Returns its id. */
export async function askQuestion(
  db: Database,
  asking: { viewer: Viewer; key: string | undefined; draft: QuestionDraft; publicUrl: string | null },
): Promise<number> {
  const { viewer, key, draft } = asking;
  const mentioned = findMentions(draft.content, asking.publicUrl);
  const { publicUrl } = asking;
  const mentioning = { memberId: viewer.id, text: draft.content, added: mentioned, publicUrl };
  const posting: PostRequest = { viewer, key, kind: 'question', request: draft };
  return transaction(db, (tx) =>
    postOnce(tx, posting, async () => {
      await refuseManyMentions(tx, mentioning);
      const id = await insertQuestion(tx, {
        authorId: viewer.id,
        draft,
        tags: await resolveTagNames(tx, draft.tags),
        excerpt: createExcerpt(draft.content),
      });
      await changeQuestionsCount(tx, { memberId: viewer.id, by: 1 });
      const { tags, told: tagEvents } = await setQuestionTags(tx, { questionId: id, tags: draft.tags });
      const location = { senderId: viewer.id, questionId: id, answerId: null, replyId: null };
      const notificationEvents = await notifyOfMentions(tx, { ...location, mentioned });
      const draftEvents = await endDraft(tx, {
        memberId: viewer.id,
        target: draftTargets.ask,
        key,
        text: draft,
      });
      await publishAll(tx, [
        ...notificationEvents,
        ...draftEvents,
        { topic: 'feeds', event: { kind: 'question-posted', questionId: id, authorId: viewer.id, tags } },
        ...tagEvents,
        ...buildProfileEvents([viewer.id]),
      ]);
      return id;
    }),
  );
}

/** @throws ProblemError 'not-found' */
export async function readQuestion(
  db: Reader,
  { id, viewer }: { id: number; viewer: Viewer },
): Promise<Question> {
  const row = await findQuestionById(db, { id, viewerId: viewer.id });
  if (row === undefined) throw questionNotFound();
  return toQuestion(row);
}

/** What links to questions need to know of them. Numbers that no question has are left out. */
export async function readQuestionTitles(db: Reader, ids: readonly number[]) {
  return ids.length === 0 ? [] : listQuestionTitles(db, ids);
}

/**
 * The question, locked so that its answers and counts can change.
 * @throws ProblemError 'not-found'
 */
export async function lockQuestionThread(tx: Tx, id: number, against: LockStrength = 'everything') {
  const question = await lockQuestion(tx, id, against);
  if (question === undefined) throw questionNotFound();
  return question;
}

/** The same where there may be no such question. Returns whether there is. */
export async function lockQuestionIfExists(tx: Tx, id: number): Promise<boolean> {
  return (await lockQuestion(tx, id, 'everything')) !== undefined;
}

/** Something happened on a question at `at`: what is followed lists it as active. Returns what to publish of it. */
export async function touchQuestion(tx: Tx, { id, at }: { id: number; at: Date }): Promise<TopicEvent> {
  return buildQuestionActivityEvent(id, await updateQuestionActivity(tx, { id, at }));
}

/** A question came back: its author has one more. */
export async function addRestoredQuestion(tx: Tx, memberId: number): Promise<void> {
  await changeQuestionsCount(tx, { memberId, by: 1 });
}

/** @throws ProblemError 'not-found' */
export async function requireQuestion(db: Reader, id: number): Promise<void> {
  if (!(await questionExists(db, id))) throw questionNotFound();
}

/** Replaces title, text and tags; the version before stays readable. An edit that changes nothing is none. */
export async function editQuestion(
  db: Database,
  edit: {
    id: number;
    viewer: Viewer;
    key: string | undefined;
    draft: QuestionEdit;
    publicUrl: string | null;
  },
): Promise<void> {
  const { id, viewer, key, draft, publicUrl } = edit;
  await transaction(db, async (tx) => {
    const old = await lockOwnQuestion(tx, {
      id,
      viewer,
      refusal: 'You can only edit your own questions.',
      against: 'changes',
    });
    refuseLocked(old.lock_reason);
    const tags = await listQuestionTagNames(tx, id);
    if (old.title === draft.title && old.content === draft.content && areTagsEqual(tags, draft.tags)) return;
    refuseStaleEdit({ kind: 'question', old }, draft.basedOn);
    const mentioned = findAddedMentions({ before: old.content, after: draft.content, publicUrl });
    await refuseManyMentions(tx, { memberId: viewer.id, text: draft.content, added: mentioned, publicUrl });
    await saveRevision(tx, { kind: 'question', id, old: { ...old, tags } });
    const start = createExcerpt(draft.content);
    await updateQuestion(tx, { id, draft, excerpt: start });
    const { tags: stored, told: tagEvents } = await setQuestionTags(tx, { questionId: id, tags: draft.tags });
    const edited = {
      kind: 'question-edited' as const,
      questionId: id,
      title: draft.title,
      excerpt: start.excerpt,
      excerptCut: start.cut,
      tags: stored,
      createdAt: old.created_at.toISOString(),
    };
    const location = { senderId: viewer.id, questionId: id, answerId: null, replyId: null };
    const notificationEvents = await notifyOfMentions(tx, { ...location, mentioned });
    const post = draftTargets.edit({ kind: 'question', id });
    const draftEvents = await endDraft(tx, { memberId: viewer.id, target: post, key, text: draft });
    await publishAll(tx, [
      ...notificationEvents,
      ...draftEvents,
      { topic: `question:${id}`, event: { kind: 'edited' } },
      { topic: 'feeds', event: edited },
      { topic: 'answers', event: edited },
      buildQuestionActivityEvent(id, stored),
      ...tagEvents,
    ]);
  });
}

/** The versions of a question, the current one first, without their texts. */
export async function listQuestionRevisions(
  db: Reader,
  { id, viewer, cursor }: { id: number; viewer: Viewer; cursor: string | undefined },
): Promise<RevisionsPage> {
  return listRevisions(db, {
    kind: 'question',
    id,
    current: await readCurrentVersion(db, { id, viewer }),
    cursor,
  });
}

export async function getQuestionRevision(
  db: Reader,
  { id, viewer, number }: { id: number; viewer: Viewer; number: number },
): Promise<Revision> {
  return getRevision(db, {
    kind: 'question',
    id,
    current: await readCurrentVersion(db, { id, viewer }),
    number,
  });
}

async function readCurrentVersion(
  db: Reader,
  wanted: { id: number; viewer: Viewer },
): Promise<CurrentVersion> {
  const { title, content, tags, editedAt, createdAt } = await readQuestion(db, wanted);
  return { title, content, tags, createdAt: editedAt ?? createdAt };
}

/** The question, locked, where the viewer wrote it; only then may it be edited or deleted. */
export async function lockOwnQuestion(
  tx: Tx,
  wanted: {
    id: number;
    viewer: Pick<Viewer, 'id'>;
    refusal: string;
    missing?: string;
    against?: LockStrength;
  },
) {
  const question = await lockQuestion(tx, wanted.id, wanted.against ?? 'everything');
  if (question === undefined) throw new ProblemError('not-found', wanted.missing ?? 'Question not found');
  if (question.author_id !== wanted.viewer.id) throw new ProblemError('not-author', wanted.refusal);
  return question;
}

export function toQuestion(row: QuestionRow): Question {
  return {
    id: row.id,
    title: row.title,
    content: row.content,
    excerpt: row.excerpt,
    tags: row.tags,
    ...toByline(row, 'question'),
    ...toTimes(row),
    upvotes: row.upvotes,
    downvotes: row.downvotes,
    myVote: row.my_vote,
    answerCount: row.answer_count,
    acceptedAnswerId: row.accepted_answer_id,
    lockReason: row.lock_reason,
    duplicateOf: row.duplicate_of,
    following: row.following,
    bookmarked: row.bookmarked,
    muted: row.muted,
    // Last, so that a page that is kept can take in that it grows.
    views: row.views,
  };
}

/** A tag is shown as first written, so that what an author typed may differ from it in capitals. */
function areTagsEqual(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((tag, index) => tagKey(tag) === tagKey(b[index] ?? ''));
}
