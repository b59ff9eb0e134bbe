import { endDraft } from '#server/drafts/drafts.ts';
import { refuseManyMentions } from '#server/mentions/limits.ts';
import { mentionedIn, mentionsAdded } from '#server/mentions/mentioned.ts';
import { tellOfMentions } from '#server/notifications/notifications.ts';
import { type Database, type Reader, type Tx, transaction } from '#server/platform/database.ts';
import { publishAll, type StreamedEvent } from '#server/platform/events.ts';
import { ProblemError } from '#server/platform/errors.ts';
import type { Viewer } from '#server/platform/http.ts';
import { postOnce, type Posting } from '#server/posts/idempotency.ts';
import { byline, times } from '#server/posts/post.ts';
import {
  checkBasis,
  type CurrentVersion,
  keepRevision,
  revisionOf,
  revisionsOf,
} from '#server/posts/revisions.ts';
import { refuseLocked } from '#server/posts/thread.ts';
import { profilesChanged, questionActive } from '#server/posts/told.ts';
import { questionTags, shownTags, tagQuestion } from '#server/topics/topics.ts';
import { draftPlaces } from '#shared/drafts.ts';
import type { Question, QuestionDraft, QuestionEdit } from '#shared/questions.ts';
import type { Revision, RevisionsPage } from '#shared/revisions.ts';
import { tagKey } from '#shared/tags.ts';
import { excerpt } from './excerpt.ts';
import {
  changeQuestionsCount,
  insertQuestion,
  type LockedAgainst,
  lockQuestion,
  questionById,
  questionExists,
  raiseQuestionActivity,
  type QuestionRow,
  titlesOf,
  updateQuestion,
} from './queries.ts';

export const missingQuestion = () => new ProblemError('not-found', 'Question not found');

/** Posts a question once a key. Returns its id. */
export async function askQuestion(
  db: Database,
  asking: { viewer: Viewer; key: string | undefined; draft: QuestionDraft; publicUrl: string | null },
): Promise<number> {
  const { viewer, key, draft } = asking;
  const mentioned = mentionedIn(draft.content, asking.publicUrl);
  const { publicUrl } = asking;
  const mentioning = { memberId: viewer.id, text: draft.content, added: mentioned, publicUrl };
  const posting: Posting = { viewer, key, kind: 'question', request: draft };
  return transaction(db, (tx) =>
    postOnce(tx, posting, async () => {
      await refuseManyMentions(tx, mentioning);
      const id = await insertQuestion(tx, {
        authorId: viewer.id,
        draft,
        tags: await shownTags(tx, draft.tags),
        excerpt: excerpt(draft.content),
      });
      await changeQuestionsCount(tx, { memberId: viewer.id, by: 1 });
      const { tags, told } = await tagQuestion(tx, { questionId: id, tags: draft.tags });
      const place = { senderId: viewer.id, questionId: id, answerId: null, replyId: null };
      const bells = await tellOfMentions(tx, { ...place, mentioned });
      const ended = await endDraft(tx, { memberId: viewer.id, place: draftPlaces.ask, key, text: draft });
      await publishAll(tx, [
        ...bells,
        ...ended,
        { topic: 'feeds', event: { kind: 'question-posted', questionId: id, authorId: viewer.id, tags } },
        ...told,
        ...profilesChanged([viewer.id]),
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
  const row = await questionById(db, { id, viewerId: viewer.id });
  if (row === undefined) throw missingQuestion();
  return toQuestion(row);
}

/** What links to questions need to know of them. Numbers that no question has are left out. */
export async function readQuestionTitles(db: Reader, ids: readonly number[]) {
  return ids.length === 0 ? [] : titlesOf(db, ids);
}

/**
 * The question, locked so that its answers and counts can change.
 * @throws ProblemError 'not-found'
 */
export async function lockQuestionThread(tx: Tx, id: number, against: LockedAgainst = 'everything') {
  const question = await lockQuestion(tx, id, against);
  if (question === undefined) throw missingQuestion();
  return question;
}

/** The same where there may be no such question. Returns whether there is. */
export async function lockQuestionIfThere(tx: Tx, id: number): Promise<boolean> {
  return (await lockQuestion(tx, id, 'everything')) !== undefined;
}

/** Something happened on a question at `at`: what is followed lists it as active. Returns what to publish of it. */
export async function touchQuestion(tx: Tx, { id, at }: { id: number; at: Date }): Promise<StreamedEvent> {
  return questionActive(id, await raiseQuestionActivity(tx, { id, at }));
}

/** A question came back: its author has one more. */
export async function countQuestionBack(tx: Tx, memberId: number): Promise<void> {
  await changeQuestionsCount(tx, { memberId, by: 1 });
}

/** @throws ProblemError 'not-found' */
export async function requireQuestion(db: Reader, id: number): Promise<void> {
  if (!(await questionExists(db, id))) throw missingQuestion();
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
    const tags = await questionTags(tx, id);
    if (old.title === draft.title && old.content === draft.content && sameTags(tags, draft.tags)) return;
    checkBasis({ kind: 'question', old }, draft.basedOn);
    const mentioned = mentionsAdded({ before: old.content, after: draft.content, publicUrl });
    await refuseManyMentions(tx, { memberId: viewer.id, text: draft.content, added: mentioned, publicUrl });
    await keepRevision(tx, { kind: 'question', id, old: { ...old, tags } });
    const start = excerpt(draft.content);
    await updateQuestion(tx, { id, draft, excerpt: start });
    const { tags: stored, told } = await tagQuestion(tx, { questionId: id, tags: draft.tags });
    const edited = {
      kind: 'question-edited' as const,
      questionId: id,
      title: draft.title,
      excerpt: start.excerpt,
      excerptCut: start.cut,
      tags: stored,
      createdAt: old.created_at.toISOString(),
    };
    const place = { senderId: viewer.id, questionId: id, answerId: null, replyId: null };
    const bells = await tellOfMentions(tx, { ...place, mentioned });
    const post = draftPlaces.edit({ kind: 'question', id });
    const ended = await endDraft(tx, { memberId: viewer.id, place: post, key, text: draft });
    await publishAll(tx, [
      ...bells,
      ...ended,
      { topic: `question:${id}`, event: { kind: 'edited' } },
      { topic: 'feeds', event: edited },
      { topic: 'answers', event: edited },
      questionActive(id, stored),
      ...told,
    ]);
  });
}

/** The versions of a question, the current one first, without their texts. */
export async function questionRevisions(
  db: Reader,
  { id, viewer, cursor }: { id: number; viewer: Viewer; cursor: string | undefined },
): Promise<RevisionsPage> {
  return revisionsOf(db, { kind: 'question', id, current: await currentVersion(db, { id, viewer }), cursor });
}

export async function questionRevision(
  db: Reader,
  { id, viewer, number }: { id: number; viewer: Viewer; number: number },
): Promise<Revision> {
  return revisionOf(db, { kind: 'question', id, current: await currentVersion(db, { id, viewer }), number });
}

async function currentVersion(db: Reader, wanted: { id: number; viewer: Viewer }): Promise<CurrentVersion> {
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
    against?: LockedAgainst;
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
    ...byline(row, 'question'),
    ...times(row),
    upvotes: row.upvotes,
    downvotes: row.downvotes,
    myVote: row.my_vote,
    answerCount: row.answer_count,
    acceptedAnswerId: row.accepted_answer_id,
    lockedFor: row.lock_reason,
    duplicateOf: row.duplicate_of,
    following: row.following,
    bookmarked: row.bookmarked,
    muted: row.muted,
    // Last, so that a page that is kept can take in that it grows.
    views: row.views,
  };
}

/** A tag is shown as first written, so that what an author typed may differ from it in capitals. */
function sameTags(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((tag, index) => tagKey(tag) === tagKey(b[index] ?? ''));
}
